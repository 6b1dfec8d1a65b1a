//! What memory holds at the start is written once, and is the same each time.

use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, DataModel};
use hardbop_semantics::{Encoder, Frame, State, Subject};
use hardbop_shadow::lowered;

/// Globals that share their memory with what is allocated, and a table of its own.
const TEXT: &str = "extern void *malloc(unsigned long); extern int __VERIFIER_nondet_int(void);
    struct node { int value; struct node *next; };
    struct node first = { 3, 0 }, second = { 4, &first };
    int table[4] = { 1, 2, 3 };
    double scales[3] = { 0.5, 1.5 };
    int main(void) {
        struct node *at = &second;
        if (__VERIFIER_nondet_int()) at = malloc(sizeof(struct node));
        int i = __VERIFIER_nondet_int();
        return at->value + (at->next != 0) + table[i] + (scales[i] > 1.0);
    }";

#[test]
fn a_program_starts_the_same_way_again() {
    let program = lowered(TEXT, DataModel::Lp64).expect("a program");
    let budget = Budget::unlimited();
    let alias = Alias::of(&program, &budget).expect("no limit");
    let regions = Regions::of(&program, &alias, &[], &budget).expect("no limit");
    let subject = Subject { program: &program, alias: &alias, regions: &regions };
    let mut encoder = Encoder::default();
    let mut start = |before: usize| {
        encoder.restart_names();
        let mut coder = encoder.on(subject);
        for _ in 0..before {
            coder.arbitrary(hardbop_logic::Sort::Bool);
        }
        let mut state = State::new(Frame::ONLY);
        coder.initialise(&mut state, &mut Vec::new());
        (state.written(), coder.encoder.drawn() - before)
    };
    let first = start(0);
    assert!(!first.0.is_empty());
    assert_eq!(start(0), first);
    // What is arbitrary at the start is nothing that was arbitrary before.
    assert_eq!(start(2).1, first.1);
    assert_eq!(start(0), first);
    let fresh = {
        let mut other = Encoder::default();
        let mut state = State::new(Frame::ONLY);
        other.on(subject).initialise(&mut state, &mut Vec::new());
        state.written().len()
    };
    assert_eq!(fresh, first.0.len());
}
