//! Memory outside of the program.

use super::*;
use crate::Arbitrary;

/// A program that draws pointers, writes through them in turn, and returns what the first one leads to.
fn writes_through(model: DataModel, pointers: usize, kind: &Arbitrary) -> Builder {
    let mut b = Builder::for_model(model);
    let pointer = b.p.pointer_to(b.int);
    let vars: Vec<VarId> = (0..pointers).map(|_| b.temp(pointer)).collect();
    for &var in &vars {
        let place = b.p.var_place(var);
        b.havoc(place, kind.clone());
    }
    for (i, &var) in vars.iter().enumerate().skip(1) {
        let address = b.var(var);
        let (place, value) = (b.p.deref(address), b.num(i as i128));
        b.store(place, value);
    }
    let address = b.var(vars[0]);
    let place = b.p.deref(address);
    let value = b.p.load(place);
    b.ret(value);
    b
}

fn address(model: DataModel, number: u64) -> u128 {
    OutsideMemory::of(model).address(number).unwrap_or_default().into()
}

fn external() -> Arbitrary {
    Arbitrary::External("f".into())
}

#[test]
fn pointers_lead_to_one_object_or_to_two() {
    for model in [DataModel::Lp64, DataModel::Ilp32] {
        let [p, q] = [3, 4].map(|number| address(model, number));
        let run = |inputs: &[u128]| writes_through(model, 2, &external()).outcome(inputs);
        // What it holds is drawn when it is read.
        assert_eq!(run(&[p, q, 17]), Outcome::Returned(17));
        assert_eq!(run(&[p, p]), Outcome::Returned(1));
        for wrong in [p + 4, p - 4, p + 1] {
            assert!(matches!(run(&[p, wrong]), Outcome::Unsupported { .. }));
        }
        assert!(matches!(run(&[p, 0x7000_0000]), Outcome::InvalidAccess(_)));
        assert!(matches!(run(&[p, 0]), Outcome::NullDereference(_)));
    }
}

#[test]
fn only_what_was_drawn_as_a_pointer_is_there() {
    let model = DataModel::Lp64;
    let mut b = Builder::for_model(model);
    let pointer = b.p.pointer_to(b.int);
    let long = b.p.machine(64, false);
    let number = b.temp(long);
    b.nondet(number);
    let value = b.var(number);
    let value = b.p.cast(value, pointer);
    let place = b.p.deref(value);
    let value = b.p.load(place);
    b.ret(value);
    assert!(matches!(b.outcome(&[address(model, 0), 1]), Outcome::InvalidAccess(_)));
}

#[test]
fn two_types_are_two_objects() {
    let model = DataModel::Lp64;
    let mut b = Builder::for_model(model);
    let long = b.p.machine(64, true);
    for ty in [b.int, long] {
        let pointer = b.p.pointer_to(ty);
        let var = b.temp(pointer);
        b.nondet(var);
    }
    let zero = b.num(0);
    b.ret(zero);
    let program = b.build();
    let run = |inputs: [u128; 2]| run(&program, &mut ListInputs::all(inputs), Limits::default());
    let [p, q] = [0, 1].map(|number| address(model, number));
    assert!(matches!(run([p, p]).outcome, Outcome::Unsupported { .. }));
    let both = run([q, p]);
    assert_eq!(both.outcome, Outcome::Returned(0));
    assert_eq!(both.outside(&program), [p as u64, q as u64]);
}

#[test]
fn it_cannot_be_freed() {
    let model = DataModel::Lp64;
    let mut b = Builder::for_model(model);
    let pointer = b.p.pointer_to(b.int);
    let var = b.temp(pointer);
    b.nondet(var);
    let value = b.var(var);
    b.push(Statement::Free(value));
    let zero = b.num(0);
    b.ret(zero);
    assert!(matches!(b.outcome(&[address(model, 0)]), Outcome::InvalidFree(_)));
}
