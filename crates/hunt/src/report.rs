//! What a hunt found, as lines that processes can pass on to each other.

use std::collections::BTreeMap;

/// Counts and findings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Counts by name.
    pub counts: BTreeMap<String, u64>,
    /// What is wrong, one line each.
    pub findings: Vec<String>,
    /// What is worth a look, one line each.
    pub notes: Vec<String>,
}

impl Report {
    /// Counts something.
    pub fn count(&mut self, name: &str) {
        self.add(name, 1);
    }

    /// Counts something several times.
    pub fn add(&mut self, name: &str, number: u64) {
        *self.counts.entry(name.to_owned()).or_default() += number;
    }

    /// How often something was counted.
    pub fn number(&self, name: &str) -> u64 {
        self.counts.get(name).copied().unwrap_or_default()
    }

    /// Adds another report.
    pub fn merge(&mut self, other: Report) {
        for (name, number) in other.counts {
            self.add(&name, number);
        }
        self.findings.extend(other.findings);
        self.notes.extend(other.notes);
    }

    /// The report as lines.
    pub fn to_lines(&self) -> String {
        let mut text = String::new();
        for (name, number) in &self.counts {
            text += &format!("count\t{number}\t{name}\n");
        }
        for (word, lines) in [("finding", &self.findings), ("note", &self.notes)] {
            for line in lines {
                text += &format!("{word}\t{}\n", line.replace(['\n', '\t'], " "));
            }
        }
        text
    }

    /// Reads lines; what is no report is passed over.
    pub fn from_lines(text: &str) -> Report {
        let mut report = Report::default();
        for line in text.lines() {
            match line.split_once('\t') {
                Some(("finding", rest)) => report.findings.push(rest.to_owned()),
                Some(("note", rest)) => report.notes.push(rest.to_owned()),
                Some(("count", rest)) => {
                    if let Some((number, name)) = rest.split_once('\t')
                        && let Ok(number) = number.parse()
                    {
                        report.add(name, number);
                    }
                }
                _ => {}
            }
        }
        report
    }

    /// The counts whose names start with a word, without it.
    pub fn below(&self, prefix: &str) -> Vec<(&str, u64)> {
        let own = self.counts.iter().filter_map(|(name, &n)| Some((name.strip_prefix(prefix)?, n)));
        own.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_back() {
        let mut report = Report::default();
        report.add("plants", 3);
        report.count("skipped: no run");
        report.findings.push("wrong".to_owned());
        report.notes.push("odd".to_owned());
        let mut twice = Report::from_lines(&report.to_lines());
        assert_eq!(twice, report);
        twice.merge(report);
        assert_eq!((twice.number("plants"), twice.findings.len()), (6, 2));
        assert_eq!(twice.below("skipped: "), [("no run", 2)]);
    }
}
