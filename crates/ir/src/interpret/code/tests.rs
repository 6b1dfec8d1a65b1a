use super::*;

#[test]
fn operations_stay_small() {
    assert!(size_of::<Op>() <= 24, "{}", size_of::<Op>());
}

#[test]
fn comparisons_hold_when_their_negations_do_not() {
    let all = [Cmp::Eq, Cmp::Ne, Cmp::Lt, Cmp::Le, Cmp::LtUnsigned, Cmp::LeUnsigned];
    let values = [0, 1, 2, u64::MAX, u64::MAX - 1, 1 << 63, (1 << 63) - 1];
    for cmp in all {
        let (negated, exchanged) = cmp.negated();
        for (a, b) in values.iter().flat_map(|&a| values.map(|b| (a, b))) {
            let (x, y) = if exchanged { (b, a) } else { (a, b) };
            assert_ne!(cmp.holds(a, b), negated.holds(x, y), "{cmp:?} {a} {b}");
        }
    }
}

#[test]
fn shapes_wrap_as_numbers_do() {
    for width in [1u16, 7, 8, 16, 31, 32, 63, 64] {
        for signed in [false, true] {
            let shape = Shape { unused: 64 - width as u8, signed };
            for value in [0, 1, 127, 128, 255, 1 << 31, u64::MAX, 1 << 63, 0x1234_5678_9abc_def0] {
                let expected = number::wrap(width, signed, i128::from(value));
                assert_eq!(shape.wrap(value), expected as u64, "{width} {signed} {value}");
            }
        }
    }
}
