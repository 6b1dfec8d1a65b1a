//! What there is to choose from.

/// What an object is made of, and what of it is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// For messages.
    pub name: &'static str,
    /// The type of an element.
    pub element: &'static str,
    /// The size of an element with 64 and with 32 bits; 0 where there is no such type.
    pub size: [u64; 2],
    /// The usual number of elements.
    pub count: u64,
    /// The scalars of an element.
    pub views: &'static [View],
}

/// A scalar of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct View {
    /// The scalar, of the array `$a` at the index `$x`.
    pub place: &'static str,
    /// Its type.
    pub ty: &'static str,
}

const fn view(place: &'static str, ty: &'static str) -> View {
    View { place, ty }
}

const fn shape(
    name: &'static str,
    element: &'static str,
    size: [u64; 2],
    count: u64,
    views: &'static [View],
) -> Shape {
    Shape { name, element, size, count, views }
}

/// Types that the shapes and operations need.
pub(super) const TYPES: &str = "\
typedef __typeof__(sizeof(0)) word;
void *malloc(word), *calloc(word, word), *realloc(void *, word);
void *memcpy(void *, const void *, word), *memset(void *, int, word);
char *strncpy(char *, const char *, word);
void *__hardbop_zalloc(word);
struct mixed { short s; char c; int i; long long l; };
struct __attribute__((packed)) packed { char c; int i; short s; };
struct bits { unsigned a : 3; int b : 13; unsigned c : 20; signed char d; };
struct __attribute__((packed)) tight { unsigned long long a : 33; int b : 7; unsigned c : 9; };
union both { int i; unsigned char c[4]; short s[2]; };
struct inner { char h; short v[2]; int t; };
struct two { char c; int i; };
struct three { short s[3]; };
struct __attribute__((packed)) odd { char c; int i; };
struct real { long double d; };
";

/// The shapes of objects.
pub const SHAPES: &[Shape] = &[
    shape("chars", "signed char", [1, 1], 9, &[view("$a[$x]", "signed char")]),
    shape("shorts", "short", [2, 2], 4, &[view("$a[$x]", "short")]),
    shape("ints", "int", [4, 4], 4, &[view("$a[$x]", "int")]),
    shape("long longs", "long long", [8, 8], 2, &[view("$a[$x]", "long long")]),
    shape("wide", "__int128", [16, 0], 2, &[view("$a[$x]", "__int128")]),
    shape("floats", "float", [4, 4], 3, &[view("$a[$x]", "float")]),
    shape("doubles", "double", [8, 8], 2, &[view("$a[$x]", "double")]),
    shape("long doubles", "long double", [16, 12], 2, &[view("$a[$x]", "long double")]),
    shape("pointers", "char *", [8, 4], 2, &[view("$a[$x]", "char *")]),
    shape("truths", "_Bool", [1, 1], 4, &[view("$a[$x]", "_Bool")]),
    shape(
        "records",
        "struct mixed",
        [16, 16],
        2,
        &[
            view("$a[$x].s", "short"),
            view("$a[$x].c", "char"),
            view("$a[$x].i", "int"),
            view("$a[$x].l", "long long"),
        ],
    ),
    shape(
        "parts of records",
        "struct mixed",
        [16, 16],
        2,
        &[view("$a[$x].i", "int"), view("$a[$x].c", "char")],
    ),
    shape(
        "packed records",
        "struct packed",
        [7, 7],
        2,
        &[view("$a[$x].c", "char"), view("$a[$x].i", "int"), view("$a[$x].s", "short")],
    ),
    shape(
        "bit-fields",
        "struct bits",
        [8, 8],
        2,
        &[
            view("$a[$x].a", "unsigned"),
            view("$a[$x].b", "int"),
            view("$a[$x].c", "unsigned"),
            view("$a[$x].d", "signed char"),
        ],
    ),
    shape(
        "packed bit-fields",
        "struct tight",
        [7, 7],
        2,
        &[view("$a[$x].a", "unsigned long long"), view("$a[$x].b", "int"), view("$a[$x].c", "unsigned")],
    ),
    shape("unions", "union both", [4, 4], 3, &[view("$a[$x].i", "int"), view("$a[$x].s[1]", "short")]),
    shape(
        "arrays in records",
        "struct inner",
        [12, 12],
        2,
        &[
            view("$a[$x].h", "char"),
            view("$a[$x].v[0]", "short"),
            view("$a[$x].v[1]", "short"),
            view("$a[$x].t", "int"),
        ],
    ),
    shape("bytes as ints", "unsigned char", [1, 1], 12, &[view("*(int *)($a + 4 * (($x) % 3))", "int")]),
    shape(
        "bytes as ints, off by one",
        "unsigned char",
        [1, 1],
        13,
        &[view("*(int *)($a + 1 + 4 * (($x) % 3))", "int")],
    ),
    shape("shorts as ints", "short", [2, 2], 6, &[view("*(int *)($a + 2 * (($x) % 3))", "int")]),
    shape(
        "bytes of ints",
        "int",
        [4, 4],
        2,
        &[
            view("((unsigned char *)$a)[4 * ($x) + 1]", "unsigned char"),
            view("((unsigned char *)$a)[4 * ($x) + 2]", "unsigned char"),
        ],
    ),
    shape(
        "ints and shorts",
        "int",
        [4, 4],
        3,
        &[view("$a[$x]", "int"), view("((short *)$a)[2 * ($x) + 1]", "short")],
    ),
    shape("gaps", "int", [4, 4], 4, &[view("$a[($x) & ~1]", "int")]),
];

/// Where an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Storage {
    /// A local variable.
    Local,
    /// A local variable with an initialiser of some elements.
    Initialised,
    /// A variable of the file, zero at the start.
    Static,
    /// A variable of the file with an initialiser.
    StaticInitialised,
    /// Allocated.
    Heap,
    /// Allocated and zeroed.
    Zeroed,
    /// The same, with a constant size.
    ZeroedConstant,
    /// Allocated on the stack.
    Stack,
    /// A local variable of the caller.
    Outer,
}

impl Storage {
    /// All of them.
    pub const ALL: &'static [Storage] = &[
        Storage::Local,
        Storage::Initialised,
        Storage::Static,
        Storage::StaticInitialised,
        Storage::Heap,
        Storage::Zeroed,
        Storage::ZeroedConstant,
        Storage::Stack,
        Storage::Outer,
    ];
}

/// How the address of the target is come by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Address {
    /// An expression.
    Plain,
    /// A local pointer, moved step by step.
    Moved,
    /// A pointer of the file, read through a pointer to it.
    Stored,
    /// A number.
    Number,
    /// A number minus the address.
    Minus,
    /// A number minus a number minus the address, as in `16 - (c - a)`.
    MinusMinus,
    /// The complement.
    Complement,
    /// Twice the address, and the address off it.
    Doubled,
    /// A union of a pointer and a number.
    Union,
    /// A pointer in a record that is copied.
    Record,
    /// The result of a function.
    Function,
    /// A pointer that was copied as bytes.
    Copied,
    /// One of two objects.
    Either,
    /// Behind the end of the object, and back.
    Behind,
}

impl Address {
    /// All of them.
    pub const ALL: &'static [Address] = &[
        Address::Plain,
        Address::Moved,
        Address::Stored,
        Address::Number,
        Address::Minus,
        Address::MinusMinus,
        Address::Complement,
        Address::Doubled,
        Address::Union,
        Address::Record,
        Address::Function,
        Address::Copied,
        Address::Either,
        Address::Behind,
    ];
}

/// Where in the object the target is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum At {
    /// At a constant number of bytes.
    Constant(u64),
    /// Anywhere.
    Variable,
    /// A constant number of bytes behind the start of any element.
    Element(u64),
}

/// Where the bytes come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// The operation has none.
    None,
    /// An object of the same shape, from a constant number of bytes on.
    Other(u64),
    /// The same object, at a variable number of bytes.
    Same,
    /// An array of bytes, from a constant number on.
    Bytes(u64),
}

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// `memset`.
    Fill,
    /// `memcpy`, or what is meant by it where the two overlap.
    Copy,
    /// Assignment of a record that is an array of bytes.
    Record,
    /// Assignment of one of [`TYPED`].
    Typed(usize),
    /// A record of bytes as an argument.
    Argument,
    /// A record of bytes as a result.
    Result,
    /// A record of bytes as the result of an external function.
    External,
    /// An external function gets the address.
    Change,
    /// A store of one of [`STORES`].
    Store(usize),
    /// A store to a bit-field of `struct bits` or `struct tight`.
    BitField(usize),
    /// `strncpy`.
    Text,
    /// A loop over bytes.
    Loop,
    /// `realloc`, to one more element and back.
    Realloc,
}

/// Scalars that are stored, and their sizes with 64 and 32 bits; 0 where there is no such type.
pub const STORES: &[(&str, [u64; 2])] = &[
    ("char", [1, 1]),
    ("short", [2, 2]),
    ("int", [4, 4]),
    ("long long", [8, 8]),
    ("__int128", [16, 0]),
    ("float", [4, 4]),
    ("double", [8, 8]),
    ("long double", [16, 12]),
    ("_Bool", [1, 1]),
    ("char *", [8, 4]),
];

/// Records that are assigned, and their sizes.
pub const TYPED: &[(&str, [u64; 2])] = &[
    ("struct two", [8, 8]),
    ("struct three", [6, 6]),
    ("struct odd", [5, 5]),
    ("union both", [4, 4]),
    ("struct bits", [8, 8]),
    ("struct real", [16, 12]),
    ("struct mixed", [16, 16]),
];
