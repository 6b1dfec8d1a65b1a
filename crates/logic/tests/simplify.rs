//! Simplifications that others rely on, by name.

use hardbop_logic::{Model, Node, Scalar, Sort, Term, Terms, Value};
use rustc_hash::FxHashMap;

const WORD: Sort = Sort::BitVec(32);

struct Fixture {
    terms: Terms,
    x: Term,
    y: Term,
    p: Term,
    q: Term,
}

fn fixture() -> Fixture {
    let mut terms = Terms::new();
    let (x, y) = (terms.symbol("x", WORD), terms.symbol("y", WORD));
    let (p, q) = (terms.symbol("p", Sort::Bool), terms.symbol("q", Sort::Bool));
    Fixture { terms, x, y, p, q }
}

#[test]
fn names_are_unique() {
    let Fixture { mut terms, x, .. } = fixture();
    assert_eq!(terms.symbol("x", WORD), x);
    let taken = terms.symbol("t!0", WORD);
    let fresh = terms.fresh("t", WORD);
    assert_ne!(taken, fresh);
    assert_eq!(terms.symbol_name(fresh), Some("t!1"));
}

#[test]
#[should_panic(expected = "symbol `x` is of sort (_ BitVec 32), not Int")]
fn names_have_one_sort() {
    fixture().terms.symbol("x", Sort::Int);
}

#[test]
fn sums_have_a_normal_form() {
    let Fixture { terms: mut t, x, y, .. } = fixture();
    let four = t.bv(4, 32);
    let once = t.bv_add(x, four);
    let twice = t.bv_add(once, four);
    let eight = t.bv(8, 32);
    assert_eq!(twice, t.bv_add(eight, x));
    assert_eq!(t.bv_sub(twice, x), eight);
    let (sum, reverse) = (t.bv_add(twice, y), t.bv_add(y, twice));
    assert_eq!(sum, reverse);
    let different = t.eq(once, twice);
    assert_eq!(t.as_bool(different), Some(false));
    let (complement, minus_one) = (t.bv_not(x), t.bv(u128::MAX, 32));
    assert_eq!(t.bv_add(x, complement), minus_one);
    assert_eq!(t.bv_not(complement), x);
}

#[test]
fn aligned_addresses_differ_from_unaligned_ones() {
    let Fixture { terms: mut t, x, y, .. } = fixture();
    let (four, one) = (t.bv(4, 32), t.bv(1, 32));
    let (a, b) = (t.bv_mul(four, x), t.bv_mul(y, four));
    let b = t.bv_add(b, one);
    let same = t.eq(a, b);
    assert_eq!(t.as_bool(same), Some(false));
}

#[test]
fn truth_values_of_c_vanish() {
    let Fixture { terms: mut t, p, q, .. } = fixture();
    let (one, zero) = (t.bv(1, 32), t.bv(0, 32));
    let value = t.ite(p, one, zero);
    assert_eq!(t.eq(value, one), p);
    assert_eq!(t.ne(value, zero), p);
    let other = t.ite(q, one, zero);
    let both = t.bv_and(value, other);
    assert_eq!(t.ne(both, zero), t.and(&[p, q]));
    let wide = t.sign_extend(64, value);
    let wide_zero = t.bv(0, 64);
    let positive = t.bv_slt(wide_zero, wide);
    assert_eq!(positive, p);
}

#[test]
fn conjunctions_are_sets() {
    let Fixture { terms: mut t, p, q, .. } = fixture();
    let not_p = t.not(p);
    let both = t.and(&[q, p]);
    assert_eq!(t.and(&[p, q, both]), both);
    let (contradiction, tautology) = (t.and(&[both, not_p]), t.or(&[p, q, not_p]));
    assert_eq!((t.as_bool(contradiction), t.as_bool(tautology)), (Some(false), Some(true)));
    let either = t.or(&[p, q]);
    assert_eq!(t.and(&[either, p]), p);
    assert_eq!(t.and(&[either, not_p]), t.and(&[not_p, q]));
    let implication = t.implies(p, q);
    assert_eq!(t.and(&[p, implication]), both);
}

#[test]
fn integers_are_compared_by_their_difference() {
    let mut t = Terms::new();
    let (x, y, one) = (t.symbol("x", Sort::Int), t.symbol("y", Sort::Int), t.int(1));
    let next = t.int_add(x, one);
    let less = t.int_lt(x, y);
    assert_eq!(t.int_le(next, y), less);
    let not_less = t.not(less);
    assert_eq!(t.int_le(y, x), not_less);
    let (two, seven) = (t.int(2), t.int(7));
    let double = t.int_mul(two, x);
    let odd = t.eq(double, seven);
    assert_eq!(t.as_bool(odd), Some(false));
    let three = t.int(3);
    assert_eq!(t.int_le(double, seven), t.int_le(x, three));
}

#[test]
fn large_integers_are_left_alone() {
    let mut t = Terms::new();
    let (x, max, one) = (t.symbol("x", Sort::Int), t.int(i128::MAX), t.int(1));
    let sum = t.int_add(max, one);
    assert!(matches!(t.node(sum), Node::IntSum(_)));
    let far = t.int_add(x, max);
    let further = t.int_add(far, max);
    let model = Model::default();
    assert_eq!(t.try_evaluate(far, &model), Some(Value::Int(i128::MAX)));
    assert_eq!(t.try_evaluate(further, &model), None);
    assert_eq!(t.evaluate(further, &model), Value::Int(i128::MAX));
    let min = t.int(i128::MIN);
    let negated = t.int_neg(min);
    assert_eq!(t.try_evaluate(negated, &model), None);
    let le = t.int_le(min, x);
    assert_eq!(t.try_evaluate(le, &model), Some(Value::Bool(true)));
}

#[test]
fn reads_look_through_writes() {
    let Fixture { terms: mut t, x, y, p, .. } = fixture();
    let memory = t.symbol("m", Sort::Array(Scalar::BitVec(32), Scalar::BitVec(8)));
    let (a, b, four) = (t.bv(1, 8), t.bv(2, 8), t.bv(4, 32));
    let after = t.bv_add(x, four);
    let written = t.store(memory, x, a);
    let written = t.store(written, after, b);
    assert_eq!(t.select(written, x), a);
    assert_eq!(t.select(written, after), b);
    let elsewhere = t.select(written, y);
    assert!(matches!(t.node(elsewhere), Node::Select(..)));
    let again = t.store(written, x, b);
    let direct = t.store(memory, after, b);
    assert_eq!(again, t.store(direct, x, b));
    let read = t.select(memory, x);
    assert_eq!(t.store(memory, x, read), memory);
    let chosen = t.ite(p, written, memory);
    assert_eq!(t.select(chosen, x), t.ite(p, a, read));
}

#[test]
fn slices_compose() {
    let Fixture { terms: mut t, x, .. } = fixture();
    let bytes: Vec<Term> = (0..4).map(|i| t.extract(8 * i + 7, 8 * i, x)).collect();
    let high = t.concat(bytes[3], bytes[2]);
    let low = t.concat(bytes[1], bytes[0]);
    assert_eq!(t.concat(high, low), x);
    let (eight, mask) = (t.bv(8, 32), t.bv(255, 32));
    let shifted = t.bv_lshr(x, eight);
    let second = t.bv_and(shifted, mask);
    assert_eq!(second, t.zero_extend(32, bytes[1]));
    assert_eq!(t.extract(7, 0, second), bytes[1]);
    let wide = t.sign_extend(64, bytes[0]);
    let half = t.extract(31, 0, wide);
    assert_eq!(half, t.sign_extend(32, bytes[0]));
    let one = t.bv(1, 32);
    let (promoted, narrow_one) = (t.zero_extend(32, bytes[0]), t.bv(1, 8));
    let sum = t.bv_add(promoted, one);
    assert_eq!(t.extract(7, 0, sum), t.bv_add(bytes[0], narrow_one));
}

#[test]
fn substitution_is_simultaneous() {
    let Fixture { terms: mut t, x, y, .. } = fixture();
    let one = t.bv(1, 32);
    let sum = t.bv_add(x, one);
    let less = t.bv_slt(sum, y);
    let map = FxHashMap::from_iter([(x, y), (y, x)]);
    let swapped = t.substitute(less, &map);
    let sum = t.bv_add(y, one);
    assert_eq!(swapped, t.bv_slt(sum, x));
    assert_eq!(t.symbols(swapped), vec![x, y]);
}

/// Depth is no problem, whatever the operators.
#[test]
fn deep_terms() {
    const DEPTH: usize = 100_000;
    let Fixture { terms: mut t, x, y, p, .. } = fixture();
    let memory = t.symbol("m", Sort::Array(Scalar::BitVec(32), Scalar::BitVec(32)));
    let (mut sum, mut choice, mut xor, mut array, mut all) = (x, x, x, memory, p);
    for i in 0..DEPTH {
        let number = t.bv(i as u128 | 1, 32);
        sum = t.bv_mul(sum, sum);
        sum = t.bv_add(sum, number);
        let condition = t.eq(y, number);
        choice = t.ite(condition, number, choice);
        xor = t.bv_xor(xor, number);
        xor = t.bv_add(xor, number);
        array = t.store(array, xor, sum);
        let member = t.bv_ule(sum, choice);
        let not = t.not(all);
        all = if i % 2 == 0 { t.and(&[all, member]) } else { t.or(&[not, member]) };
    }
    let seven = t.bv(7, 32);
    let equalities = [sum, choice, xor].map(|deep| t.eq(deep, seven));
    let read = t.select(array, y);
    let last = t.eq(read, seven);
    let whole = t.and(&[equalities[0], equalities[1], equalities[2], last, all]);
    let before = t.evaluate(whole, &Model::default());
    let z = t.fresh("z", WORD);
    let replaced = t.substitute(whole, &FxHashMap::from_iter([(x, z)]));
    let zero = t.bv(0, 32);
    let back = t.substitute(whole, &FxHashMap::from_iter([(x, zero), (y, zero)]));
    assert_eq!(t.evaluate(back, &Model::default()), before);
    assert_eq!(t.symbols(replaced), vec![y, p, memory, z]);
}
