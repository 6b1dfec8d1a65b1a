//! All programs of a tiny shape: a global, a local, a procedure with one formal and one result.
//!
//! The statements are chosen so that each construct of the language meets each other one.

/// Statements of `main`, over the global `g`, the local `l`, the procedure `f` and labels `A`, `B`.
const STATEMENTS: [&str; 16] = [
    "skip",
    "g := T",
    "g := !g",
    "l := g",
    "g := *",
    "g, l := l, g",
    "g := schoose[l, g]",
    "l := * constrain 'l => g",
    "assume(l)",
    "abortif g = l",
    "dead l",
    "if (l) then g := F fi",
    "while (g != l) do g := * od",
    "goto A, B",
    "g := f(l)",
    "l := f(* & g)",
];

/// Bodies of `f`, over its formal `x` and the global `g`.
const BODIES: [&str; 8] = [
    "return x;",
    "return * | !g;",
    "g := x;",
    "if (x) then g := f(!x); fi return g;",
    "enforce x | g; g := !g; return T;",
    "g, x := x, g; return g ^ x;",
    "assert(x => g); return F;",
    "while (*) do g := f(g); x := !x; od",
];

/// Clauses at the top of `main`.
const HEADS: [&str; 2] = ["", "enforce g | l;"];

/// All programs whose `main` has `length` statements before its assertion: 16 · 16^`length` texts.
pub fn tiny(length: u32) -> impl Iterator<Item = String> {
    let mains = STATEMENTS.len().pow(length);
    (0..HEADS.len() * BODIES.len() * mains).map(move |code| {
        let (head, code) = (HEADS[code % HEADS.len()], code / HEADS.len());
        let (body, mut code) = (BODIES[code % BODIES.len()], code / BODIES.len());
        let mut main = String::new();
        for _ in 0..length {
            main += STATEMENTS[code % STATEMENTS.len()];
            main += "; ";
            code /= STATEMENTS.len();
        }
        format!(
            "decl g;\nbool f(x) begin {body} end\nvoid main() begin decl l; {head} A: skip; {main}B: assert(g); end\n"
        )
    })
}
