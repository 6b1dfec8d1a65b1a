//! Loops over arrays: fills, copies, searches, in one or two dimensions, up to bounds that come from inputs.

use crate::random::case::{Case, HEADER, Writer};

/// The length of all arrays. Bounds are at most that.
const LENGTH: u64 = 8;

/// How elements of an array are written: before the index, and behind it.
type Array = (&'static str, &'static str);

/// A program about loops over arrays.
pub fn loops(mut w: Writer) -> Case {
    let mut text = HEADER.to_owned();
    let ty = w.pick(&["int", "unsigned", "short", "signed char", "unsigned char", "long long"]);
    w.line(format!("struct pair {{ {ty} u; short v; }};"));
    let storage = w.pick(&["", "static "]);
    let global = w.one_in(2);
    let declarations =
        [format!("{ty} a[{LENGTH}];"), format!("{ty} b[{LENGTH}];"), format!("struct pair c[{LENGTH}];")];
    let table = format!("{ty} t[4][{LENGTH}];");
    if global {
        declarations.iter().chain([&table]).for_each(|line| w.line(format!("{storage}{line}")));
    }
    helper(&mut w, ty);
    w.main(&["x", "y"]);
    if !global {
        declarations.iter().chain([&table]).for_each(|line| w.line(line.clone()));
        w.line(
            "memset(a, 0, sizeof a); memset(b, 1, sizeof b); memset(c, 0, sizeof c); memset(t, 0, sizeof t);",
        );
    }
    let bound = w.at_most("x", LENGTH);
    w.line(format!("int n = {bound}, i, j;"));
    w.line(format!("{ty} m = 0;"));
    for _ in 0..2 + w.below(3) {
        step(&mut w);
        if w.one_in(3) {
            observe(&mut w);
        }
    }
    observe(&mut w);
    observe(&mut w);
    w.end();
    text += &w.take();
    Case { kind: "loops", files: vec![text], inputs: 2, range: w.range, layout: false }
}

/// A function that changes an array that it is given.
fn helper(w: &mut Writer, ty: &str) {
    w.line(format!("static int change({ty} *p, int n, int k) {{"));
    w.line("int i, found = -1;");
    w.line("for (i = 0; i < n; i++) {");
    match w.below(3) {
        0 => w.line("p[i] = k;"),
        1 => w.line("if (p[i] == k) found = i;"),
        _ => w.line("if (p[i] > k) p[i] = k;"),
    }
    w.line("}");
    w.line("return found;");
    w.line("}");
}

fn array(w: &mut Writer) -> Array {
    [("a[", "]"), ("b[", "]"), ("c[", "].u"), ("c[", "].v")][w.below(4) as usize]
}

/// The head of a loop over `i`.
fn head(w: &mut Writer) -> &'static str {
    w.pick(&[
        "for (i = 0; i < n; i++) {",
        "for (i = 0; i < n; i++) {",
        "for (i = n - 1; i >= 0; i--) {",
        "for (i = 1; i < n; i++) {",
        "for (i = 0; i < n; i += 2) {",
        "for (i = 0; i < 8; i++) {",
        "for (i = 0; i + 1 < n; i++) {",
    ])
}

fn element((before, behind): Array, index: &str) -> String {
    format!("{before}{index}{behind}")
}

fn step(w: &mut Writer) {
    let (one, other) = (array(w), array(w));
    let (at, number) = (w.at_most("y", LENGTH - 1), w.below(5));
    match w.below(9) {
        0 => return w.line(format!("{} = {number};", element(one, &at))),
        1 => {
            let passed = w.pick(&["a", "b"]);
            return w.line(format!("m = change({passed}, n, {number});"));
        }
        2 => {
            w.line("for (i = 0; i < 4; i++) {");
            w.line("for (j = 0; j < n; j++) {");
            let value = w.pick(&["i", "j", "y", "3", "i + j"]);
            w.line(format!("t[i][j] = {value};"));
            w.line("}");
            return w.line("}");
        }
        _ => {}
    }
    let head = head(w);
    w.line(head);
    let own = element(one, "i");
    match w.below(6) {
        0 => {
            let value = w.pick(&["i", "y", "7", "2 * i", "x + y"]);
            w.line(format!("{own} = {value};"));
        }
        1 => w.line(format!("{own} = {};", element(other, "i"))),
        2 => w.line(format!("if ({own} > {number}) {own} = {number};")),
        3 => w.line(format!("if ({own} > m) m = {own};")),
        4 => w.line(format!("{own} = {};", element(other, "7 - i"))),
        _ => w.line(format!("{own} = i == y ? {number} : {};", element(other, "i"))),
    }
    w.line("}");
}

fn observe(w: &mut Writer) {
    let (one, other) = (array(w), array(w));
    let at = w.at_most("y", LENGTH - 1);
    if w.one_in(3) {
        let text = match w.below(3) {
            0 => format!("t[{}][{at}]", w.below(4)),
            1 => "m".to_owned(),
            _ => element(one, &at),
        };
        return w.check(text);
    }
    w.line("for (i = 0; i < n; i++) {");
    let text = match w.below(4) {
        0 => format!("{} == {}", element(one, "i"), element(other, "i")),
        1 => format!("{} <= m", element(one, "i")),
        _ => element(one, "i"),
    };
    w.check(text);
    w.line("}");
}
