//! Bit-fields.

use super::*;
use crate::{BitRange, Field, Record, RecordKind, Type};

/// `struct { unsigned a:3; int b:7; unsigned long c:40; _Bool d:1; }` laid out as gcc does.
fn bits_record(b: &mut Builder) -> TypeId {
    let (unsigned, long, bool) = (b.p.machine(32, false), b.p.machine(64, false), b.p.machine(8, false));
    let field = |name: &str, ty, offset, first, width| Field {
        name: name.into(),
        ty,
        offset,
        bits: Some(BitRange { first, width }),
    };
    let record = b.p.records.push(Record {
        name: "bits".into(),
        kind: RecordKind::Struct,
        fields: vec![
            field("a", unsigned, 0, 0, 3),
            field("b", b.int, 0, 3, 7),
            field("c", long, 1, 2, 40),
            field("d", bool, 6, 2, 1),
        ],
        size: 8,
        align: 8,
        span: Span::none(),
    });
    b.p.intern_type(Type::Record(record))
}

#[test]
fn bit_fields_share_bytes() {
    let mut b = Builder::new();
    let ty = bits_record(&mut b);
    let g = b.global("g", ty);
    let place = b.p.var_place(g);
    let fields: Vec<PlaceId> = (0..4).map(|n| b.p.field(place, n)).collect();
    for (i, &field) in fields.iter().enumerate() {
        let ty = b.p.place(field).ty;
        let value = b.p.int([13, 64, 0xff12_3456_789a, 3][i], ty);
        b.store(field, value);
    }
    // a = 5, b = -64, c = 0x_1234_5678_9a of 40 bits, d = 1
    let long = b.p.machine(64, true);
    let x = b.local("x", long);
    let mut sum = b.p.int(0, long);
    for (&field, factor) in fields.iter().zip([1, 1000, 1_000_000, 100]) {
        let value = b.p.load(field);
        let value = b.p.cast(value, long);
        let factor = b.p.int(factor, long);
        let value = b.bin(BinaryOp::Mul, value, factor);
        sum = b.bin(BinaryOp::Add, sum, value);
    }
    b.set(x, sum);
    let expected = 5 - 64_000 + 0x12_3456_789a * 1_000_000 + 100;
    let expected = b.p.int(expected, long);
    let vx = b.var(x);
    let same = b.bin(BinaryOp::Eq, vx, expected);
    let same = b.p.cast(same, b.int);
    b.check(same, 1);
}

#[test]
fn bit_fields_of_uninitialised_bytes_are_fixed() {
    let mut b = Builder::new();
    let ty = bits_record(&mut b);
    let x = b.local("x", ty);
    let place = b.p.var_place(x);
    let (fa, fb) = (b.p.field(place, 0), b.p.field(place, 1));
    let unsigned = b.p.place(fa).ty;
    let two = b.p.int(2, unsigned);
    // Storing a needs the rest of its byte: bits 3 to 7 are the low bits of b.
    b.store(fa, two);
    let value = b.p.load(fb);
    b.ret(value);
    // First byte 0xff (b's low five bits are 1), then the two bytes that b lies in: the missing one
    // has 0 in b's high bits.
    let run = b.run(&[0xff, 0x00ab]);
    assert_eq!(run.outcome, Outcome::Returned(0x1f));
    assert_eq!(run.draws.iter().map(|d| d.width).collect::<Vec<_>>(), [8, 16]);
}
