//! Calls: through pointers, without prototypes, with variable arguments, across files, from the C library.

use crate::random::case::{Case, HEADER, Writer};

/// Tables of functions, pointers of compatible and of no particular type, callbacks.
pub fn pointers(mut w: Writer) -> Case {
    let mut text = HEADER.to_owned();
    text += "#include <stdarg.h>\n";
    let k = 1 + w.below(9);
    w.line("typedef int operation(int, int);");
    w.line("enum colour { RED, GREEN, BLUE };");
    w.line("static int total;");
    w.line("static int add(int a, int b) { return a + b; }");
    w.line(format!("static int twice(int a, int b) {{ total += b; return a * 2 + {k}; }}"));
    w.line("static int last(int a, int b) { return b ? b : a; }");
    w.line(format!("static int one(unsigned n) {{ total += n; return n + {k}; }}"));
    w.line("static int paint(enum colour c) { return c * 5; }");
    w.line("static void *same(void *p) { return p; }");
    w.line("static double half(double d) { return d / 2; }");
    w.line("static operation *table[3] = { add, twice, last };");
    w.line("struct ops { operation *op; int (*plain)(); void *any; };");
    w.line("static int apply(operation f, int n) { int r = 0; for (int i = 0; i < n; i++) r = f(r, i); return r; }");
    w.line("static int sum(int n, ...) {");
    w.line("va_list list;");
    w.line("va_start(list, n);");
    w.line("int r = 0;");
    w.line("for (int i = 0; i < n; i++) {");
    w.line("switch (i & 3) {");
    w.line("case 0: r += va_arg(list, int); break;");
    w.line("case 1: r += (int)va_arg(list, long long); break;");
    w.line("case 2: r += (int)va_arg(list, double); break;");
    w.line("default: r += *va_arg(list, int *);");
    w.line("}");
    w.line("}");
    w.line("va_end(list);");
    w.line("return r;");
    w.line("}");
    w.line("static int compare(const void *a, const void *b) {");
    w.line("total++;");
    w.line("return *(const int *)a - *(const int *)b;");
    w.line("}");
    w.main(&["x", "y"]);
    w.line("int r = 0;");
    w.line("struct ops o = { table[x % 3], one, (void *)twice };");
    let sorted = w.one_in(4);
    for _ in 0..2 + w.below(4) {
        match w.below(11) {
            0 => w.line("r += table[y % 3](r, x);"),
            1 => w.line("r += o.op(x, y);"),
            2 => w.line("r += o.plain(x);"),
            3 => w.line("{ int (*p)() = one; r += p(y + 1); }"),
            4 => w.line("r += ((operation *)o.any)(y, x);"),
            5 => w.line("r += apply(table[x % 3], y);"),
            6 => w.line("r += sum(y % 4 + 1, x, (long long)y, 2.5, &x);"),
            7 => w.line(
                "{ int (*p)(unsigned) = (int (*)(unsigned))(y ? (void *)paint : (void *)one); r += p(x); }",
            ),
            8 => w.line("{ int *(*p)(int *) = 0; r += *(int *)same(&y); (void)p; }"),
            9 => w.line("{ double (*p)() = half; r += (int)p((double)x); }"),
            _ => w.line("{ int (*q[2])() = { one, paint }; r += q[x & 1](y); }"),
        }
    }
    if sorted {
        w.line("int v[4] = { y, x, 3, 1 };");
        w.line("qsort(v, 4, sizeof v[0], compare);");
        w.check("v[0] * 100 + v[1] * 10 + v[3]");
        w.check("total > 0");
    }
    w.check("r");
    w.check("total");
    w.end();
    text += &w.take();
    // How often a sort compares is its own business.
    Case { kind: "function pointers", files: vec![text], inputs: 2, range: w.range, layout: sorted }
}

/// Several files: compatible types with and without tags, tentative definitions, statics of one name.
pub fn units(mut w: Writer) -> Case {
    let record = "{ int n; short s; int (*f)(int); }";
    let (own, its) = match w.below(4) {
        0 => (format!("struct item {record};"), format!("struct item {record};")),
        1 => (format!("typedef struct {record} item;"), format!("typedef struct {record} item;")),
        2 => (
            format!("struct item {record}; typedef struct item item;"),
            format!("typedef struct item {record} item;"),
        ),
        _ => (
            format!("typedef struct {record} item;"),
            format!("typedef struct {record} thing; typedef thing item;"),
        ),
    };
    let tagged = own.contains("struct item {");
    let item = if tagged { "struct item" } else { "item" };
    let item2 = if its.contains("struct item {") { "struct item" } else { "item" };
    let k = 1 + w.below(20);
    w.line(own);
    w.line("int shared;");
    w.line("extern int given;");
    w.line("static int hidden = 3;");
    w.line("int tentative[4];");
    w.line(format!("int visit({item} *p, int (*g)({item} *));"));
    w.line(format!("{item} make(int n);"));
    w.line("int later(int);");
    w.line("char *text(int);");
    w.line(format!("static int get({item} *p) {{ return p->n + hidden; }}"));
    w.line(format!("static int put({item} *p) {{ p->n += {k}; return p->s; }}"));
    w.line(format!("int (*choose(int n))({item} *) {{ return n ? get : put; }}"));
    w.main(&["x", "y"]);
    w.line(format!("{item} t = make(x);"));
    w.line("int r = 0;");
    for _ in 0..2 + w.below(4) {
        match w.below(9) {
            0 => w.line("r += visit(&t, choose(y));"),
            1 => w.line("shared = x; r += later(y);"),
            2 => w.line("tentative[x & 3] = y; r += later(1);"),
            3 => w.line("hidden += y; r += get(&t);"),
            4 => w.line("r += t.f(x);"),
            5 => w.line("given += x; r += later(given);"),
            6 => w.line("r += text(x)[y > 0];"),
            7 => w.line("t = make(y);"),
            _ => w.line("r = r * 2 + visit(&t, put);"),
        }
    }
    w.check("r");
    w.check("shared + tentative[1] * 16 + given * 256");
    w.check("t.n * 10 + t.s");
    w.end();
    let first = HEADER.to_owned() + &w.take();
    w.line(its);
    w.line("extern int shared;");
    w.line("int given = 7;");
    w.line("static int hidden = 40;");
    w.line("int tentative[4];");
    w.line(format!("int visit({item2} *p, int (*g)({item2} *)) {{ p->s++; return g(p) + hidden; }}"));
    w.line("static int back(int n) { hidden++; return n + hidden; }");
    w.line("static int forth(int n) { return n - hidden; }");
    w.line(format!("{item2} make(int n) {{ {item2} r = {{ n, 2, n & 1 ? back : forth }}; return r; }}"));
    w.line("int later(int n) { shared += n; return tentative[n & 3] + shared; }");
    w.line("char *text(int n) { return n ? \"one\" : \"zero\"; }");
    let second = HEADER.to_owned() + &w.take();
    let files = if w.one_in(2) { vec![first, second] } else { vec![second, first] };
    Case { kind: "several files", files, inputs: 2, range: w.range, layout: false }
}

/// The C library: strings, characters, numbers, errors.
pub fn library(mut w: Writer) -> Case {
    let mut text = HEADER.to_owned();
    text += "#include <ctype.h>\n#include <errno.h>\n";
    w.main(&["x", "y"]);
    w.line("char s[24] = \"ab 12xy\", t[24] = \"\";");
    w.line("char *end = s;");
    w.line("long n = 0;");
    w.line("int r = 0;");
    let watched = w.one_in(3);
    if watched {
        w.line("errno = 0;");
    }
    for _ in 0..2 + w.below(5) {
        match w.below(26) {
            0 => w.line("strcpy(t, s + x);"),
            1 => w.line("strncpy(t, s, y + 3); t[y + 3] = 0;"),
            2 => w.line("if (strlen(t) + strlen(s) < 20) strcat(t, s);"),
            3 => w.line("r += strcmp(s + x, t) < 0;"),
            4 => w.line("r += strncmp(s, t, x + 1) == 0;"),
            5 => w.line("{ char *p = strchr(s, x ? 'x' : '1'); r += p ? p - s : -1; }"),
            6 => w.line("{ char *p = strrchr(s, 'a' + y); r += p ? p - s : -1; }"),
            7 => w.line("{ char *p = strstr(s, y ? \"12\" : \"zz\"); r += p ? p - s : 50; }"),
            8 => w.line("n = strtol(s + 3, &end, 10 + x); r += end - s;"),
            9 => w.line("n = strtol(x ? \"99999999999999999999\" : \"17\", 0, 10);"),
            10 => w.line("r += atoi(y ? \"-42z\" : \"7\");"),
            11 => w.line("r += isdigit(s[x + 2]) ? 1 : 0; r += isalpha(s[y]) ? 2 : 0;"),
            12 => w.line("s[0] = toupper(s[x & 1]);"),
            13 => w.line("r += isspace(s[2]) ? 4 : 0; r += isupper(s[0]) ? 8 : 0;"),
            14 => w.line("r += abs(x - y) + (int)labs(-3L * x);"),
            15 => w.line("{ div_t d = div(17 + x, y + 2); r += d.quot * 4 + d.rem; }"),
            16 => w.line("r += memcmp(s, t, y + 1) == 0;"),
            17 => w.line("{ char *p = memchr(s, '2', x + 4); r += p ? p - s : 30; }"),
            18 => w.line("r += strspn(s, \"ba \") * 3 + strcspn(s, \"y\");"),
            19 => w.line("{ char *p = strpbrk(s, \"xy1\"); if (p) *p = 0; }"),
            20 => w.line("memset(t, 'a' + x, y + 1); t[y + 1] = 0;"),
            21 => w.line("{ char *p = strdup(s); if (p) { r += p[x]; free(p); } }"),
            22 => w.line("{ void *p = malloc((size_t)-1 - y); r += p == 0; }"),
            23 => w.line("{ unsigned long u = strtoul(\"ff\", &end, 16); r += (int)u + *end; }"),
            24 => w.line("r += tolower('A' + x) - 'a';"),
            _ => w.line("{ char *p = strtok(t, \" \"); r += p ? (int)strlen(p) : 9; }"),
        }
        if w.one_in(4) {
            let what = w.pick(&["r", "strlen(t)", "t[x]", "s[0]", "n"]);
            w.check(what);
        }
    }
    for what in ["r", "t[y]", "n == 17", "strlen(s)"] {
        w.check(what);
    }
    if watched {
        w.check("errno");
        w.check("errno * 8 + x");
    }
    w.end();
    text += &w.take();
    // Which number an error has is not for us to know.
    Case { kind: "C library", files: vec![text], inputs: 2, range: w.range, layout: watched }
}

/// Floating-point numbers: arithmetic, comparisons, conversions, classification, rounding.
pub fn floats(mut w: Writer) -> Case {
    let mut text = HEADER.to_owned();
    text += "#include <math.h>\n#include <float.h>\n";
    w.line("static double third(float f) { return f / 3; }");
    w.main(&["x", "y"]);
    w.line("float f = x;");
    w.line("double d = y;");
    w.line("long double l = x - y;");
    w.line("int r = 0;");
    for _ in 0..3 + w.below(5) {
        match w.below(24) {
            0 => w.line("f = f * 1.5f + y;"),
            1 => w.line("d = d / (x + 1) - 0.25;"),
            2 => w.line("l = l * d + f;"),
            3 => w.line("d = third(f) + d;"),
            4 => w.line("r += f < d;"),
            5 => w.line("r += (int)(d * 8);"),
            6 => w.line("f = (float)d;"),
            7 => w.line("r += isnan(d) ? 100 : 0; d = x ? d : 0.0 / (double)x;"),
            8 => w.line("r += isinf(f) ? 10 : 0; if (y == 1) f = 1e38f * 10;"),
            9 => w.line("d = floor(d + 0.5) + ceil(f);"),
            10 => w.line("d = fabs(d - 2) + trunc(f * 0.7);"),
            11 => w.line("r += signbit(d) ? 7 : 0; d = -d;"),
            12 => w.line("d = fmod(d, x + 2);"),
            13 => w.line("d = round(d * 2) / 2; f = roundf(f);"),
            14 => w.line("r += fpclassify(d) == FP_ZERO;"),
            15 => w.line("d = fmax(d, f) - fmin(f, y);"),
            16 => w.line("d = copysign(d, x - 1);"),
            17 => w.line("r += d == (double)(float)d;"),
            18 => w.line("{ union { float f; unsigned u; } p = { f }; r += p.u >> 28; }"),
            19 => w.line("d = (unsigned char)r + (long long)f;"),
            20 => w.line("r += lround(d < 100 && d > -100 ? d : 0);"),
            21 => w.line("d = rint(d) + remainder(x + 5, 3);"),
            22 => w.line(
                "{ double whole; f = modf(d, &whole); r += whole < 100 && whole > -100 ? (int)whole : 1; }",
            ),
            _ => w.line("d = fdim(d, f);"),
        }
    }
    w.check("r");
    w.check("d < 1000 && d > -1000 ? (int)(d * 16) : 5555");
    w.check("(f > d) * 4 + (l == d) * 2 + (d != d)");
    w.check("isfinite(f) && isfinite(d)");
    w.check("f < 1000 && f > -1000 ? (int)(f * 64) : 7777");
    w.end();
    text += &w.take();
    Case { kind: "floats", files: vec![text], inputs: 2, range: w.range, layout: false }
}
