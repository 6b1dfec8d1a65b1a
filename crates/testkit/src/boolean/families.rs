//! Families of boolean programs that grow in one direction each, for measurements.
//!
//! All return the text of a program; the verdict is known from the parameters.

use std::fmt::Write;

use crate::Rng;

/// The level family: `main` calls `level1` twice (safe) or once and then asserts the global `g`, which
/// every level flips. A level counts from 0 to 7 if `g` holds; else it calls the next level twice.
pub fn level_family(levels: usize, safe: bool) -> String {
    let calls = if safe { "level1(); level1();" } else { "level1();" };
    let mut text = format!("decl g;\nvoid main() begin g := T; {calls} assert(g); end\n");
    for i in 1..=levels {
        let deeper = if i < levels { format!("level{0}(); level{0}();", i + 1) } else { "skip;".to_owned() };
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "void level{i}() begin
  decl a, b, c;
  if (g) then
    a, b, c := F, F, F;
    while (!a | !b | !c) do
      if (!a) then a := T;
      elsif (!b) then a, b := F, T;
      else a, b, c := F, F, T;
      fi
    od
  else
    {deeper}
  fi
  g := !g;
end
"
        );
    }
    text
}

/// One procedure that assigns to `variables` globals, `statements` times, each time a function of the
/// variable and three neighbours of it; then asserts that a variable which nothing else reads kept its
/// value (safe), or that it is true (it need not be).
pub fn dense_family(variables: usize, statements: usize, safe: bool) -> String {
    let n = variables.max(4);
    let names: Vec<String> = (0..n).map(|i| format!("v{i}")).collect();
    let mut rng = Rng::new(variables as u64);
    let mut text = format!("decl {}, kept, copy;\nvoid main() begin\n  copy := kept;\n", names.join(", "));
    for _ in 0..statements {
        let i = rng.below(n);
        let near = |d: usize| &names[(i + d) % n];
        let (a, b, c, d) = (near(0), near(1), near(2), near(3));
        let e = match rng.below(5) {
            0 => format!("({a} & {b}) | ({c} & !{d})"),
            1 => format!("{a} ^ ({b} & {c})"),
            2 => format!("schoose[{b} & {c}, !{b} & {d}]"),
            3 => format!("{b} = ({c} | {d})"),
            _ => format!("({a} | {b}) & ({c} | {d})"),
        };
        let _ = writeln!(text, "  {a} := {e};");
    }
    let _ = writeln!(text, "  assert({});\nend", if safe { "copy = kept" } else { "kept" });
    text
}

/// A straight line of `statements` assignments over `variables` globals that pass a value around, and
/// an assertion that it arrives (safe) or that it does not.
pub fn chain_family(statements: usize, variables: usize, safe: bool) -> String {
    let n = variables.max(1);
    let names: Vec<String> = (0..n).map(|i| format!("v{i}")).collect();
    let mut text = format!("decl {};\nvoid main() begin\n  v0 := T;\n", names.join(", "));
    for i in 0..statements {
        let _ = writeln!(text, "  v{} := {}v{};", (i + 1) % n, if i % 2 == 0 { "!" } else { "" }, i % n);
    }
    // The value is negated at every other statement.
    let holds = statements.div_ceil(2).is_multiple_of(2);
    let sign = if holds == safe { "" } else { "!" };
    let _ = writeln!(text, "  assert({sign}v{});\nend", statements % n);
    text
}

/// A procedure that calls itself with a counter of `bits` bits, down to zero, and flips a global on the
/// way back: 2^`bits` − 1 times. The assertion says so (safe) or denies it.
pub fn recursion_family(bits: usize, safe: bool) -> String {
    let bits = bits.max(1);
    let names: Vec<String> = (0..bits).map(|i| format!("b{i}")).collect();
    // One less: bit i flips if all lower bits are zero.
    let args: Vec<String> = (0..bits)
        .map(|i| {
            let lower: Vec<String> = (0..i).map(|j| format!("!b{j}")).collect();
            if i == 0 { "!b0".to_owned() } else { format!("b{i} ^ ({})", lower.join(" & ")) }
        })
        .collect();
    let sign = if safe { "!" } else { "" };
    format!(
        "decl g;\nvoid down({}) begin\n  if ({}) then down({}); g := !g; fi\nend\n\
         void main() begin g := T; down({}); assert({sign}g); end\n",
        names.join(", "),
        names.join(" | "),
        args.join(", "),
        vec!["T"; bits].join(", "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boolean::explore;
    use hardbop_base::Id;
    use hardbop_bp::{Goal, load};

    fn check(text: &str, fails: bool, max_depth: usize) {
        let flow = load(text, Id::from_usize(0)).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
        assert_eq!(explore(&flow, &Goal::Assertion, max_depth).is_some(), fails, "{text}");
    }

    #[test]
    fn verdicts_are_as_promised() {
        for safe in [true, false] {
            for size in 1..4 {
                check(&level_family(size, safe), !safe, 5);
                check(&dense_family(4, 6 * size, safe), !safe, 1);
                check(&recursion_family(size, safe), !safe, 9);
            }
            for size in 0..6 {
                check(&chain_family(size, 3, safe), !safe, 1);
            }
        }
    }
}
