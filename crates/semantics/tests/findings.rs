//! What following runs has found, one program each: the run must be allowed, whatever the storage that was
//! never written holds.

use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, DataModel};
use hardbop_semantics::Subject;
use hardbop_shadow::{Draws, follow, lowered};

fn check(text: &str) {
    for model in [DataModel::Lp64, DataModel::Ilp32] {
        let program = lowered(text, model).expect("a program");
        let budget = Budget::unlimited();
        let alias = Alias::of(&program, &budget).expect("no limit");
        let regions = Regions::of(&program, &alias, &[], &budget).expect("no limit");
        let subject = Subject { program: &program, alias: &alias, regions: &regions };
        for (seed, interval) in [(0, 1), (1, 1), (0, 20), (1, 20)] {
            follow(subject, &mut Draws::new(seed), 10_000, interval, &mut ())
                .unwrap_or_else(|e| panic!("{}, seed {seed}, interval {interval}: {e}", model.name()));
        }
    }
}

#[test]
fn a_result_in_memory_is_new_in_each_activation() {
    check(
        "struct pair { int a, b; };
         struct pair make(int set) { if (set) { struct pair p = {1, 2}; return p; } }
         int main(void) { struct pair x = make(1); x = make(0); return x.a; }",
    );
}
