//! Terms of backward proofs, in the manner of SMT-LIB.
//!
//! Operators are SMT-LIB's, with any number of operands where that is associative. Symbols are what they stand for:
//! `(global x)`, `(local f x)`, `(memory 3)`, `(exit (global x))`, `(address x)`, `(address f x)`, `(function f)`, `(any 0 32)` for
//! a watched number of 32 bits. Subterms that are used more than once, and those that are nested deeply, have names: `let t5 = …;`.

use std::fmt::Write;

use hardbop_alias::ObjectId;
use hardbop_base::Id;
use hardbop_base::text::Parse;
use hardbop_certify::backward::at_exit;
use hardbop_ir::{ProcId, Program, VarId, VarKind};
use hardbop_logic::{BvOp, Node, Scalar, Sort, Term, Terms};
use hardbop_predicate::own_variables;
use hardbop_semantics::{Cell, Encoder, Frame, Meaning, Object, Subject, Tally};
use rustc_hash::FxHashMap;

use crate::MAX_NESTING;
use crate::cursor::{Cursor, Kind, Pieces, spelled};
use crate::place::{parse_global, parse_own, parse_procedure, procedure_name};

/// A subterm gets a name where it is nested deeper than this.
const DEEP: usize = 30;

/// The widest bit-vector.
const MAX_WIDTH: u32 = 128;

const BV_OPERATORS: [(BvOp, &str); 11] = [
    (BvOp::Mul, "bvmul"),
    (BvOp::And, "bvand"),
    (BvOp::Or, "bvor"),
    (BvOp::Xor, "bvxor"),
    (BvOp::Udiv, "bvudiv"),
    (BvOp::Urem, "bvurem"),
    (BvOp::Sdiv, "bvsdiv"),
    (BvOp::Srem, "bvsrem"),
    (BvOp::Shl, "bvshl"),
    (BvOp::Lshr, "bvlshr"),
    (BvOp::Ashr, "bvashr"),
];

/// What symbols are written with.
pub(crate) struct Symbols<'a> {
    pub(crate) program: &'a Program,
    pub(crate) encoder: &'a Encoder,
    /// The cells whose values at the exit symbols stand for, by name.
    pub(crate) exits: &'a FxHashMap<String, Cell>,
}

impl Symbols<'_> {
    /// How a symbol is written, if it can be.
    fn spell(&self, symbol: Term) -> Option<String> {
        let name = self.encoder.terms.symbol_name(symbol)?;
        if let Some(&cell) = self.exits.get(name) {
            return Some(format!("(exit {})", self.cell(cell)?));
        }
        match self.encoder.meaning_of(symbol)? {
            Meaning::Cell(cell) => self.cell(cell),
            Meaning::Address(Object::Variable(Frame::ONLY, var)) => {
                Some(format!("(address {})", self.variable(var)?))
            }
            Meaning::Address(Object::Procedure(id)) => {
                Some(format!("(function {})", procedure_name(self.program, id)))
            }
            Meaning::Watched { number, width } => Some(format!("(any {number} {width})")),
            _ => None,
        }
    }

    fn cell(&self, cell: Cell) -> Option<String> {
        match cell {
            Cell::Global(var) => Some(format!("(global {})", self.variable(var)?)),
            Cell::Local(Frame::ONLY, var) => Some(format!("(local {})", self.variable(var)?)),
            Cell::Local(..) => None,
            Cell::Region(region) => Some(format!("(memory {})", region.index())),
            Cell::Live(kind) => Some(format!("(live {})", kind.index())),
            Cell::Tally(tally, kind) => Some(format!("({} {})", tally.name(), kind.index())),
        }
    }

    fn variable(&self, var: VarId) -> Option<String> {
        let variable = &self.program.variables[var];
        let name = spelled(&variable.name);
        if matches!(variable.kind, VarKind::Global | VarKind::Static) {
            return Some(name);
        }
        let owner = self.program.procedures.iter().find(|(_, p)| own_variables(p).any(|own| own == var))?;
        Some(format!("{} {name}", procedure_name(self.program, owner.0)))
    }
}

/// Definitions and terms, each with its own line; nothing if a symbol cannot be written.
pub(crate) fn print(symbols: &Symbols<'_>, roots: &[(&str, Term)], indent: &str) -> Option<String> {
    let terms = &symbols.encoder.terms;
    let all: Vec<Term> = roots.iter().map(|&(_, term)| term).collect();
    let mut uses: FxHashMap<Term, usize> = FxHashMap::default();
    let subterms = terms.subterms(&all);
    for &term in &subterms {
        terms.node(term).for_each_operand(|operand| *uses.entry(operand).or_default() += 1);
    }
    all.iter().for_each(|&root| *uses.entry(root).or_default() += 1);
    let mut out = String::new();
    let mut names = 0;
    let mut written: FxHashMap<Term, (String, usize)> = FxHashMap::default();
    for term in subterms {
        let (mut text, mut depth) = write_term(symbols, term, &written)?;
        let is_leaf = terms.node(term).is_constant() || matches!(terms.node(term), Node::Symbol { .. });
        if !is_leaf && (uses.get(&term).is_some_and(|&uses| uses > 1) || depth > DEEP) {
            // Writing to a String cannot fail.
            let _ = write!(out, "\n{indent}let t{names} = {text};");
            (text, depth) = (format!("t{names}"), 0);
            names += 1;
        }
        written.insert(term, (text, depth));
    }
    for &(name, root) in roots {
        let _ = write!(out, "\n{indent}{name}: {};", written.get(&root)?.0);
    }
    Some(out)
}

fn write_term(
    symbols: &Symbols<'_>,
    term: Term,
    written: &FxHashMap<Term, (String, usize)>,
) -> Option<(String, usize)> {
    let terms = &symbols.encoder.terms;
    let leaf = |text: String| Some((text, 0));
    let (head, operands): (String, Vec<String>) = match *terms.node(term) {
        Node::Symbol { .. } => return leaf(symbols.spell(term)?),
        Node::Bool(value) => return leaf(value.to_string()),
        Node::Int(value) => return leaf(value.to_string()),
        Node::BitVec { value, width } => return leaf(bits(value, width)),
        Node::IntSum(ref sum) => {
            let mut operands: Vec<String> = Vec::new();
            for &(coefficient, part) in &sum.parts {
                let part = &written.get(&part)?.0;
                operands.push(if coefficient == 1 {
                    part.clone()
                } else {
                    format!("(* {coefficient} {part})")
                });
            }
            operands.push(sum.constant.to_string());
            ("+".to_owned(), operands)
        }
        Node::BvSum(ref sum) => {
            let width = terms.width(term);
            let mut operands: Vec<String> = Vec::new();
            for &(coefficient, part) in &sum.parts {
                let part = &written.get(&part)?.0;
                operands.push(match coefficient {
                    1 => part.clone(),
                    _ => format!("(bvmul {} {part})", bits(coefficient, width)),
                });
            }
            operands.push(bits(sum.constant, width));
            ("bvadd".to_owned(), operands)
        }
        ref node => {
            let mut operands = Vec::new();
            let mut complete = true;
            node.for_each_operand(|operand| match written.get(&operand) {
                Some((text, _)) => operands.push(text.clone()),
                None => complete = false,
            });
            if !complete {
                return None;
            }
            (operator(node)?, operands)
        }
    };
    let mut depth = 0;
    terms.node(term).for_each_operand(|operand| {
        depth = depth.max(written.get(&operand).map_or(0, |&(_, depth)| depth));
    });
    // A summand with a factor is one level more.
    Some((format!("({head} {})", operands.join(" ")), depth + 2))
}

/// The operator of a term, with its indices.
fn operator(node: &Node) -> Option<String> {
    let name = match *node {
        Node::Not(_) => "not",
        Node::And(_) => "and",
        Node::Eq(..) => "=",
        Node::Ite(..) => "ite",
        Node::IntMul(..) => "*",
        Node::IntDiv(..) => "div",
        Node::IntMod(..) => "mod",
        Node::IntLe(..) => "<=",
        Node::BvNot(_) => "bvnot",
        Node::Bv(op, ..) => BV_OPERATORS.into_iter().find(|&(known, _)| known == op)?.1,
        Node::BvUle(..) => "bvule",
        Node::BvSle(..) => "bvsle",
        Node::Concat(..) => "concat",
        Node::Select(..) => "select",
        Node::Store(..) => "store",
        Node::Extract { high, low, .. } => return Some(format!("extract {high} {low}")),
        Node::ZeroExtend { width, .. } => return Some(format!("zero-extend {width}")),
        Node::SignExtend { width, .. } => return Some(format!("sign-extend {width}")),
        Node::ConstantArray { index, .. } => return Some(format!("constant-array {}", scalar(index))),
        Node::Symbol { .. }
        | Node::Bool(_)
        | Node::Int(_)
        | Node::BitVec { .. }
        | Node::IntSum(_)
        | Node::BvSum(_) => return None,
    };
    Some(name.to_owned())
}

fn scalar(sort: Scalar) -> String {
    match sort {
        Scalar::Bool => "bool".to_owned(),
        Scalar::Int => "int".to_owned(),
        Scalar::BitVec(width) => format!("bits {width}"),
    }
}

fn bits(value: u128, width: u32) -> String {
    match width % 4 {
        0 => format!("#x{value:0digits$x}", digits = width as usize / 4),
        _ => format!("#b{value:0digits$b}", digits = width as usize),
    }
}

/// Reads terms of a program.
pub(crate) struct Reader<'a, 't> {
    pub(crate) cursor: &'a mut Cursor<'t>,
    pub(crate) subject: Subject<'a>,
    pub(crate) encoder: &'a mut Encoder,
}

type Names = FxHashMap<usize, Term>;

impl Reader<'_, '_> {
    /// Reads definitions, then one term of sort Bool for each name.
    pub(crate) fn conditions<const N: usize>(&mut self, wanted: [&str; N]) -> Parse<[Term; N]> {
        let mut names = Names::default();
        while self.cursor.eat_word("let") {
            let span = self.cursor.here();
            let name = self.cursor.numbered('t', "the name of a term like `t5`")?;
            self.cursor.expect("=")?;
            let term = self.term(&names)?;
            self.cursor.expect(";")?;
            if names.insert(name, term).is_some() {
                return Err(self.cursor.error(span, format!("`t{name}` is there already")));
            }
        }
        let mut found = [self.encoder.terms.bool(true); N];
        for (slot, name) in found.iter_mut().zip(wanted) {
            self.cursor.expect_word(name)?;
            self.cursor.expect(":")?;
            let span = self.cursor.here();
            *slot = self.term(&names)?;
            if self.terms().sort(*slot) != Sort::Bool {
                return Err(self.cursor.error(span, "this is no condition"));
            }
            self.cursor.expect(";")?;
        }
        Ok(found)
    }

    fn terms(&mut self) -> &mut Terms {
        &mut self.encoder.terms
    }

    fn term(&mut self, names: &Names) -> Parse<Term> {
        if !self.cursor.enter(MAX_NESTING + 1) {
            return Err(self.cursor.error_here(format!("nested more than {MAX_NESTING} deep")));
        }
        let term = self.plain_term(names);
        self.cursor.leave();
        term
    }

    fn plain_term(&mut self, names: &Names) -> Parse<Term> {
        if self.cursor.eat("(") {
            let term = self.application(names)?;
            self.cursor.expect(")")?;
            return Ok(term);
        }
        let span = self.cursor.here();
        match self.cursor.token.kind {
            Kind::Word(word @ ("true" | "false")) => {
                self.cursor.advance();
                Ok(self.terms().bool(word == "true"))
            }
            Kind::Number(_) => {
                let value: i128 = self.cursor.number("an integer")?;
                Ok(self.terms().int(value))
            }
            Kind::Bits(digits) => {
                let Some((value, width)) = bits_of(digits) else {
                    return Err(self.cursor.error(span, "a bit-vector has 1 to 128 bits"));
                };
                self.cursor.advance();
                Ok(self.terms().bv(value, width))
            }
            Kind::Word(_) => {
                let name = self.cursor.numbered('t', "a term")?;
                match names.get(&name) {
                    Some(&term) => Ok(term),
                    None => Err(self.cursor.error(span, format!("there is no `t{name}` above"))),
                }
            }
            _ => Err(self.cursor.unexpected("a term")),
        }
    }

    /// What stands in parentheses.
    fn application(&mut self, names: &Names) -> Parse<Term> {
        let span = self.cursor.here();
        let head = match self.cursor.token.kind {
            Kind::Word(word) => word,
            Kind::Punct(punct @ ("+" | "*" | "=" | "<=")) => punct,
            _ => return Err(self.cursor.unexpected("an operator")),
        };
        self.cursor.advance();
        match head {
            "global" | "local" | "memory" | "live" => {
                let cell = self.cell(head)?;
                return Ok(self.encoder.on(self.subject).initial(cell));
            }
            _ if Tally::ALL.into_iter().any(|tally| tally.name() == head) => {
                let cell = self.cell(head)?;
                return Ok(self.encoder.on(self.subject).initial(cell));
            }
            "exit" => {
                self.cursor.expect("(")?;
                let kind = self.cursor.word("`global`, `local`, `memory` or `live`")?;
                let cell = self.cell(kind)?;
                self.cursor.expect(")")?;
                return Ok(at_exit(self.encoder, self.subject, cell));
            }
            "address" => return self.address(),
            "function" => {
                let procedure = self.any_procedure()?;
                return Ok(self.encoder.on(self.subject).procedure_address(procedure));
            }
            "any" => {
                let number = self.cursor.number::<u32>("the number of a watched symbol")?;
                let width = self.width()?;
                return Ok(self.encoder.watched(number, width));
            }
            _ => {}
        }
        let mut indices = Vec::new();
        let count = match head {
            "extract" => 2,
            "zero-extend" | "sign-extend" => 1,
            _ => 0,
        };
        for _ in 0..count {
            indices.push(self.cursor.number::<u32>("an index")?);
        }
        let index_sort = if head == "constant-array" { Some(self.scalar()?) } else { None };
        let mut operands = Vec::new();
        while !self.cursor.at(")") {
            operands.push(self.term(names)?);
        }
        match apply(self.terms(), head, &indices, index_sort, &operands) {
            Some(term) => Ok(term),
            None => Err(self.cursor.error(span, format!("`{head}` does not take these operands"))),
        }
    }

    fn width(&mut self) -> Parse<u32> {
        let span = self.cursor.here();
        match self.cursor.number::<u32>("a width")? {
            width @ 1..=MAX_WIDTH => Ok(width),
            _ => Err(self.cursor.error(span, "a bit-vector has 1 to 128 bits")),
        }
    }

    fn scalar(&mut self) -> Parse<Scalar> {
        let span = self.cursor.here();
        match self.cursor.word("a sort")? {
            "bool" => Ok(Scalar::Bool),
            "int" => Ok(Scalar::Int),
            "bits" => Ok(Scalar::BitVec(self.width()?)),
            _ => Err(self.cursor.error(span, "the sorts are `bool`, `int` and `bits WIDTH`")),
        }
    }

    /// A cell behind the word that says what it is.
    fn cell(&mut self, kind: &str) -> Parse<Cell> {
        let program = self.subject.program;
        let span = self.cursor.here();
        let cell = match kind {
            "global" => Cell::Global(parse_global(self.cursor, program)?),
            "local" => {
                let procedure = parse_procedure(self.cursor, program)?;
                Cell::Local(Frame::ONLY, parse_own(self.cursor, program, procedure)?)
            }
            "memory" => {
                let number: usize = self.cursor.number("the number of a region")?;
                if number >= self.subject.regions.regions().len() {
                    return Err(self.cursor.error(span, format!("there is no region {number}")));
                }
                return Ok(Cell::Region(Id::from_usize(number)));
            }
            "live" => return Ok(Cell::Live(self.heap_kind()?)),
            _ => match Tally::ALL.into_iter().find(|tally| tally.name() == kind) {
                Some(tally) => return Ok(Cell::Tally(tally, self.heap_kind()?)),
                None => {
                    return Err(self.cursor.error(span, "expected `global`, `local`, `memory` or `live`"));
                }
            },
        };
        let (Cell::Global(var) | Cell::Local(_, var)) = cell else { return Ok(cell) };
        let is_register = self.encoder.on(self.subject).is_register(var);
        if is_register && program.is_scalar(program.variables[var].ty) {
            return Ok(cell);
        }
        Err(self.cursor.error(span, "this variable is in memory, and no cell of its own"))
    }

    /// The number of the first object of a kind of heap objects.
    fn heap_kind(&mut self) -> Parse<ObjectId> {
        let span = self.cursor.here();
        let number: usize = self.cursor.number("the number of an object")?;
        let mut objects = self.subject.alias.objects().iter().map(|(id, _)| id);
        objects
            .find(|id| id.index() == number)
            .ok_or_else(|| self.cursor.error(span, format!("there is no object {number}")))
    }

    /// The address of a global, or of a variable of a procedure.
    fn address(&mut self) -> Parse<Term> {
        let program = self.subject.program;
        let is_name = matches!(self.cursor.peek(), Kind::Word(_) | Kind::Text(_));
        let is_global = is_name && self.cursor.peek_at(1) == Kind::Punct(")");
        let var = if is_global {
            parse_global(self.cursor, program)?
        } else {
            let procedure = parse_procedure(self.cursor, program)?;
            parse_own(self.cursor, program, procedure)?
        };
        Ok(self.encoder.on(self.subject).variable_address(Frame::ONLY, var))
    }

    /// A procedure, with a body or without.
    fn any_procedure(&mut self) -> Parse<ProcId> {
        let span = self.cursor.here();
        let name = self.cursor.name("the name of a procedure")?;
        let found = self.subject.program.procedures.iter().find(|(_, p)| p.name == name);
        found
            .map(|(id, _)| id)
            .ok_or_else(|| self.cursor.error(span, format!("the program has no procedure `{name}`")))
    }
}

/// The value and width of `#x…` or `#b…`.
fn bits_of(digits: &str) -> Option<(u128, u32)> {
    let (radix, each, digits) = match digits.strip_prefix("#x") {
        Some(digits) => (16, 4, digits),
        None => (2, 1, digits.strip_prefix("#b")?),
    };
    let width = u32::try_from(digits.len()).ok()?.checked_mul(each)?;
    if !(1..=MAX_WIDTH).contains(&width) || !digits.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return None;
    }
    Some((u128::from_str_radix(digits, radix).ok()?, width))
}

/// An operator applied; nothing if the operands do not fit.
fn apply(
    terms: &mut Terms,
    head: &str,
    indices: &[u32],
    index_sort: Option<Scalar>,
    operands: &[Term],
) -> Option<Term> {
    let sorts: Vec<Sort> = operands.iter().map(|&operand| terms.sort(operand)).collect();
    let all = |sort: Sort| sorts.iter().all(|&found| found == sort);
    let width = match sorts.first() {
        Some(&Sort::BitVec(width)) => Some(width),
        _ => None,
    };
    let same_bits = width.filter(|&width| all(Sort::BitVec(width)));
    if let Some(&(op, _)) = BV_OPERATORS.iter().find(|&&(_, name)| name == head) {
        let &[a, b] = operands else { return None };
        same_bits?;
        return Some(terms.bv_apply(op, a, b));
    }
    Some(match (head, operands) {
        ("not", &[a]) if all(Sort::Bool) => terms.not(a),
        ("and", _) if all(Sort::Bool) => terms.and(operands),
        ("=", &[a, b]) if sorts[0] == sorts[1] => terms.eq(a, b),
        ("ite", &[c, a, b]) if sorts[0] == Sort::Bool && sorts[1] == sorts[2] => terms.ite(c, a, b),
        ("+", &[first, ref rest @ ..]) if all(Sort::Int) => {
            rest.iter().fold(first, |sum, &part| terms.int_add(sum, part))
        }
        ("*", &[a, b]) if all(Sort::Int) => terms.int_mul(a, b),
        ("div", &[a, b]) if all(Sort::Int) => terms.int_div(a, b),
        ("mod", &[a, b]) if all(Sort::Int) => terms.int_mod(a, b),
        ("<=", &[a, b]) if all(Sort::Int) => terms.int_le(a, b),
        ("bvadd", &[first, ref rest @ ..]) if same_bits.is_some() => {
            rest.iter().fold(first, |sum, &part| terms.bv_add(sum, part))
        }
        ("bvnot", &[a]) if width.is_some() => terms.bv_not(a),
        ("bvule", &[a, b]) if same_bits.is_some() => terms.bv_ule(a, b),
        ("bvsle", &[a, b]) if same_bits.is_some() => terms.bv_sle(a, b),
        ("concat", &[high, low]) => match (sorts[0], sorts[1]) {
            (Sort::BitVec(a), Sort::BitVec(b)) if a + b <= MAX_WIDTH => terms.concat(high, low),
            _ => return None,
        },
        ("extract", &[of]) => match (indices, width) {
            (&[high, low], Some(width)) if low <= high && high < width => terms.extract(high, low, of),
            _ => return None,
        },
        ("zero-extend" | "sign-extend", &[of]) => match (indices, width) {
            (&[to], Some(width)) if (width..=MAX_WIDTH).contains(&to) => match head {
                "zero-extend" => terms.zero_extend(to, of),
                _ => terms.sign_extend(to, of),
            },
            _ => return None,
        },
        ("select", &[array, index]) => match sorts[0] {
            Sort::Array(by, _) if sorts[1] == by.into() => terms.select(array, index),
            _ => return None,
        },
        ("store", &[array, index, value]) => match sorts[0] {
            Sort::Array(by, of) if sorts[1] == by.into() && sorts[2] == of.into() => {
                terms.store(array, index, value)
            }
            _ => return None,
        },
        ("constant-array", &[value]) if sorts[0].scalar().is_some() => {
            terms.constant_array(index_sort?, value)
        }
        _ => return None,
    })
}
