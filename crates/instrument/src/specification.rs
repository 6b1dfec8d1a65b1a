//! Which errors count, and the program in which only those do.

use hardbop_base::{Arena, Id};
use hardbop_ir::{Edge, Location, Procedure, Program, Property, Statement};

/// What must not happen in a run that starts at the entry.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Specification {
    /// The function where a run starts.
    pub entry: String,
    /// Functions that must not be called.
    pub functions: Vec<String>,
    /// Labels that must not be reached.
    pub labels: Vec<String>,
    /// Whether assertions must not fail; if not, a failing one only ends the run.
    pub assertions: bool,
}

/// What counts by default: `reach_error` and `__VERIFIER_error` must not be called, no
/// assertion may fail, and the label `ERROR` must not be reached.
impl Default for Specification {
    fn default() -> Self {
        Specification {
            entry: "main".into(),
            functions: vec!["reach_error".into(), "__VERIFIER_error".into()],
            labels: vec!["ERROR".into()],
            assertions: true,
        }
    }
}

impl Specification {
    /// Nothing but these functions and labels counts.
    pub fn only(entry: impl Into<String>, functions: Vec<String>, labels: Vec<String>) -> Self {
        Specification { entry: entry.into(), functions, labels, assertions: false }
    }

    /// What a program itself takes for errors: all its error statements.
    pub fn of(program: &Program) -> Self {
        let mut all =
            Specification { assertions: true, ..Specification::only("main", Vec::new(), Vec::new()) };
        for edge in program.procedures.values().flat_map(|procedure| procedure.edges.values()) {
            let (names, name) = match &edge.statement {
                Statement::Error(Property::ErrorFunction(name)) => (&mut all.functions, name),
                Statement::Error(Property::ErrorLabel(name)) => (&mut all.labels, name),
                _ => continue,
            };
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        all
    }

    /// Whether an error of this kind counts.
    pub fn counts(&self, property: &Property) -> bool {
        match property {
            Property::ErrorFunction(name) => self.functions.contains(name),
            Property::ErrorLabel(name) => self.labels.contains(name),
            Property::Assertion(_) => self.assertions,
        }
    }

    /// The specification as a property file, one line for each function and label. Assertions have no
    /// formula in that language and are left out.
    pub fn property_file(&self) -> String {
        let calls = self.functions.iter().map(|name| format!("call({name}())"));
        let labels = self.labels.iter().map(|name| format!("label({name})"));
        calls
            .chain(labels)
            .map(|event| format!("CHECK( init({}()), LTL(G ! {event}) )\n", self.entry))
            .collect()
    }

    /// The labels that count and stand in the program without being an error there.
    ///
    /// Lowering makes errors of the labels that it is given; in the finished program a label may have
    /// moved to where more than one way leads, so it is too late to make errors of them.
    pub fn unmarked_labels<'a>(&'a self, program: &Program) -> Vec<&'a str> {
        let is_error = |procedure: &Procedure, name: &str| {
            let marks =
                |e: &Edge| matches!(&e.statement, Statement::Error(Property::ErrorLabel(l)) if l == name);
            procedure.edges.values().any(marks)
        };
        let stands = |procedure: &Procedure, name: &str| {
            procedure.locations.values().any(|location| location.labels.iter().any(|label| label == name))
        };
        let unmarked = |name: &&str| {
            program.procedures.values().any(|procedure| stands(procedure, name) && !is_error(procedure, name))
        };
        self.labels.iter().map(String::as_str).filter(unmarked).collect()
    }
}

/// The program in which exactly the errors that count are errors.
///
/// - An error function that counts is an error however it is called: its body, if there is one, is
///   replaced.
/// - A call of another error function, and a failing assertion that does not count, end the run.
/// - A label that does not count is passed.
pub fn select(mut program: Program, specification: &Specification) -> Program {
    for (_, procedure) in program.procedures.iter_mut() {
        if specification.functions.contains(&procedure.name) {
            fail_when_called(procedure);
        }
        for (_, edge) in procedure.edges.iter_mut() {
            if let Statement::Error(property) = &edge.statement
                && !specification.counts(property)
            {
                edge.statement = property.when_ignored();
            }
        }
    }
    program
}

/// Replaces the body by an error.
fn fail_when_called(procedure: &mut Procedure) {
    let [entry, end, exit] = [0, 1, 2].map(Id::from_usize);
    let error = Statement::Error(Property::ErrorFunction(procedure.name.clone()));
    let edge = Edge { source: entry, target: end, statement: error, span: procedure.span };
    procedure.external = None;
    procedure.locations =
        [Location::default(), Location::default(), Location::default()].into_iter().collect();
    procedure.edges = Arena::new();
    procedure.edges.push(edge);
    (procedure.entry, procedure.exit) = (entry, exit);
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_ir::Halt;
    use hardbop_ir::interpret::{self, Limits, ListInputs, Outcome};
    use hardbop_ir::testing::{Size, random_program};

    /// `stop` and `check` are called in turn; between them stand an assertion and two labels.
    const PROGRAM: &str = "program 1 LP64\n\
        fn stop() {\n  locations 2 entry L0 exit L1\n  L0 -> L1: return\n}\n\
        extern pure fn check();\n\
        fn main() {\n  locations 8 entry L0 exit L1\n  label OLD at L3\n  label NEW at L5\n\
          L0 -> L3: call stop()\n\
          L3 -> L4: error label OLD\n\
          L4 -> L5: call check()\n\
          L5 -> L6: error function old_error\n\
          L6 -> L7: error assertion \"x\"\n\
          L7 -> L1: return\n}\nentry main\n";

    fn program(text: &str) -> Program {
        let program = hardbop_ir::text::parse(Id::from_usize(0), text).unwrap();
        assert!(hardbop_ir::verify(&program).is_empty());
        program
    }

    fn outcome(text: &str, specification: &Specification) -> Outcome {
        let program = select(program(text), specification);
        assert!(hardbop_ir::verify(&program).is_empty());
        interpret::run(&program, &mut ListInputs::default(), Limits::default()).outcome
    }

    fn only(functions: &[&str], labels: &[&str]) -> Specification {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Specification::only("main", owned(functions), owned(labels))
    }

    fn error(outcome: Outcome) -> Property {
        match outcome {
            Outcome::Error { property, .. } => property,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn functions_that_count_are_errors_defined_or_not() {
        let called = |name: &str| Property::ErrorFunction(name.into());
        assert_eq!(error(outcome(PROGRAM, &only(&["stop"], &[]))), called("stop"));
        assert_eq!(error(outcome(PROGRAM, &only(&["check"], &[]))), called("check"));
        assert_eq!(error(outcome(PROGRAM, &only(&["old_error"], &[]))), called("old_error"));
    }

    #[test]
    fn labels_that_count_are_errors_and_others_are_passed() {
        let reached = Property::ErrorLabel("OLD".into());
        assert_eq!(error(outcome(PROGRAM, &only(&["check"], &["OLD"]))), reached);
        assert!(matches!(outcome(PROGRAM, &only(&[], &[])), Outcome::Aborted(_)));
    }

    #[test]
    fn assertions_that_do_not_count_end_the_run() {
        let text = PROGRAM.replace("error function old_error", "skip");
        assert!(matches!(outcome(&text, &only(&[], &[])), Outcome::Aborted(_)));
        let assertions = Specification { assertions: true, ..only(&[], &[]) };
        assert_eq!(error(outcome(&text, &assertions)), Property::Assertion("x".into()));
        assert!(matches!(outcome(PROGRAM, &assertions), Outcome::Aborted(_)));
    }

    #[test]
    fn a_program_has_a_specification_of_its_own() {
        let own = Specification::of(&program(PROGRAM));
        assert_eq!(own, Specification { assertions: true, ..only(&["old_error"], &["OLD"]) });
    }

    #[test]
    fn labels_that_are_no_errors_are_found() {
        assert_eq!(only(&[], &["OLD", "NEW", "NONE"]).unmarked_labels(&program(PROGRAM)), ["NEW"]);
    }

    #[test]
    fn only_what_counts_is_left_and_the_rest_stays() {
        for seed in 0..200 {
            let before = random_program(seed, Size::default());
            let specification = Specification { labels: Vec::new(), ..Specification::default() };
            let after = select(before.clone(), &specification);
            assert!(hardbop_ir::verify(&after).is_empty());
            for (id, procedure) in after.procedures.iter() {
                for (edge_id, edge) in procedure.edges.iter() {
                    match &edge.statement {
                        Statement::Error(property) => assert!(specification.counts(property)),
                        Statement::Skip | Statement::Halt(Halt::Abort) => {}
                        other => assert_eq!(
                            Some(other),
                            before.procedures[id].edges.get(edge_id).map(|e| &e.statement)
                        ),
                    }
                }
            }
        }
    }

    #[test]
    fn specifications_are_property_files() {
        let text = "CHECK( init(start()), LTL(G ! call(f())) )\nCHECK( init(start()), LTL(G ! label(L)) )\n";
        let specification = Specification { entry: "start".into(), ..only(&["f"], &["L"]) };
        assert_eq!(specification.property_file(), text);
        let read = crate::prp::parse(Id::from_usize(0), text).unwrap();
        assert_eq!(read.specification(), Ok(specification));
    }
}
