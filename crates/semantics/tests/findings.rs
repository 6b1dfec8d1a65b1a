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

#[test]
fn external_procedures_change_what_they_reach() {
    check(
        "extern void change(int *);
         int seen, other;
         static int hidden;
         int main(void) {
             int local = 5;
             seen = 1, other = 2, hidden = 3;
             change(&local);
             return seen + other + hidden + local;
         }",
    );
}

/// More bytes than one value has, of bit-fields that all share bytes with others.
#[test]
fn long_runs_of_packed_bit_fields() {
    check(
        "struct __attribute__((packed)) fields {
             unsigned long long a : 33, b : 45, c : 47, d : 37;
             int e : 5;
         };
         struct fields global = {1, 2, 3, 4, -5};
         int main(void) {
             struct fields x = global, y;
             x.b = 77;
             y = x;
             y.c += y.b;
             y.e = y.e * 2;
             struct fields *p = &y;
             p->d = ~0ULL;
             return y.a + y.b + y.c + p->d + y.e;
         }",
    );
}

/// More parts than are followed, next to one that is: it is read before anything is forgotten.
#[test]
fn overlapping_copies_of_many_places() {
    check(
        "typedef unsigned long size_t;
         void *memmove(void *, const void *, size_t);
         struct part { int many[600]; int one; } parts[2];
         int main(void) {
             int *all = (int *)parts;
             for (int i = 595; i < 610; i++) all[i] = i;
             parts[0].one = 7;
             memmove((struct part *)(all + 1), parts, sizeof(struct part));
             return all[600] + all[601] + parts[0].one + parts[1].many[0];
         }",
    );
}

/// Initial values of many bytes, which are read one by one.
#[test]
fn initial_values_in_large_globals_of_bytes() {
    check(
        "long long numbers[600] = {[3] = 0x0102030405060708, [599] = 0x1112131415161718};
         int main(void) {
             char *bytes = (char *)numbers;
             int sum = 0;
             for (int i = 24; i < 32; i++) sum += bytes[i];
             return sum;
         }",
    );
}
