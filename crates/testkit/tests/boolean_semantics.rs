//! The meaning of each construct of boolean programs, by the reference explorer: which assertions can
//! fail and which labels can be reached. Each case is the body of `main` over two globals.

use hardbop_base::Id;
use hardbop_bp::{Goal, load, replay};
use hardbop_testkit::boolean::explore;

const PROCEDURES: &str = "
decl g, h;
bool id(a) begin return a; end
bool<2> swap(a, b) begin return b, a; end
bool lost() begin end
void flip() begin g := !g; end
void only_g() begin enforce g; flip(); flip(); end
void breaks() begin enforce g; g := F; end
void free() begin enforce *; g := F; end
void down(a) begin if (a) then down(!a); else g := !g; fi end
";

fn reachable(main: &str, goal: &Goal) -> bool {
    let text = format!("{PROCEDURES}\nvoid main() begin {main} end");
    let flow = load(&text, Id::from_usize(0)).unwrap_or_else(|errors| panic!("{main}: {errors:?}"));
    let trace = explore(&flow, goal, 6);
    if let Some(trace) = &trace {
        replay(&flow, trace, goal).unwrap_or_else(|e| panic!("{main}: {e}"));
    }
    trace.is_some()
}

#[test]
fn programs_that_fail() {
    for main in [
        "assert(g);",
        "decl l; assert(l);",
        "g := *; assert(g);",
        "assert(*);",
        "assert(* | !*);",
        "assert(* = *);",
        "g := schoose[F, F]; assert(g);",
        "g := schoose[F, F]; assert(!g);",
        "g := T; dead g; assert(g);",
        "g := T; abortif *; assert(!g);",
        "g := T; if (*) then g := F; fi assert(g);",
        "g := T; while (*) do g := !g; od assert(g);",
        "g := lost(); assert(g);",
        "g := T; down(T); assert(g);",
        "g, h := *, * constrain 'g | 'h; assert(g & h);",
        "h := * constrain 'g; assert(h);",
        "g := T; free(); assert(g);",
        "g := T; goto A, B; A: g := F; B: assert(g);",
        "g := T; while (g) do decl l; assert(l); l := T; od",
    ] {
        assert!(reachable(main, &Goal::Assertion), "{main}");
    }
}

#[test]
fn programs_that_cannot_fail() {
    for main in [
        "skip;",
        "g := T; assert(g);",
        "assert(* | T);",
        "g := schoose[T, T]; assert(g);",
        "g := schoose[F, T]; assert(!g);",
        "g, h := h, g; g, h := T, g; assert(g);",
        "g, h := g, !g; assert(g != h);",
        "g := F; while (!g) do g := *; od assert(g);",
        "assume(g); assert(g);",
        "assume(F); assert(F);",
        "abortif T; assert(F);",
        "abortif !g; assert(g);",
        "g := T constrain F; assert(F);",
        "g := * constrain 'g = !g; g := * constrain 'g = !g; assert(T);",
        "h := T; g := * constrain 'h => 'g; assert(g);",
        "g := id(h); assert(g = h);",
        "g, h := T, F; g, h := swap(g, h); assert(!g & h);",
        "g := T; _, g := swap(g, F); assert(g);",
        "g := T; flip(); flip(); assert(g);",
        "only_g(); assert(g);",
        "g := T; only_g(); assert(g);",
        "breaks(); assert(F);",
        "g := T; while (T) do skip; od assert(F);",
        "enforce g; g := *; assert(g);",
        "enforce g; flip(); assert(F);",
        "enforce g; flip(); flip(); assert(g);",
        "g := T; goto E; g := F; E: assert(g);",
        "return; assert(F);",
    ] {
        assert!(!reachable(main, &Goal::Assertion), "{main}");
    }
}

#[test]
fn labels_are_reached_where_they_stand() {
    let cases = [
        ("if (F) then L: fi", false),
        ("while (F) do L: od", false),
        ("while (*) do skip; L: od", true),
        ("L: assume(F);", true),
        ("assume(F); L: ", false),
        ("goto L; assume(F); M: L: skip;", true),
        ("enforce F; L: skip;", false),
        ("assert(F); L: skip;", false),
    ];
    for (main, expected) in cases {
        assert_eq!(reachable(main, &Goal::Label("L".to_owned())), expected, "{main}");
    }
}
