//! What is an error, and how it is told.

use super::*;

fn messages(text: &str, wanted: &Expect) {
    let (_, messages) = read(&program(), text);
    wanted.assert_eq(&messages);
}

#[test]
fn errors_in_names() {
    messages(
        "global: i == 0, nowhere == x, return == 0, count, ::nobody, \"x$7\";
proc change: n == 0, long_array[0] == 1, count == 1;
proc nobody: x; proc 5: x;
",
        &expect![[r#"
            t.preds:1:9: error: `i` is not a global; for the one of `change` write `proc change:`
                global: i == 0, nowhere == x, return == 0, count, ::nobody, "x$7";
                        ^
            t.preds:1:17: error: `nowhere` is not known here: it is no variable of this scope that the program uses, and macros, enumerators and typedef names are not known in predicates
                global: i == 0, nowhere == x, return == 0, count, ::nobody, "x$7";
                                ^~~~~~~
            t.preds:1:31: error: `return` is the result of a procedure; write `proc NAME:` before its predicates
                global: i == 0, nowhere == x, return == 0, count, ::nobody, "x$7";
                                              ^~~~~~
            t.preds:1:44: error: `count` is not known here; did you mean the static variable `get$count`?
                global: i == 0, nowhere == x, return == 0, count, ::nobody, "x$7";
                                                           ^~~~~
            t.preds:1:53: error: `nobody` is not known here: it is no variable of this scope that the program uses, and macros, enumerators and typedef names are not known in predicates
                global: i == 0, nowhere == x, return == 0, count, ::nobody, "x$7";
                                                                    ^~~~~~
            t.preds:1:61: error: `x$7` is not known here: it is no variable of this scope that the program uses, and macros, enumerators and typedef names are not known in predicates
                global: i == 0, nowhere == x, return == 0, count, ::nobody, "x$7";
                                                                            ^~~~~
            t.preds:2:14: error: `n` is ambiguous; write `"n"` for the one of test.c:23:16, or `n$2` for the one of test.c:28:11
                proc change: n == 0, long_array[0] == 1, count == 1;
                             ^
            t.preds:2:22: error: `long_array` is a variable-length array; `long_array$address` is the address of its first element
                proc change: n == 0, long_array[0] == 1, count == 1;
                                     ^~~~~~~~~~
            t.preds:2:42: error: `count` is not known here; did you mean the static variable `get$count`?
                proc change: n == 0, long_array[0] == 1, count == 1;
                                                         ^~~~~
            t.preds:3:6: error: the program has no procedure `nobody`
                proc nobody: x; proc 5: x;
                     ^~~~~~
            t.preds:3:22: error: expected the name of a procedure, found `5`
                proc nobody: x; proc 5: x;
                                     ^
        "#]],
    );
}

/// Length: one text with many errors, and all messages.
#[test]
fn errors_in_types() {
    messages(
        "global: table[0] == table[1], p + p, head->nothing, x.y, p.y, x->y, *x, &5 == p, &head->flags == p,
  head + head, p * 2, x[y], p == 3, p % 2, ~f, f % 2, f & 1, (struct node)x == 1, (struct nobody *)p, (float)p,
  (void)x, sizeof(head->flags), -p, +p, fp + f, x ? p : y, *v, head->#9, p < f, (int (*)[4])v, (enum e)x,
  (_BitInt(99))x, (_BitInt(40) *)v, (unsigned float)x, m == 1.0, table[0], d << 1;
proc get: &n == p;
",
        &expect![[r#"
            t.preds:1:18: error: a value of type struct node is no number, pointer or truth value
                global: table[0] == table[1], p + p, head->nothing, x.y, p.y, x->y, *x, &5 == p, &head->flags == p,
                                 ^~
            t.preds:1:33: error: two pointers are added
                global: table[0] == table[1], p + p, head->nothing, x.y, p.y, x->y, *x, &5 == p, &head->flags == p,
                                                ^
            t.preds:1:44: error: struct node has no member `nothing`
                global: table[0] == table[1], p + p, head->nothing, x.y, p.y, x->y, *x, &5 == p, &head->flags == p,
                                                           ^~~~~~~
            t.preds:1:55: error: a value of type int has no members
                global: table[0] == table[1], p + p, head->nothing, x.y, p.y, x->y, *x, &5 == p, &head->flags == p,
                                                                      ^
            t.preds:1:60: error: a pointer has no members; write `->` (int *)
                global: table[0] == table[1], p + p, head->nothing, x.y, p.y, x->y, *x, &5 == p, &head->flags == p,
                                                                           ^
            t.preds:1:64: error: a value of type int does not point to anything
                global: table[0] == table[1], p + p, head->nothing, x.y, p.y, x->y, *x, &5 == p, &head->flags == p,
                                                                               ^~
            t.preds:1:69: error: a value of type int does not point to anything
                global: table[0] == table[1], p + p, head->nothing, x.y, p.y, x->y, *x, &5 == p, &head->flags == p,
                                                                                    ^
            t.preds:1:73: error: only an object has an address
                global: table[0] == table[1], p + p, head->nothing, x.y, p.y, x->y, *x, &5 == p, &head->flags == p,
                                                                                        ^
            t.preds:1:82: error: a bit-field has no address
                global: table[0] == table[1], p + p, head->nothing, x.y, p.y, x->y, *x, &5 == p, &head->flags == p,
                                                                                                 ^
            t.preds:2:8: error: two pointers are added
                  head + head, p * 2, x[y], p == 3, p % 2, ~f, f % 2, f & 1, (struct node)x == 1, (struct nobody *)p
                       ^
            t.preds:2:18: error: a value of type int * is no number
                  head + head, p * 2, x[y], p == 3, p % 2, ~f, f % 2, f & 1, (struct node)x == 1, (struct nobody *)p
                                 ^
            t.preds:2:24: error: neither an array nor a pointer is subscripted here
                  head + head, p * 2, x[y], p == 3, p % 2, ~f, f % 2, f & 1, (struct node)x == 1, (struct nobody *)p
                                       ^
            t.preds:2:31: error: a value of type int and a value of type int * do not go together; convert one of them
                  head + head, p * 2, x[y], p == 3, p % 2, ~f, f % 2, f & 1, (struct node)x == 1, (struct nobody *)p
                                              ^~
            t.preds:2:39: error: a value of type int * is no number
                  head + head, p * 2, x[y], p == 3, p % 2, ~f, f % 2, f & 1, (struct node)x == 1, (struct nobody *)p
                                                      ^
            t.preds:2:44: error: `~` does not apply to a value of type float
                  head + head, p * 2, x[y], p == 3, p % 2, ~f, f % 2, f & 1, (struct node)x == 1, (struct nobody *)p
                                                           ^
            t.preds:2:50: error: this operator does not apply to values of type float
                  head + head, p * 2, x[y], p == 3, p % 2, ~f, f % 2, f & 1, (struct node)x == 1, (struct nobody *)p
                                                                 ^
            t.preds:2:57: error: this operator does not apply to values of type float
                  head + head, p * 2, x[y], p == 3, p % 2, ~f, f % 2, f & 1, (struct node)x == 1, (struct nobody *)p, (flo
                                                                        ^
            t.preds:2:62: error: a value of type int cannot be converted to type struct node
                  head + head, p * 2, x[y], p == 3, p % 2, ~f, f % 2, f & 1, (struct node)x == 1, (struct nobody *)p, (float)p,
                                                                             ^
            t.preds:2:91: error: the program uses no struct `nobody`
                  head + head, p * 2, x[y], p == 3, p % 2, ~f, f % 2, f & 1, (struct node)x == 1, (struct nobody *)p, (float)p,
                                                                                                          ^~~~~~
            t.preds:2:103: error: a value of type int * cannot be converted to type float
                , f & 1, (struct node)x == 1, (struct nobody *)p, (float)p,
                                                                  ^
            t.preds:3:3: error: a value of type int cannot be converted to type void
                  (void)x, sizeof(head->flags), -p, +p, fp + f, x ? p : y, *v, head->#9, p < f, (int (*)[4])v, (enum
                  ^
            t.preds:3:12: error: a bit-field has no size
                  (void)x, sizeof(head->flags), -p, +p, fp + f, x ? p : y, *v, head->#9, p < f, (int (*)[4])v, (enum
                           ^~~~~~
            t.preds:3:33: error: `-` does not apply to a value of type int *
                  (void)x, sizeof(head->flags), -p, +p, fp + f, x ? p : y, *v, head->#9, p < f, (int (*)[4])v, (enum
                                                ^
            t.preds:3:37: error: `+` does not apply to a value of type int *
                  (void)x, sizeof(head->flags), -p, +p, fp + f, x ? p : y, *v, head->#9, p < f, (int (*)[4])v, (enum
                                                    ^
            t.preds:3:44: error: a value of type float is no index
                  (void)x, sizeof(head->flags), -p, +p, fp + f, x ? p : y, *v, head->#9, p < f, (int (*)[4])v, (enum
                                                           ^
            t.preds:3:51: error: a value of type int and a value of type int * do not go together; convert one of them
                  (void)x, sizeof(head->flags), -p, +p, fp + f, x ? p : y, *v, head->#9, p < f, (int (*)[4])v, (enum
                                                                  ^
            t.preds:3:60: error: a value of type void is no number, pointer or truth value
                  (void)x, sizeof(head->flags), -p, +p, fp + f, x ? p : y, *v, head->#9, p < f, (int (*)[4])v, (enum e)x,
                                                                           ^~
            t.preds:3:70: error: struct node has only 5 members
                  (void)x, sizeof(head->flags), -p, +p, fp + f, x ? p : y, *v, head->#9, p < f, (int (*)[4])v, (enum e)x,
                                                                                     ^
            t.preds:3:76: error: a value of type float and a value of type int * do not go together; convert one of them
                  (void)x, sizeof(head->flags), -p, +p, fp + f, x ? p : y, *v, head->#9, p < f, (int (*)[4])v, (enum e)x,
                                                                                           ^
            t.preds:3:86: error: pointers to arrays and to functions cannot be written here; `@(…)` takes any type
                  (void)x, sizeof(head->flags), -p, +p, fp + f, x ? p : y, *v, head->#9, p < f, (int (*)[4])v, (enum e)x,
                                                                                                     ^
            t.preds:3:97: error: enumeration types are not known; they are int or unsigned
                  (void)x, sizeof(head->flags), -p, +p, fp + f, x ? p : y, *v, head->#9, p < f, (int (*)[4])v, (enum e)x,
                                                                                                                ^~~~
            t.preds:4:4: error: this is not a type of C, or it has a size that nothing has
                  (_BitInt(99))x, (_BitInt(40) *)v, (unsigned float)x, m == 1.0, table[0], d << 1;
                   ^~~~~~~
            t.preds:4:32: error: no object has 40 bits
                  (_BitInt(99))x, (_BitInt(40) *)v, (unsigned float)x, m == 1.0, table[0], d << 1;
                                               ^
            t.preds:4:38: error: this is not a type of C, or it has a size that nothing has
                  (_BitInt(99))x, (_BitInt(40) *)v, (unsigned float)x, m == 1.0, table[0], d << 1;
                                                     ^~~~~~~~
            t.preds:4:58: error: a value of type double and a value of type ptr [4 x i32] do not go together; convert one of them
                  (_BitInt(99))x, (_BitInt(40) *)v, (unsigned float)x, m == 1.0, table[0], d << 1;
                                                                         ^~
            t.preds:4:66: error: a value of type struct node is no number, pointer or truth value
                  (_BitInt(99))x, (_BitInt(40) *)v, (unsigned float)x, m == 1.0, table[0], d << 1;
                                                                                 ^~~~~~~~
            t.preds:4:78: error: a value of type double cannot take part in a shift
                  (_BitInt(99))x, (_BitInt(40) *)v, (unsigned float)x, m == 1.0, table[0], d << 1;
                                                                                             ^~
            t.preds:5:11: error: `n` has no address, since the program never takes it
                proc get: &n == p;
                          ^
        "#]],
    );
}

/// Length: one text with many errors, and all messages.
#[test]
fn errors_in_syntax() {
    messages(
        "locked == 1;
global x;
global: x = 1, x++, x == , (x == 1, get(1, 2) == 3, x == 1 y, a[1;
global: \"a\\q\", 'ab' == x, '' == x, 09 == x, 1.5L == d, x == 0x, 5x == 3, 1.2.3 == d, {x}, é, x == 'a;
global: @x, @(x +), @(x + ul), @(x), @(nobody), x == @(5:u8;
global: x == 3
proc get: n == 1; global: x, \"y; y
; /* open
",
        &expect![[r#"
            t.preds:1:1: error: expected `global:` or `proc NAME:`, found `locked`
                locked == 1;
                ^~~~~~
            t.preds:2:8: error: expected `:`, found `x`
                global x;
                       ^
            t.preds:3:11: error: a predicate assigns nothing; `==` compares
                global: x = 1, x++, x == , (x == 1, get(1, 2) == 3, x == 1 y, a[1;
                          ^
            t.preds:3:17: error: a predicate has no side effects
                global: x = 1, x++, x == , (x == 1, get(1, 2) == 3, x == 1 y, a[1;
                                ^~
            t.preds:3:26: error: expected an expression, found `,`
                global: x = 1, x++, x == , (x == 1, get(1, 2) == 3, x == 1 y, a[1;
                                         ^
            t.preds:3:35: error: expected `)`, found `,`
                global: x = 1, x++, x == , (x == 1, get(1, 2) == 3, x == 1 y, a[1;
                                                  ^
            t.preds:3:40: error: a predicate calls no functions
                global: x = 1, x++, x == , (x == 1, get(1, 2) == 3, x == 1 y, a[1;
                                                       ^
            t.preds:3:60: error: expected an operator, `,` or `;`, found `y`
                global: x = 1, x++, x == , (x == 1, get(1, 2) == 3, x == 1 y, a[1;
                                                                           ^
            t.preds:3:66: error: expected `]`, found `;`
                global: x = 1, x++, x == , (x == 1, get(1, 2) == 3, x == 1 y, a[1;
                                                                                 ^
            t.preds:4:9: error: the escapes in a name are \n \t \\ \" and \xHH
                global: "a\q", 'ab' == x, '' == x, 09 == x, 1.5L == d, x == 0x, 5x == 3, 1.2.3 == d, {x}, é, x == '
                        ^~~~~
            t.preds:4:16: error: no character constant: one byte, or an escape, between two `'`
                global: "a\q", 'ab' == x, '' == x, 09 == x, 1.5L == d, x == 0x, 5x == 3, 1.2.3 == d, {x}, é, x == '
                               ^
            t.preds:4:27: error: no character constant: one byte, or an escape, between two `'`
                global: "a\q", 'ab' == x, '' == x, 09 == x, 1.5L == d, x == 0x, 5x == 3, 1.2.3 == d, {x}, é, x == '
                                          ^
            t.preds:4:36: error: not a number: the suffixes are u, l, ul, ll and ull
                global: "a\q", 'ab' == x, '' == x, 09 == x, 1.5L == d, x == 0x, 5x == 3, 1.2.3 == d, {x}, é, x == '
                                                   ^~
            t.preds:4:45: error: constants of type long double are written as their bits, `@(0x…:f80)`
                global: "a\q", 'ab' == x, '' == x, 09 == x, 1.5L == d, x == 0x, 5x == 3, 1.2.3 == d, {x}, é, x == '
                                                            ^~~~
            t.preds:4:61: error: not an integer of at most 128 bits
                global: "a\q", 'ab' == x, '' == x, 09 == x, 1.5L == d, x == 0x, 5x == 3, 1.2.3 == d, {x}, é, x == 'a;
                                                                            ^~
            t.preds:4:65: error: not a number: the suffixes are u, l, ul, ll and ull
                global: "a\q", 'ab' == x, '' == x, 09 == x, 1.5L == d, x == 0x, 5x == 3, 1.2.3 == d, {x}, é, x == 'a;
                                                                                ^~
            t.preds:4:74: error: not a floating-point number
                global: "a\q", 'ab' == x, '' == x, 09 == x, 1.5L == d, x == 0x, 5x == 3, 1.2.3 == d, {x}, é, x == 'a;
                                                                                         ^~~~~
            t.preds:4:86: error: expected an expression, found `{`
                global: "a\q", 'ab' == x, '' == x, 09 == x, 1.5L == d, x == 0x, 5x == 3, 1.2.3 == d, {x}, é, x == 'a;
                                                                                                     ^
            t.preds:4:91: error: unexpected character
                global: "a\q", 'ab' == x, '' == x, 09 == x, 1.5L == d, x == 0x, 5x == 3, 1.2.3 == d, {x}, é, x == 'a;
                                                                                                          ^~
            t.preds:4:100: error: no character constant: one byte, or an escape, between two `'`
                global: "a\q", 'ab' == x, '' == x, 09 == x, 1.5L == d, x == 0x, 5x == 3, 1.2.3 == d, {x}, é, x == 'a;
                                                                                                                  ^
            t.preds:5:10: error: expected `(`, found `x`
                global: @x, @(x +), @(x + ul), @(x), @(nobody), x == @(5:u8;
                         ^
            t.preds:5:18: error: expected an expression, found `)`
                global: @x, @(x +), @(x + ul), @(x), @(nobody), x == @(5:u8;
                                 ^
            t.preds:5:21: error: `(x + ul)` has an operand of type u64
                global: @x, @(x +), @(x + ul), @(x), @(nobody), x == @(5:u8;
                                    ^~~~~~~~~
            t.preds:5:40: error: there is no variable `nobody`
                global: @x, @(x +), @(x + ul), @(x), @(nobody), x == @(5:u8;
                                                       ^~~~~~
            t.preds:5:60: error: expected an operator or `)`, found `;`
                global: @x, @(x +), @(x + ul), @(x), @(nobody), x == @(5:u8;
                                                                           ^
            t.preds:7:1: error: expected an operator, `,` or `;`, found `proc`
                proc get: n == 1; global: x, "y; y
                ^~~~
            t.preds:7:27: warning: this predicate is there already
                proc get: n == 1; global: x, "y; y
                                          ^
            t.preds:7:30: error: the quotes are not closed in this line
                proc get: n == 1; global: x, "y; y
                                             ^~~~~
            t.preds:8:3: error: this comment is not closed
                ; /* open
                  ^~~~~~~
        "#]],
    );
}

#[test]
fn warnings() {
    messages(
        "global: 1 < 2, &x != NULL, x == 1, y == 1, x == 1; global: x == 1 && false, 1 == x; proc main: x == 1;",
        &expect![[r#"
            t.preds:1:9: warning: this predicate is always true
                global: 1 < 2, &x != NULL, x == 1, y == 1, x == 1; global: x == 1 && false, 1 == x; proc main: x == 
                        ^~~~~
            t.preds:1:44: warning: this predicate is there already
                global: 1 < 2, &x != NULL, x == 1, y == 1, x == 1; global: x == 1 && false, 1 == x; proc main: x == 
                                                           ^~~~~~
        "#]],
    );
    let program = program();
    let (found, _) = read(&program, "global: x == 1, x == 1; proc main: x == 1; global: true;");
    assert_eq!(found.len(), 3);
}

#[test]
fn empty_files_and_sections() {
    let program = program();
    for text in ["", " \n", "// nothing", "global:;", "proc main: ; global: ;", "global: x,;"] {
        assert!(good(&program, text).len() < 2);
    }
}

#[test]
fn many_errors() {
    for piece in ["(,", "nobody,", "global: +;", "proc x y z;", "a[,("] {
        let text = format!("global: {}", piece.repeat(4_000));
        let (_, messages) = read(&program(), &text);
        let count = messages.lines().filter(|line| line.contains("error: ")).count();
        assert!((200..210).contains(&count), "{piece}: {count}");
        assert!(messages.contains("too many errors; the rest is not read"));
    }
}
