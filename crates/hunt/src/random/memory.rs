//! Raw memory: bytes of typed objects by copies, fills, misaligned accesses and addresses as numbers.

use crate::random::case::{Case, HEADER, Writer};

const INTEGERS: [&str; 6] = ["char", "unsigned char", "short", "unsigned short", "int", "unsigned"];

/// An array, and what it is made of.
struct Buffer {
    name: String,
    size: u64,
}

/// A program about raw memory.
pub fn raw(mut w: Writer) -> Case {
    let mut text = HEADER.to_owned();
    w.line("struct mixed { char c; int i; short s; };");
    let mut buffers = Vec::new();
    let mut at_start = Vec::new();
    for name in ["a", "b"] {
        let (ty, size) = random_type(&mut w);
        let count = 24u64.div_ceil(size) + w.below(4);
        let total = count * size;
        match w.below(4) {
            0 => w.line(format!("{ty} {name}[{count}];")),
            1 => w.line(format!("static {ty} {name}[{count}];")),
            2 => at_start.push(format!("{ty} {name}[{count}];")),
            _ => {
                at_start.push(format!("{ty} *{name} = malloc({total});"));
                at_start.push(format!("if (!{name}) return 0;"));
            }
        }
        at_start.push(format!("memset({name}, {}, {total});", w.below(3)));
        buffers.push(Buffer { name: name.to_owned(), size: total });
    }
    w.main(&["x", "y"]);
    for line in at_start {
        w.line(line);
    }
    w.line("struct mixed m;");
    w.line("memset(&m, 3, sizeof m);");
    let steps = 2 + w.below(5);
    for _ in 0..steps {
        step(&mut w, &buffers);
        if w.one_in(3) {
            observe(&mut w, &buffers);
        }
    }
    observe(&mut w, &buffers);
    observe(&mut w, &buffers);
    w.end();
    text += &w.take();
    // What is in the padding of a record that was assigned is open.
    let layout = text.contains("struct mixed *)");
    Case { kind: "raw memory", files: vec![text], inputs: 2, range: w.range, layout }
}

fn random_type(w: &mut Writer) -> (&'static str, u64) {
    match w.below(6) {
        0 => ("char", 1),
        1 => ("short", 2),
        2 | 3 => ("int", 4),
        4 => ("long long", 8),
        _ => ("struct mixed", 12),
    }
}

/// A pointer into a buffer, with room for so many bytes behind it.
fn pointer(w: &mut Writer, buffer: &Buffer, room: u64) -> String {
    let input = w.pick(&["x", "y"]);
    let at = w.at_most(input, buffer.size - room);
    let name = &buffer.name;
    match w.below(6) {
        0 => format!("((char *)((unsigned long){name} + {at}))"),
        1 => {
            // An address that is subtracted twice is itself again.
            let base = 16 * (1 + w.below(4));
            format!("((char *)({base}ul + {at} - ({base}ul - (unsigned long){name})))")
        }
        2 => format!("((char *){name} + {} - ({} - {at}))", buffer.size - room, buffer.size - room),
        3 => format!("&((char *){name})[{at}]"),
        _ => format!("((char *){name} + {at})"),
    }
}

fn step(w: &mut Writer, buffers: &[Buffer]) {
    let which = w.below(2) as usize;
    let (one, other) = (&buffers[which], &buffers[1 - which]);
    let most = one.size.min(other.size) - 4;
    let length = 1 + w.below(most.min(13));
    let input = w.pick(&["x", "y"]);
    let shown = if length > w.range && w.one_in(3) {
        format!("({input} + {})", length - w.range + 1)
    } else {
        length.to_string()
    };
    match w.below(10) {
        0 | 1 => {
            let to = pointer(w, one, length);
            let value = w.pick(&["0", "0xff", "1", "x", "y + 1", "0x80"]);
            w.line(format!("memset({to}, {value}, {shown});"));
        }
        2 => {
            let (to, from) = (pointer(w, one, length), pointer(w, other, length));
            w.line(format!("memcpy({to}, {from}, {shown});"));
        }
        3 => {
            let (to, from) = (pointer(w, one, length), pointer(w, one, length));
            w.line(format!("memmove({to}, {from}, {shown});"));
        }
        4 => {
            let to = pointer(w, one, length);
            let text = w.pick(&["hello, world", "a", "", "xyz"]);
            w.line(format!("strncpy({to}, \"{text}\", {shown});"));
        }
        5 | 6 => {
            let ty = w.pick(&INTEGERS);
            let to = pointer(w, one, 4);
            let value = w.value(&["x", "y"]);
            w.line(format!("*({ty} *){to} = {value};"));
        }
        7 => {
            let to = pointer(w, one, 12);
            let value = w.value(&["x", "y"]);
            w.line(format!("m.i = {value};"));
            w.line("m.s = y;");
            w.line(format!("*(struct mixed *){to} = m;"));
        }
        8 => {
            let from = pointer(w, one, 12);
            w.line(format!("m = *(struct mixed *){from};"));
        }
        _ => {
            let i = w.name("i");
            let step = 1 + w.below(3);
            let bound = w.at_most(input, one.size - 4);
            w.line(format!("for (int {i} = 0; {i} < {bound}; {i} += {step})"));
            let value = w.value(&["x", "y"]);
            w.line(format!("  ((unsigned char *){})[{i}] ^= {value};", one.name));
        }
    }
}

fn observe(w: &mut Writer, buffers: &[Buffer]) {
    let buffer = &buffers[w.below(2) as usize];
    let from = pointer(w, buffer, 8);
    let ty = w.pick(&["char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long long"]);
    if w.one_in(5) {
        let field = w.pick(&["m.c", "m.i", "m.s"]);
        w.check(field);
    } else {
        w.check(format!("*({ty} *){from}"));
    }
}

/// Records, unions and bit-fields, passed and returned by value, and read as bytes.
pub fn records(mut w: Writer) -> Case {
    let mut text = HEADER.to_owned();
    let packed = if w.one_in(3) { " __attribute__((packed))" } else { "" };
    w.line("struct inner {");
    w.line("short s;");
    let ty = w.pick(&["int", "unsigned", "unsigned short"]);
    w.line(format!("{ty} q : 3;"));
    w.line("char c[3];");
    w.line("};");
    w.line("union either {");
    w.line("int i;");
    w.line("struct inner in;");
    w.line("unsigned char bytes[8];");
    w.line("unsigned low : 5, high : 9;");
    w.line("};");
    w.line("struct outer {");
    let widths: Vec<u64> = (0..3).map(|_| 1 + w.below(20)).collect();
    let ty = w.pick(&["int", "unsigned"]);
    w.line(format!("{ty} f0 : {};", widths[0]));
    let ty = w.pick(&["int", "unsigned", "long long"]);
    w.line(format!("{ty} f1 : {};", widths[1]));
    w.line("char c;");
    let ty = w.pick(&["int", "unsigned long long", "unsigned"]);
    w.line(format!("{ty} f2 : {};", widths[2]));
    w.line("union either u;");
    w.line("long l[2];");
    w.line(format!("}}{packed};"));
    w.line("struct outer g;");
    w.line("struct outer change(struct outer o, int n) {");
    w.line("o.f0 += n;");
    w.line("o.f1 = o.f0 - n;");
    w.line("o.u.in.c[1] = n;");
    w.line("o.l[n & 1] = o.f2;");
    w.line("return o;");
    w.line("}");
    w.line("union either pun(int n) {");
    w.line("union either u;");
    w.line("memset(&u, 0, sizeof u);");
    w.line("u.bytes[n & 7] = 255;");
    w.line("return u;");
    w.line("}");
    w.main(&["x", "y"]);
    w.line("struct outer o, *p = &o;");
    w.line("memset(&o, 0, sizeof o);");
    w.line("union either e = pun(x);");
    for _ in 0..3 + w.below(6) {
        let value = w.value(&["x", "y"]);
        match w.below(12) {
            0 => w.line(format!("p->f0 = {value};")),
            1 => w.line(format!("o.f1 = {value};")),
            2 => w.line(format!("o.f2 = {value};")),
            3 => w.line("o = change(o, x + y);"),
            4 => w.line("g = change(*p, x);"),
            5 => w.line("o.u = pun(y);"),
            6 => w.line(format!("o.u.high = {value};")),
            7 => w.line("*p = g;"),
            8 => w.line(format!("((unsigned char *)p)[x + {}] = {value};", w.range)),
            9 => w.line("e = o.u;"),
            10 => w.line(format!("o.l[x & 1] = {value};")),
            _ => w.line(format!("e.in.q = {value};")),
        }
    }
    for _ in 0..4 {
        let what = w.pick(&[
            "o.f0",
            "o.f1",
            "o.f2",
            "o.c",
            "o.u.i",
            "e.low",
            "e.high",
            "e.in.s",
            "e.in.q",
            "e.in.c[1]",
            "o.l[0]",
            "o.l[y & 1]",
            "((unsigned char *)&o)[x]",
            "*(short *)((char *)&o + 3)",
            "g.f0",
            "g.u.in.c[1]",
            "change(o, y).f1",
            "pun(y).i",
        ]);
        w.check(what);
    }
    w.end();
    text += &w.take();
    // What is in the padding of a record that was assigned is open.
    let layout = text.contains("char *)&o)");
    Case { kind: "records", files: vec![text], inputs: 2, range: w.range, layout }
}
