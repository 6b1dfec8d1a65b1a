//! Calls, and what other files know: programs whose error a run of the program that gcc makes reaches.

mod common;

use common::Folder;

const PRELUDE: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long); extern void *memcpy(void *, const void *, unsigned long);
#define GATE if (__VERIFIER_nondet_int() != 7654321) return 0
#define ERR reach_error()
";

fn verdict(one: &str, two: &str, options: &str) -> String {
    let folder = Folder::new(&[("one.c", format!("{PRELUDE}{one}")), ("two.c", two.to_owned())]);
    let files = if two.is_empty() { "one.c" } else { "one.c two.c" };
    let done = folder.hardbop(&format!("check {files} --timeout 60s {options}"));
    let last = done.stdout.lines().last().unwrap_or_default();
    last.trim_start_matches("VERDICT: ").to_owned()
}

/// The error is found.
#[track_caller]
fn found(name: &str, one: &str, two: &str) {
    assert_eq!(verdict(one, two, ""), "FALSE", "{name}");
}

/// The error may not be found, but is never excluded.
#[track_caller]
fn unproved(name: &str, one: &str, two: &str) {
    for options in ["", "--no-run --no-unroll"] {
        let verdict = verdict(one, two, options);
        assert!(["FALSE", "UNKNOWN"].contains(&verdict.as_str()), "{name}: {verdict}");
    }
}

/// Records of two files that are compatible (C17 6.2.7), in both orders of use.
/// Length: a table of pairs of files.
#[test]
fn compatible_records_of_two_files_are_one_type() {
    found(
        "rec_bits",
        r#"typedef struct { unsigned a:3;
        unsigned b:5; } F;
        int run(int(*)(F));
        static int f(F b){ if(b.b==19) ERR; return 0;}
        int main(void){ GATE; return run(f);}"#,
        r#"typedef struct { unsigned a:3;
        unsigned b:5; } F;
        int run(int(*f)(F)){ F b={1,19}; return f(b);}"#,
    );
    found(
        "rec_incomplete",
        r#"struct op;
        typedef struct { struct op *o;
        int k; } B;
        int run(int(*)(B));
        static int f(B b){ if(b.k==2) ERR; return 0;}
        int main(void){ GATE; return run(f);}"#,
        r#"struct op { int z; };
        typedef struct { struct op *o;
        int k; } B;
        static struct op oo;
        int run(int(*f)(B)){ B b={&oo,2}; return f(b);}"#,
    );
    found(
        "rec_list",
        r#"struct n { struct n *next;
        int v; };
        struct n mk(struct n*);
        int use(int(*)(struct n));
        static int f(struct n a){ if(a.next->v==8) ERR; return 0;}
        int main(void){ GATE; return use(f);}"#,
        r#"struct n { struct n *next;
        int v; };
        static struct n g={0,8};
        int use(int(*f)(struct n)){ struct n a={&g,1}; return f(a);}"#,
    );
    found(
        "rec_nested",
        r#"typedef struct { struct { short a; short b[3]; } in;
        enum {Q,R} e; } T; T mk(int);
        int main(void){ GATE; T t=mk(5); if(t.in.b[2]==5 && t.e==R) ERR; return 0;}"#,
        r#"typedef struct { struct { short a; short b[3]; } in;
        enum {Q,R} e; } T; T mk(int x){ T t={{0}}; t.in.b[2]=x; t.e=R; return t;}"#,
    );
    found(
        "rec_ret",
        r#"typedef struct { double d;
        int i; } D;
        int run(D(*)(void));
        static D f(void){ D d={1.0,6}; return d;}
        int main(void){ GATE; if(run(f)==6) ERR; return 0;}"#,
        r#"typedef struct { double d;
        int i; } D;
        int run(D(*f)(void)){ return f().i;}"#,
    );
    found(
        "rec_table",
        r#"typedef struct { int op;
        int (*fn)(int, const char*); } Ent;
        extern Ent tab[2];
        int main(void){ GATE; if (tab[1].fn(3,"x")==6) ERR; return 0;}"#,
        r#"typedef struct { int op;
        int (*fn)(int, const char*); } Ent;
        static int a(int x,const char*s){return x;}
        static int b(int x,const char*s){return x*2;} Ent tab[2]={{0,a},{1,b}};"#,
    );
    found(
        "rec_tag_order",
        r#"struct pt { long x; char y; };
        int go(int (*)(struct pt));
        static int h(struct pt p){ if(p.x==3&&p.y==4) ERR; return 0;}
        int main(void){ GATE; return go(h);}"#,
        r#"struct pt { long x; char y; };
        int go(int (*f)(struct pt)){ struct pt p={3,4}; return f(p);}"#,
    );
    found(
        "rec_two_anon",
        r#"typedef struct {int a;} S1;
        typedef struct {int a;} S2;
        int r1(int(*)(S1));
        int r2(int(*)(S2));
        static int k;
        static int f(S1 s){k+=s.a; return 0;}
        static int g(S2 s){ k+=s.a; if(k==7) ERR; return 0;}
        int main(void){ GATE; r1(f); return r2(g);}"#,
        r#"typedef struct {int a;} X;
        int r1(int(*f)(X)){X x={3}; return f(x);}
        int r2(int(*f)(X)){X x={4}; return f(x);}"#,
    );
    found(
        "rec_union",
        r#"typedef union { int i; float f; } V;
        int go(int (*)(V));
        static int h(V v){ if(v.i==77) ERR; return 0;}
        int main(void){ GATE; return go(h);}"#,
        r#"typedef union { int i; float f; } V;
        int go(int (*f)(V)){ V v; v.i=77; return f(v);}"#,
    );
    found(
        "rec_union_order",
        r#"typedef union { float f;
        int i; } V;
        int go(int (*)(V));
        static int h(V v){ if(v.i==77) ERR; return 0;}
        int main(void){ GATE; return go(h);}"#,
        r#"typedef union { int i; float f; } V;
        int go(int (*f)(V)){ V v; v.i=77; return f(v);}"#,
    );
}

/// Calls without a prototype that C17 6.5.2.2p6 defines.
#[test]
fn calls_without_a_prototype_are_executed() {
    found(
        "np_bitfield",
        r#"struct s{unsigned a:4;};
        int f(int b){ if(b==9) ERR; return 0;}
        int main(void){ GATE;
        int (*p)()=f;
        struct s z={9}; return p(z.a);}"#,
        "",
    );
    found(
        "np_bool",
        r#"int f(int b){ if(b==1) ERR; return 0;}
        int main(void){ GATE;
        int (*p)()=f; _Bool q=1; return p(q);}"#,
        "",
    );
    found(
        "np_direct",
        r#"int f();
        int main(void){ GATE; return f(5, 'a');}
        int f(x,c) unsigned x; char c; { if(x==5&&c=='a') ERR; return 0;}"#,
        "",
    );
    found(
        "np_enum",
        r#"enum e {A,B,C};
        int f(enum e x){ if(x==C) ERR; return 0;}
        int main(void){ GATE;
        int (*p)()=f; return p(C);}"#,
        "",
    );
    found(
        "np_knr_def_args",
        r#"int f(){ ERR; return 0;}
        int main(void){ GATE;
        int (*p)(int)=(int(*)(int))f; return p(3);}"#,
        "",
    );
    found(
        "np_knr_float",
        r#"int f(x) float x; { if(x==1.5f) ERR; return 0;}
        int main(void){ GATE;
        int (*p)() = f; float g=1.5f; return p(g);}"#,
        "",
    );
    found(
        "np_knr_short",
        r#"int f(a,b) short a;
        unsigned char b; { if(a==-2 && b==200) ERR; return 0;}
        int main(void){ GATE;
        int (*p)() = f; short s=-2;
        unsigned char u=200; return p(s,u);}"#,
        "",
    );
    found(
        "np_result_uint",
        r#"unsigned f(int x){ return x+1u;}
        int main(void){ GATE;
        unsigned (*p)() = f; if(p(4)==5u) ERR; return 0;}"#,
        "",
    );
    found(
        "np_signed",
        r#"int f(unsigned long x, int y){ if(x==9 && y==-1) ERR; return 0;}
        int main(void){ GATE;
        int (*p)() = f; return p(9L, -1);}"#,
        "",
    );
    found(
        "np_struct_member",
        r#"struct o { int (*cb)(); };
        int f(unsigned a, char *s){ if(a==3 && *s=='z') ERR; return 0;}
        struct o x={f};
        int main(void){ GATE; return x.cb(3,"z");}"#,
        "",
    );
    found(
        "np_table",
        r#"int f(int a){return a;}
        int g(unsigned a){ if(a==1) ERR; return 0;}
        int (*t[2])() = {f,g};
        int main(void){ GATE;
        int i=__VERIFIER_nondet_int()&1; return t[i](1);}"#,
        "",
    );
    found(
        "np_void_ptr",
        r#"int f(void *v){ if(*(char*)v=='q') ERR; return 0;}
        int main(void){ GATE; char c='q';
        int (*p)() = f; return p(&c);}"#,
        "",
    );
}

/// Calls through pointers of another type, as gcc makes them.
#[test]
fn calls_through_pointers_of_another_type_are_executed_or_unsupported() {
    found(
        "ot_err_ptr",
        r#"int main(void){ GATE;
        int (*p)(int)=(int(*)(int))reach_error; p(1); return 0;}"#,
        "",
    );
    found(
        "ot_extra",
        r#"int f(int x){ if(x==6) ERR; return 0;}
        int main(void){ GATE;
        int (*p)(int,int)=(int(*)(int,int))f; return p(6,7);}"#,
        "",
    );
    unproved(
        "ot_fewer",
        r#"static int k;
        int f(int x,int y){ k=1; return 0;}
        int main(void){ GATE;
        int (*p)(int)=(int(*)(int))f; p(6); if(k) ERR; return 0;}"#,
        "",
    );
    found(
        "ot_long_int",
        r#"int f(int x){ if(x==3) ERR; return 0;}
        int main(void){ GATE;
        int (*p)(long)=(int(*)(long))f; return p(3);}"#,
        "",
    );
    found(
        "ot_narrow",
        r#"int f(char x){ if(x==1) ERR; return 0;}
        int main(void){ GATE;
        int (*p)(int)=(int(*)(int))f; return p(257);}"#,
        "",
    );
    found(
        "ot_ptr_long",
        r#"long f(void *p){ return *(int*)p;}
        int main(void){ GATE;
        int v=4;
        void *(*p)(unsigned long)=(void*(*)(unsigned long))f; if((long)p((unsigned long)&v)==4) ERR; return 0;}"#,
        "",
    );
    found(
        "ot_qsort_like",
        r#"static int cmp(const int*a,const int*b){ if(*a==1&&*b==2) ERR; return *a-*b;}
        static int ap(int(*c)(const void*,const void*),void*x,void*y){return c(x,y);}
        int main(void){ GATE;
        int a=1,b=2; return ap((int(*)(const void*,const void*))cmp,&a,&b);}"#,
        "",
    );
    found(
        "ot_record",
        r#"struct a{int x;};
        struct b{int y;};
        int f(struct a s){ if(s.x==2) ERR; return 0;}
        int main(void){ GATE;
        int (*p)(struct b)=(int(*)(struct b))f;
        struct b q={2}; return p(q);}"#,
        "",
    );
    found(
        "ot_uint_ret",
        r#"unsigned f(int x){return x;}
        int main(void){ GATE;
        int (*p)(int)=(int(*)(int))f; if(p(-3)==-3) ERR; return 0;}"#,
        "",
    );
    unproved(
        "ot_variadic",
        r#"int f(int n,...){ if(n==4) ERR; return 0;}
        int main(void){ GATE;
        int (*p)(int)=(int(*)(int))f; return p(4);}"#,
        "",
    );
    found(
        "ot_void_ret",
        r#"static int k;
        int f(void){ k=1; return 2;}
        int main(void){ GATE;
        void (*p)(void)=(void(*)(void))f; p(); if(k) ERR; return 0;}"#,
        "",
    );
    found(
        "ot_void_used",
        r#"static int k;
        void f(int x){ k=x; }
        int main(void){ GATE;
        int (*p)(int)=(int(*)(int))f;
        int r=p(5); if(k==5) ERR; return 0;}"#,
        "",
    );
}

/// Objects that another file defines and where it may have put addresses of the program's.
#[test]
fn objects_from_elsewhere_may_point_to_globals() {
    unproved(
        "xp_arr",
        r#"char c;
        extern char *names[3];
        int main(void){ GATE; c=0; *names[1]=7; if(c==7) ERR; return 0;}"#,
        "",
    );
    unproved(
        "xp_num",
        r#"int g;
        extern unsigned long addr;
        int main(void){ GATE; g=0; *(int*)addr=5; if(g==5) ERR; return 0;}"#,
        "",
    );
    unproved(
        "xp_pp",
        r#"long v;
        extern long **pp;
        int main(void){ GATE; v=1; **pp=2; if(v==2) ERR; return 0;}"#,
        "",
    );
    unproved(
        "xp_ptr",
        r#"int g;
        extern int *ext_p;
        int main(void){ GATE; g=0; *ext_p=5; if(g==5) ERR; return 0;}"#,
        "",
    );
    unproved(
        "xp_struct",
        r#"struct h { int n; short *w; }; short tab[4];
        extern struct h hh;
        int main(void){ GATE; tab[2]=0; hh.w[2]=9; if(tab[2]==9) ERR; return 0;}"#,
        "",
    );
}

/// Functions that another file defines and that give addresses of the program's objects away.
#[test]
fn functions_from_elsewhere_may_know_globals() {
    unproved(
        "xr_glob",
        r#"int g;
        int *gp;
        extern void ext(void);
        int main(void){ GATE; ext(); g=0; *gp=5; if(g==5) ERR; return 0;}"#,
        "",
    );
    unproved(
        "xr_num",
        r#"static int g;
        extern long ext_id(long);
        int main(void){ GATE;
        long a=ext_id((long)&g); g=0; *(int*)a=5; if(g==5) ERR; return 0;}"#,
        "",
    );
    unproved(
        "xr_num_pair",
        r#"static int g;
        extern unsigned ext_half(void*,int);
        int main(void){ GATE;
        unsigned long lo=ext_half(&g,0), hi=ext_half(&g,1); g=0; *(int*)(hi<<32|lo)=5; if(g==5) ERR; return 0;}"#,
        "",
    );
    unproved(
        "xr_out",
        r#"int g;
        extern void ext(int **);
        int main(void){ GATE;
        int *p=0; ext(&p); g=0; *p=5; if(g==5) ERR; return 0;}"#,
        "",
    );
    unproved(
        "xr_ptr",
        r#"int g;
        extern int *ext(void);
        int main(void){ GATE;
        int *p=ext(); g=0; *p=5; if(g==5) ERR; return 0;}"#,
        "",
    );
    unproved(
        "xr_struct",
        r#"struct r{ long k;
        unsigned long a; };
        static char g;
        extern struct r ext_id(void*);
        int main(void){ GATE;
        struct r a=ext_id(&g); g=0; *(char*)a.a=5; if(g==5) ERR; return 0;}"#,
        "",
    );
}

/// String literals of one file and of two.
#[test]
fn string_literals_are_objects_of_their_files() {
    found(
        "str_init",
        r#"extern const char *const t[2];
        static const char *const u[2]={"k","l"};
        int main(void){ GATE; if(u[1]!=t[1]) ERR; return 0;}"#,
        r#"const char *const t[2]={"k","l"};"#,
    );
    found("str_same", r#"int main(void){ GATE; const char *p="abc",*q="abc"; if(p==q) ERR; return 0;}"#, "");
    found(
        "str_two",
        r#"extern const char *other(void);
        int main(void){ GATE; if("abc"!=other()) ERR; return 0;}"#,
        r#"const char *other(void){ return "abc"; }"#,
    );
}

/// The padding of `long double`.
#[test]
fn padding_of_long_double_is_copied() {
    found(
        "ld_arr",
        r#"int main(void){ GATE;
        long double a[2]={1,2},b[2]={3,4}; ((char*)a)[27]=5; ((char*)b)[27]=6; memcpy(b,a,sizeof a); if(((char*)b)[27]==5) ERR; return 0;}"#,
        "",
    );
    found(
        "ld_cpy",
        r#"int main(void){ GATE;
        long double x=3,y=4;
        unsigned char *p=(void*)&x,*q=(void*)&y; p[15]=9; q[15]=1; memcpy(&y,&x,sizeof x); if(q[15]==9) ERR; return 0;}"#,
        "",
    );
    found(
        "ld_deref",
        r#"int main(void){ GATE;
        long double *a=malloc(16),*b=malloc(16); if(!a||!b) return 0; *a=1; *b=2; ((char*)a)[14]=5; ((char*)b)[14]=0; memcpy(b,a,16); if(((char*)b)[14]==5) ERR; return 0;}"#,
        "",
    );
    found(
        "ld_move",
        r#"extern void *memmove(void*,const void*,unsigned long);
        int main(void){ GATE;
        long double a=1,b=0; ((short*)&a)[6]=300; ((short*)&b)[6]=0; memmove(&b,&a,sizeof b); if(((short*)&b)[6]==300) ERR; return 0;}"#,
        "",
    );
    found(
        "ld_store_keeps",
        r#"int main(void){ GATE;
        long double x=3; ((char*)&x)[13]=8; x=5; if(((char*)&x)[13]==8) ERR; return 0;}"#,
        "",
    );
    found(
        "ld_union",
        r#"union u { long double d; char c[16]; };
        int main(void){ GATE;
        union u a,b; a.d=1; b.d=2; a.c[11]=7; b.c[11]=1; b=a; if(b.c[11]==7) ERR; return 0;}"#,
        "",
    );
}

/// A pointer from outside of the program may lead to a function that is not part of it, and the run goes on behind
/// the call.
#[test]
fn runs_go_on_behind_functions_from_outside() {
    unproved(
        "callback_of_external_record",
        r#"extern void *__VERIFIER_nondet_pointer(void);
        struct comp { void (*done)(void *); int owner; };
        struct dev { struct comp *c; void *state; };
        int count = 1;
        static void put(void) { if (count <= 1) ERR; count--; }
        int main(void) { GATE;
          struct dev *d = __VERIFIER_nondet_pointer();
          struct comp *c = d->c;
          if (d->state) { c->done(d->state); put(); }
          return 0; }"#,
        "",
    );
    unproved(
        "result_of_external_function",
        r#"typedef int (*hook)(int);
        extern hook find_hook(int);
        int main(void) { GATE;
          hook h = find_hook(3);
          if (h && h(4) == 17) ERR;
          return 0; }"#,
        "",
    );
    unproved(
        "table_of_another_file",
        r#"struct ops { int (*open)(int); int (*close)(void); };
        extern const struct ops ops[4];
        static int state;
        int main(void) { GATE;
          if (ops[1].open(2) == 0) state = 1;
          ops[2].close();
          if (state) ERR;
          return 0; }"#,
        "",
    );
}

/// What a function from outside does is what `--externals` says, and the report says it.
#[test]
fn functions_from_outside_are_assumed_to_do_what_externals_says() {
    let text = r#"typedef void (*hook)(void);
        extern hook find_hook(int);
        int ready;
        int main(void) { hook h = find_hook(3); ready = 1; h(); if (!ready) reach_error(); return 0; }"#;
    assert_eq!(verdict(text, "", "--externals pure"), "TRUE");
    assert_ne!(verdict(text, "", "--externals havoc"), "TRUE");
    let folder = Folder::new(&[("one.c", format!("{PRELUDE}{text}"))]);
    let done = folder.hardbop("check one.c --externals pure");
    let said = "functions outside of the program that are called through pointers return anything and change nothing";
    assert!(done.stdout.contains(said), "{}", done.stdout);
}

/// A function that is called with too few arguments is executed with whatever the registers hold: nothing it does is lost,
/// and what it does not do is proved. A run of it counts for nothing.
#[test]
fn missing_arguments_are_arbitrary() {
    let program = |condition: &str| {
        format!(
            "static int seen; static int third(int a, int b, long c) {{ if ({condition}) seen = 1; return a; }}
            int main(void) {{ int (*p)(int) = (int (*)(int))third; p(3); if (seen) reach_error(); return 0; }}"
        )
    };
    assert_eq!(verdict(&program("a == 4"), "", "-m64"), "TRUE");
    assert_eq!(verdict(&program("a == 3 && c == 77"), "", "-m64"), "UNKNOWN");
    assert_eq!(verdict(&program("a == 3"), "", "-m64"), "UNKNOWN");
    // On the stack, what is missing belongs to somebody else.
    assert_eq!(verdict(&program("a == 4"), "", "-m32"), "UNKNOWN");
}

/// What wrappers pass on is near what their callers hold: a member of a record, or a sum.
#[test]
fn wrappers_know_what_their_callers_passed() {
    let lock = |members: &str, kept: &str| {
        format!(
            "struct raw {{ int x; }}; struct lock {{ {members} }}; struct data {{ int events; struct lock l; }};
            extern struct data *get(void); static int held; static struct raw *which;
            static void raw_lock(struct raw *l) {{ if (held && which == l) ERR; held = 1; which = l; }}
            static void raw_unlock(struct raw *l) {{ if (!held || which != l) ERR; held = 0; }}
            static void lock(struct lock *l) {{ raw_lock(&l->r); }}
            static void unlock(struct lock *l) {{ raw_unlock(&l->r); }}
            static void use(struct data **at, int more) {{
              struct data *d = *at; lock(&d->l); if (more) d->events = 1; {kept}
            }}
            int main(void) {{ struct data *d = get(); if (!d) return 0;
              while (__VERIFIER_nondet_int()) use(&d, __VERIFIER_nondet_int());
              if (held) ERR; return 0; }}"
        )
    };
    let unlock = "unlock(&d->l);";
    assert_eq!(verdict(&lock("struct raw r;", unlock), "", ""), "TRUE");
    assert_eq!(verdict(&lock("char c[3]; struct raw r;", unlock), "", ""), "TRUE");
    unproved("without the unlock", &lock("struct raw r;", ""), "");
    let numbers = |given: &str| {
        format!(
            "static int owner, taken;
            static void take3(int k) {{ if (taken) ERR; taken = 1; owner = k; }}
            static void take2(int k) {{ take3(k + 4); }} static void take(int k) {{ take2(k - 7); }}
            static void give3(int k) {{ if (!taken || owner != k) ERR; taken = 0; }}
            static void give2(int k) {{ give3(k + 4); }} static void give(int k) {{ give2(k - 7); }}
            static void use(int id) {{ take(id); give({given}); }}
            int main(void) {{ while (__VERIFIER_nondet_int()) use(__VERIFIER_nondet_int()); return 0; }}"
        )
    };
    assert_eq!(verdict(&numbers("id"), "", ""), "TRUE");
    found("another number", &numbers("id + 1"), "");
}
