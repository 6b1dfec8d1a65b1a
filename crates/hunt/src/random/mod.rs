//! Random programs with brute force.
//!
//! A generator writes a C program that reads a few inputs of a small range ([`case`]). gcc runs it on all of them
//! ([`oracle`]). What it observes at some point and in no undefined run gives a program whose error is reached
//! (TRUE is wrong); what it never observes, one whose error is not (FALSE is wrong).

pub mod calls;
pub mod case;
pub mod loops;
pub mod memory;
pub mod objects;
pub mod oracle;
mod smaller;

use std::path::PathBuf;
use std::time::Duration;

use hardbop_ir::testing::Random;
use regex_lite::Regex;

use crate::checker::{Answer, Executable, ways};
use crate::report::Report;
use case::{Case, Goal, Writer};
use oracle::{Observed, Oracle};

/// Who answers questions about C files.
pub trait FileChecker {
    /// The answer about files with options.
    fn check_files(&self, files: &[PathBuf], options: &[&str]) -> Answer;
}

impl FileChecker for Executable {
    fn check_files(&self, files: &[PathBuf], options: &[&str]) -> Answer {
        Executable::check_files(self, files, options)
    }
}

/// The generators.
const GENERATORS: [fn(Writer) -> Case; 12] = [
    loops::loops,
    loops::loops,
    memory::raw,
    memory::raw,
    memory::records,
    objects::heap,
    objects::places,
    objects::recursion,
    calls::pointers,
    calls::units,
    calls::library,
    calls::floats,
];

/// The program of a seed.
pub fn generate(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let which = random.below(GENERATORS.len());
    GENERATORS[which](Writer::new(random.bits()))
}

/// Where the work is done.
pub struct Field<'a> {
    /// Compiles and runs.
    pub oracle: &'a Oracle,
    /// Who is tested.
    pub checker: &'a dyn FileChecker,
    /// The data models that programs can be run for, in bits.
    pub bits: &'a [u32],
    /// For files.
    pub folder: PathBuf,
    /// Where findings are saved.
    pub out: PathBuf,
    /// How long a finding is made smaller.
    pub patience: Duration,
    /// Only programs about this.
    pub only: Option<Regex>,
}

/// Makes a program of a seed and asks about it.
pub fn hunt(field: &Field<'_>, seed: u64, report: &mut Report) {
    let case = generate(seed);
    if field.only.as_ref().is_some_and(|only| !only.is_match(case.kind)) {
        return;
    }
    let mut random = Random::new(seed ^ 0x5eed);
    let bits = field.bits[random.below(field.bits.len())];
    let observed = match field.oracle.observe(&case, bits) {
        Ok(observed) => observed,
        Err(reason) => {
            report.count("programs skipped: gcc does not take them");
            report.notes.push(format!("seed {seed}, {}: {reason}", case.kind));
            return;
        }
    };
    let Some(goal) = goal(&case, &observed, &mut random) else {
        report.count("programs skipped: nothing well-defined is observed");
        return;
    };
    report.count("random programs");
    report.count(&format!("about {}", case.kind));
    report.count(&format!("programs of {bits} bits"));
    report.count(if goal.reached { "expected FALSE" } else { "expected TRUE" });
    for way in ways(&mut random) {
        let question = Question { case: case.clone(), goal, bits, way };
        let answer = question.ask(field);
        let expected = if goal.reached { "FALSE" } else { "TRUE" };
        let word = match &answer {
            Answer::True => "TRUE",
            Answer::False => "FALSE",
            Answer::Unknown => "UNKNOWN",
            Answer::Failed(_) => "failed",
        };
        report.count(&format!("verdicts: {word} for {expected}"));
        report.count(&format!("way {}: {word} for {expected}", shown(way)));
        if question.is_wrong(&answer) {
            let saved = smaller::shrink(field, question);
            report.findings.push(format!(
                "wrong {word} ({}, -m{bits}, about {}), seed {seed}: {saved}",
                shown(way),
                case.kind
            ));
            break;
        }
        if let Answer::Failed(reason) = answer {
            report.notes.push(format!("seed {seed}, {} ({}): {reason}", case.kind, shown(way)));
        }
    }
}

fn shown(way: &[&str]) -> String {
    if way.is_empty() { "default".to_owned() } else { way.join(" ") }
}

/// What to ask about a program.
fn goal(case: &Case, observed: &Observed, random: &mut Random) -> Option<Goal> {
    let points: Vec<usize> = (0..case.points()).filter(|&i| !observed.clean[i].is_empty()).collect();
    if points.is_empty() {
        return None;
    }
    let point = random.pick(&points);
    let values: Vec<i64> = observed.clean[point].iter().copied().collect();
    let value = random.pick(&values);
    if random.one_in(3) && !case.layout && observed.all_clean {
        let near = [
            value.wrapping_add(1),
            value.wrapping_sub(1),
            value ^ (1 << random.below(16)),
            value.wrapping_add(256),
            !value,
            0,
        ];
        let near: Vec<i64> = near.into_iter().filter(|v| !observed.any[point].contains(v)).collect();
        if !near.is_empty() {
            let value = random.pick(&near);
            return Some(Goal { point, value, gated: random.one_in(4), reached: false });
        }
    }
    Some(Goal { point, value, gated: random.one_in(2), reached: true })
}

/// A question about a program.
#[derive(Debug, Clone)]
struct Question {
    case: Case,
    goal: Goal,
    bits: u32,
    way: &'static [&'static str],
}

impl Question {
    /// Asks the checker.
    fn ask(&self, field: &Field<'_>) -> Answer {
        let mut files = Vec::new();
        for (number, text) in self.case.question(&self.goal).iter().enumerate() {
            let file = field.folder.join(format!("question-{number}.c"));
            if let Err(error) = std::fs::write(&file, text) {
                return Answer::Failed(format!("{}: {error}", file.display()));
            }
            files.push(file);
        }
        let bits = format!("-m{}", self.bits);
        let options: Vec<&str> = [bits.as_str()].into_iter().chain(self.way.iter().copied()).collect();
        field.checker.check_files(&files, &options)
    }

    fn is_wrong(&self, answer: &Answer) -> bool {
        *answer == if self.goal.reached { Answer::True } else { Answer::False }
    }

    /// Whether gcc still says what it said.
    fn stands(&self, oracle: &Oracle) -> bool {
        let Ok(observed) = oracle.observe(&self.case, self.bits) else { return false };
        let Some(clean) = observed.clean.get(self.goal.point) else { return false };
        match self.goal.reached {
            true => clean.contains(&self.goal.value),
            false => {
                observed.all_clean
                    && !clean.is_empty()
                    && !observed.any[self.goal.point].contains(&self.goal.value)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Always(Answer);

    impl FileChecker for Always {
        fn check_files(&self, _: &[PathBuf], _: &[&str]) -> Answer {
            self.0.clone()
        }
    }

    fn hunted(answer: Answer, name: &str, seeds: std::ops::Range<u64>) -> Report {
        let folder = std::env::temp_dir().join(format!("hardbop-random-{name}-{}", std::process::id()));
        let oracle = Oracle::new(&folder).unwrap();
        let checker = Always(answer);
        let field = Field {
            oracle: &oracle,
            checker: &checker,
            bits: &[64],
            folder: folder.clone(),
            out: folder.clone(),
            patience: Duration::from_millis(1),
            only: None,
        };
        let mut report = Report::default();
        seeds.for_each(|seed| hunt(&field, seed, &mut report));
        let _ = std::fs::remove_dir_all(&folder);
        report
    }

    #[test]
    fn liars_are_caught() {
        let proves = hunted(Answer::True, "true", 0..6);
        assert!(proves.number("random programs") >= 4, "{proves:?}");
        assert_eq!(proves.findings.len() as u64, proves.number("expected FALSE"), "{proves:?}");
        let refutes = hunted(Answer::False, "false", 0..6);
        assert_eq!(refutes.findings.len() as u64, refutes.number("expected TRUE"), "{refutes:?}");
        assert!(proves.findings.len() + refutes.findings.len() >= 4);
        assert!(hunted(Answer::Unknown, "unknown", 0..2).findings.is_empty());
    }

    #[test]
    fn gcc_takes_what_generators_write() {
        let folder = std::env::temp_dir().join(format!("hardbop-generators-{}", std::process::id()));
        let oracle = Oracle::new(&folder).unwrap();
        for (number, generator) in GENERATORS.iter().enumerate() {
            let case = generator(Writer::new(number as u64));
            let observed = oracle.observe(&case, 64).unwrap_or_else(|e| panic!("{}: {e}", case.kind));
            assert!(case.points() > 1, "{}", case.kind);
            assert!(observed.clean.iter().any(|values| !values.is_empty()), "{}: {case:?}", case.kind);
        }
        let _ = std::fs::remove_dir_all(&folder);
    }

    #[test]
    fn a_question_has_one_error() {
        let case = Case {
            kind: "test",
            files: vec!["int main(void) {\n  @CHECK(1 + 1);\n  @CHECK(f(3));\n}\n".to_owned()],
            inputs: 0,
            range: 1,
            layout: false,
        };
        let goal = Goal { point: 1, value: -7, gated: false, reached: true };
        assert_eq!(
            case.question(&goal),
            ["int main(void) {\n  ;\n  if ((long long)(f(3)) == -7LL) reach_error();\n}\n"]
        );
        let told = "  oracle_check(0, (long long)(1 + 1));\n  oracle_check(1, (long long)(f(3)));\n";
        assert!(case.observed()[0].contains(told));
    }
}
