//! Random formulas with a meaning of their own.
//!
//! A [`Recipe`] is a list of operations on earlier results. It can be cooked into simplified terms, or
//! evaluated directly, by code that shares nothing with the simplifier or with `Terms::evaluate`: what
//! both give must agree.

use std::collections::BTreeMap;

use hardbop_logic::{BvOp, Model, Scalar, Sort, Term, Terms, Value};

use crate::Rng;

/// What formulas are made of.
#[derive(Debug, Clone)]
pub struct Shape {
    /// How many operations.
    pub steps: usize,
    /// The widths of bit-vectors.
    pub widths: Vec<u32>,
    /// Whether there are arrays between these widths.
    pub arrays: bool,
    /// Whether there are integers.
    pub integers: bool,
    /// Whether there are equalities of arrays.
    pub array_equalities: bool,
    /// Whether there are products and quotients of terms, which make queries hard.
    pub products: bool,
}

/// One operation.
#[derive(Debug, Clone)]
pub struct FormulaStep {
    /// What the operation gives.
    pub sort: Sort,
    op: Op,
    operands: Vec<usize>,
}

#[derive(Debug, Clone, PartialEq)]
enum Op {
    Symbol(String),
    Constant(Value),
    Not,
    And,
    Or,
    Implies,
    Xor,
    Iff,
    Ite,
    Eq,
    Ne,
    IntNeg,
    IntAdd,
    IntSub,
    IntMul,
    IntDiv,
    IntMod,
    IntLe,
    IntLt,
    BvNeg,
    BvNot,
    BvAdd,
    BvSub,
    Bv(BvOp),
    Ult,
    Ule,
    Slt,
    Sle,
    Concat,
    Extract(u32, u32),
    ZeroExtend,
    SignExtend,
    Select,
    Store,
    ConstantArray,
}

/// A list of operations.
#[derive(Debug, Clone)]
pub struct Recipe {
    /// The operations; operands come before their users.
    pub steps: Vec<FormulaStep>,
}

impl Recipe {
    /// The recipe of a seed.
    pub fn random(rng: &mut Rng, shape: &Shape) -> Recipe {
        let mut recipe = Recipe { steps: Vec::new() };
        let mut sorts = vec![Sort::Bool];
        sorts.extend(shape.widths.iter().map(|&width| Sort::BitVec(width)));
        if shape.integers {
            sorts.push(Sort::Int);
        }
        if shape.arrays {
            let mut scalars: Vec<Scalar> = sorts.iter().filter_map(|sort| sort.scalar()).collect();
            scalars.retain(|scalar| *scalar != Scalar::Bool || rng.one_in(3));
            let index = *rng.pick(&scalars).unwrap_or(&Scalar::Bool);
            let element = *rng.pick(&scalars).unwrap_or(&Scalar::Bool);
            sorts.push(Sort::Array(index, element));
        }
        for (number, &sort) in sorts.iter().enumerate() {
            for copy in 0..2 + rng.below(2) {
                recipe.push(sort, Op::Symbol(format!("s{number}_{copy}")), &[]);
            }
        }
        while recipe.steps.len() < shape.steps {
            let sort = *rng.pick(&sorts).unwrap_or(&Sort::Bool);
            recipe.grow(rng, shape, sort);
        }
        recipe
    }

    fn push(&mut self, sort: Sort, op: Op, operands: &[usize]) {
        self.steps.push(FormulaStep { sort, op, operands: operands.to_vec() });
    }

    /// An earlier result of a sort, rather a late one.
    fn earlier(&self, rng: &mut Rng, sort: Sort) -> usize {
        let of_sort: Vec<usize> = (0..self.steps.len()).filter(|&i| self.steps[i].sort == sort).collect();
        let late = of_sort.len().saturating_sub(4);
        let pool = if rng.one_in(2) { &of_sort[late..] } else { &of_sort[..] };
        *rng.pick(pool).expect("there are symbols of each sort")
    }

    fn grow(&mut self, rng: &mut Rng, shape: &Shape, sort: Sort) {
        if rng.one_in(6)
            && let Some(value) = random_scalar(rng, sort)
        {
            return self.push(sort, Op::Constant(value), &[]);
        }
        if rng.one_in(8) {
            let operands = [Sort::Bool, sort, sort].map(|sort| self.earlier(rng, sort));
            return self.push(sort, Op::Ite, &operands);
        }
        match sort {
            Sort::Bool => self.grow_bool(rng, shape),
            Sort::Int => self.grow_int(rng, shape),
            Sort::BitVec(width) => self.grow_vector(rng, shape, width),
            Sort::Array(index, element) => {
                let operands = [sort, index.into(), element.into()].map(|sort: Sort| self.earlier(rng, sort));
                match rng.below(8) {
                    0 => self.push(sort, Op::ConstantArray, &operands[2..]),
                    _ => self.push(sort, Op::Store, &operands),
                }
            }
        }
    }

    /// The sort of an earlier result that satisfies a condition.
    fn some_sort(&self, rng: &mut Rng, condition: impl Fn(Sort) -> bool) -> Option<Sort> {
        let sorts: Vec<Sort> =
            self.steps.iter().map(|step| step.sort).filter(|&sort| condition(sort)).collect();
        rng.pick(&sorts).copied()
    }

    fn grow_bool(&mut self, rng: &mut Rng, shape: &Shape) {
        let two =
            |recipe: &Recipe, rng: &mut Rng, sort| [recipe.earlier(rng, sort), recipe.earlier(rng, sort)];
        let op = match rng.below(12) {
            0 => Op::Not,
            1 | 2 => Op::And,
            3 => Op::Or,
            4 => Op::Implies,
            5 => Op::Xor,
            6 => Op::Iff,
            7 | 8 => {
                let comparable = |sort| shape.array_equalities || !matches!(sort, Sort::Array(..));
                let sort = self.some_sort(rng, comparable).unwrap_or(Sort::Bool);
                let operands = two(self, rng, sort);
                let op = if rng.one_in(2) { Op::Eq } else { Op::Ne };
                return self.push(Sort::Bool, op, &operands);
            }
            _ => return self.grow_comparison(rng),
        };
        let mut operands = two(self, rng, Sort::Bool).to_vec();
        if matches!(op, Op::And | Op::Or) {
            operands.push(self.earlier(rng, Sort::Bool));
        }
        self.push(Sort::Bool, op, &operands);
    }

    fn grow_comparison(&mut self, rng: &mut Rng) {
        let sort = self.some_sort(rng, |sort| matches!(sort, Sort::BitVec(_) | Sort::Int));
        let sort = sort.unwrap_or(Sort::Bool);
        let op = match (sort, rng.below(4)) {
            (Sort::Int, 0 | 1) => Op::IntLe,
            (Sort::Int, _) => Op::IntLt,
            (Sort::Bool, _) => Op::Xor,
            (_, 0) => Op::Ult,
            (_, 1) => Op::Ule,
            (_, 2) => Op::Slt,
            _ => Op::Sle,
        };
        let operands = [self.earlier(rng, sort), self.earlier(rng, sort)];
        self.push(Sort::Bool, op, &operands);
    }

    fn grow_int(&mut self, rng: &mut Rng, shape: &Shape) {
        let op = match rng.below(9) {
            0 => Op::IntNeg,
            1..=3 => Op::IntAdd,
            4 | 5 => Op::IntSub,
            6 if shape.products => Op::IntMul,
            7 if shape.products => Op::IntDiv,
            8 if shape.products => Op::IntMod,
            _ => return self.grow_select(rng, Sort::Int),
        };
        let operands = [self.earlier(rng, Sort::Int), self.earlier(rng, Sort::Int)];
        self.push(Sort::Int, op, &operands);
    }

    fn grow_select(&mut self, rng: &mut Rng, sort: Sort) {
        let fits = |array| matches!(array, Sort::Array(_, element) if Sort::from(element) == sort);
        let Some(array @ Sort::Array(index, _)) = self.some_sort(rng, fits) else { return };
        let operands = [self.earlier(rng, array), self.earlier(rng, index.into())];
        self.push(sort, Op::Select, &operands);
    }

    fn grow_vector(&mut self, rng: &mut Rng, shape: &Shape, width: u32) {
        let sort = Sort::BitVec(width);
        let op = match rng.below(22) {
            0 => Op::BvNeg,
            1 => Op::BvNot,
            2..=4 => Op::BvAdd,
            5 | 6 => Op::BvSub,
            7 => Op::Bv(BvOp::And),
            8 => Op::Bv(BvOp::Or),
            9 => Op::Bv(BvOp::Xor),
            10 => Op::Bv(BvOp::Shl),
            11 => Op::Bv(BvOp::Lshr),
            12 => Op::Bv(BvOp::Ashr),
            13 if shape.products => Op::Bv(BvOp::Mul),
            14 if shape.products => Op::Bv(BvOp::Udiv),
            15 if shape.products => Op::Bv(BvOp::Urem),
            16 if shape.products => Op::Bv(BvOp::Sdiv),
            17 if shape.products => Op::Bv(BvOp::Srem),
            18 | 19 => return self.grow_select(rng, sort),
            _ => return self.grow_slice(rng, width),
        };
        let operands = [self.earlier(rng, sort), self.earlier(rng, sort)];
        self.push(sort, op, &operands);
    }

    fn grow_slice(&mut self, rng: &mut Rng, width: u32) {
        let other = self.some_sort(rng, |sort| matches!(sort, Sort::BitVec(_)));
        let Some(sort @ Sort::BitVec(from)) = other else { return };
        let operand = self.earlier(rng, sort);
        let op = match from.cmp(&width) {
            std::cmp::Ordering::Greater => {
                let low = rng.below((from - width + 1) as usize) as u32;
                Op::Extract(low + width - 1, low)
            }
            std::cmp::Ordering::Less => {
                let rest = Sort::BitVec(width - from);
                if rng.one_in(2) && self.steps.iter().any(|step| step.sort == rest) {
                    let operands = [operand, self.earlier(rng, rest)];
                    return self.push(Sort::BitVec(width), Op::Concat, &operands);
                }
                if rng.one_in(2) { Op::ZeroExtend } else { Op::SignExtend }
            }
            std::cmp::Ordering::Equal => return,
        };
        self.push(Sort::BitVec(width), op, &[operand]);
    }

    /// The steps of sort Bool.
    pub fn truths(&self) -> Vec<usize> {
        (0..self.steps.len()).filter(|&i| self.steps[i].sort == Sort::Bool).collect()
    }

    /// The terms of all steps.
    pub fn cook(&self, terms: &mut Terms) -> Vec<Term> {
        let mut made: Vec<Term> = Vec::new();
        for step in &self.steps {
            let operands: Vec<Term> = step.operands.iter().map(|&i| made[i]).collect();
            made.push(apply(terms, step, &operands));
        }
        made
    }

    /// Random values for the symbols of this recipe.
    pub fn random_model(&self, rng: &mut Rng, terms: &mut Terms) -> Model {
        let mut model = Model::default();
        for step in &self.steps {
            if let Op::Symbol(name) = &step.op {
                let symbol = terms.symbol(name, step.sort);
                model.values.insert(symbol, random_value(rng, step.sort));
            }
        }
        model
    }

    /// The values of all steps, unless an integer gets too large. `terms` is asked for symbols only.
    pub fn evaluate(&self, terms: &mut Terms, model: &Model) -> Option<Vec<Value>> {
        let mut values: Vec<Value> = Vec::new();
        for step in &self.steps {
            let operands: Vec<&Value> = step.operands.iter().map(|&i| &values[i]).collect();
            let value = match &step.op {
                Op::Symbol(name) => {
                    let symbol = terms.symbol(name, step.sort);
                    model.get(symbol).cloned().unwrap_or_else(|| Value::zero(step.sort))
                }
                _ => compute(step, &operands)?,
            };
            values.push(value);
        }
        Some(values)
    }
}

fn apply(t: &mut Terms, step: &FormulaStep, x: &[Term]) -> Term {
    let width = match step.sort {
        Sort::BitVec(width) => width,
        _ => 0,
    };
    match &step.op {
        Op::Symbol(name) => t.symbol(name, step.sort),
        Op::Constant(Value::Bool(value)) => t.bool(*value),
        Op::Constant(Value::Int(value)) => t.int(*value),
        Op::Constant(Value::BitVec { value, width }) => t.bv(*value, *width),
        Op::Constant(Value::Array { .. }) => unreachable!("constants are scalars"),
        Op::Not => t.not(x[0]),
        Op::And => t.and(x),
        Op::Or => t.or(x),
        Op::Implies => t.implies(x[0], x[1]),
        Op::Xor => t.xor(x[0], x[1]),
        Op::Iff => t.iff(x[0], x[1]),
        Op::Ite => t.ite(x[0], x[1], x[2]),
        Op::Eq => t.eq(x[0], x[1]),
        Op::Ne => t.ne(x[0], x[1]),
        Op::IntNeg => t.int_neg(x[0]),
        Op::IntAdd => t.int_add(x[0], x[1]),
        Op::IntSub => t.int_sub(x[0], x[1]),
        Op::IntMul => t.int_mul(x[0], x[1]),
        Op::IntDiv => t.int_div(x[0], x[1]),
        Op::IntMod => t.int_mod(x[0], x[1]),
        Op::IntLe => t.int_le(x[0], x[1]),
        Op::IntLt => t.int_lt(x[0], x[1]),
        Op::BvNeg => t.bv_neg(x[0]),
        Op::BvNot => t.bv_not(x[0]),
        Op::BvAdd => t.bv_add(x[0], x[1]),
        Op::BvSub => t.bv_sub(x[0], x[1]),
        Op::Bv(op) => t.bv_apply(*op, x[0], x[1]),
        Op::Ult => t.bv_ult(x[0], x[1]),
        Op::Ule => t.bv_ule(x[0], x[1]),
        Op::Slt => t.bv_slt(x[0], x[1]),
        Op::Sle => t.bv_sle(x[0], x[1]),
        Op::Concat => t.concat(x[0], x[1]),
        Op::Extract(high, low) => t.extract(*high, *low, x[0]),
        Op::ZeroExtend => t.zero_extend(width, x[0]),
        Op::SignExtend => t.sign_extend(width, x[0]),
        Op::Select => t.select(x[0], x[1]),
        Op::Store => t.store(x[0], x[1], x[2]),
        Op::ConstantArray => {
            let Sort::Array(index, _) = step.sort else { unreachable!("constant arrays are arrays") };
            t.constant_array(index, x[0])
        }
    }
}

/// The value of an operation, from the definitions of SMT-LIB.
fn compute(step: &FormulaStep, x: &[&Value]) -> Option<Value> {
    match step.sort {
        Sort::Bool if step.op != Op::Select && step.op != Op::Ite => compute_bool(step, x),
        _ => match &step.op {
            Op::Constant(value) => Some(value.clone()),
            Op::Ite => Some(if *x[0] == Value::Bool(true) { x[1].clone() } else { x[2].clone() }),
            Op::Select => x[0].element(x[1]).cloned(),
            Op::Store => {
                let Value::Array { default, entries } = x[0] else { return None };
                let mut entries = entries.clone();
                entries.insert(x[1].clone(), x[2].clone());
                Some(Value::array((**default).clone(), entries))
            }
            Op::ConstantArray => Some(Value::array(x[0].clone(), BTreeMap::new())),
            _ => match step.sort {
                Sort::Int => compute_int(&step.op, x).map(Value::Int),
                Sort::BitVec(width) => Some(Value::bv(compute_vector(&step.op, x, width)?, width)),
                Sort::Bool | Sort::Array(..) => None,
            },
        },
    }
}

fn compute_bool(step: &FormulaStep, x: &[&Value]) -> Option<Value> {
    let truths: Vec<bool> = x.iter().filter_map(|value| value.as_bool()).collect();
    let ints = || Some((x[0].as_int()?, x[1].as_int()?));
    let bits = || Some((x[0].as_bits()?, x[1].as_bits()?));
    let signed = || Some((x[0].as_signed()?, x[1].as_signed()?));
    Some(Value::Bool(match step.op {
        Op::Constant(ref value) => return Some(value.clone()),
        Op::Not => !truths[0],
        Op::And => truths.iter().all(|&truth| truth),
        Op::Or => truths.iter().any(|&truth| truth),
        Op::Implies => !truths[0] || truths[1],
        Op::Xor => truths[0] != truths[1],
        Op::Iff => truths[0] == truths[1],
        Op::Eq => same(x[0], x[1]),
        Op::Ne => !same(x[0], x[1]),
        Op::IntLe => ints().map(|(a, b)| a <= b)?,
        Op::IntLt => ints().map(|(a, b)| a < b)?,
        Op::Ult => bits().map(|(a, b)| a < b)?,
        Op::Ule => bits().map(|(a, b)| a <= b)?,
        Op::Slt => signed().map(|(a, b)| a < b)?,
        Op::Sle => signed().map(|(a, b)| a <= b)?,
        _ => return None,
    }))
}

/// Equality, of arrays at every index.
fn same(a: &Value, b: &Value) -> bool {
    let (Value::Array { default: da, entries: ea }, Value::Array { default: db, entries: eb }) = (a, b)
    else {
        return a == b;
    };
    let named: std::collections::BTreeSet<&Value> = ea.keys().chain(eb.keys()).collect();
    let all_named = match named.first() {
        Some(Value::Bool(_)) => named.len() == 2,
        Some(Value::BitVec { width, .. }) => *width < 20 && named.len() == 1 << width,
        _ => false,
    };
    named.iter().all(|at| a.element(at) == b.element(at)) && (all_named || da == db)
}

fn compute_int(op: &Op, x: &[&Value]) -> Option<i128> {
    let (a, b) = (x[0].as_int()?, x[1].as_int()?);
    // Products of products would soon leave what a test can compute with.
    let small = |n: i128| (n.abs() < 1 << 60).then_some(n);
    let (a, b) = (small(a)?, small(b)?);
    Some(match op {
        Op::IntNeg => -a,
        Op::IntAdd => a + b,
        Op::IntSub => a - b,
        Op::IntMul => a * b,
        Op::IntDiv if b == 0 => 0,
        Op::IntMod if b == 0 => a,
        Op::IntDiv => (a - a.rem_euclid(b)) / b,
        Op::IntMod => ((a % b) + b.abs()) % b.abs(),
        _ => return None,
    })
}

fn compute_vector(op: &Op, x: &[&Value], width: u32) -> Option<u128> {
    let modulus = (u128::MAX >> (128 - width)).wrapping_add(1);
    let a = x[0].as_bits()?;
    let b = || x[1].as_bits();
    let wrap = |n: i128| n as u128;
    Some(match op {
        Op::BvNeg => a.wrapping_neg(),
        Op::BvNot => !a,
        Op::BvAdd => a.wrapping_add(b()?),
        Op::BvSub => a.wrapping_sub(b()?),
        Op::Bv(BvOp::Mul) => a.wrapping_mul(b()?),
        Op::Bv(BvOp::And) => a & b()?,
        Op::Bv(BvOp::Or) => a | b()?,
        Op::Bv(BvOp::Xor) => a ^ b()?,
        Op::Bv(BvOp::Udiv) if b()? == 0 => modulus.wrapping_sub(1),
        Op::Bv(BvOp::Urem) if b()? == 0 => a,
        Op::Bv(BvOp::Udiv) => a / b()?,
        Op::Bv(BvOp::Urem) => a % b()?,
        Op::Bv(BvOp::Sdiv) => match (x[0].as_signed()?, x[1].as_signed()?) {
            (a, 0) if a < 0 => 1,
            (_, 0) => wrap(-1),
            (a, b) => wrap(a.wrapping_div(b)),
        },
        Op::Bv(BvOp::Srem) => match (x[0].as_signed()?, x[1].as_signed()?) {
            (_, 0) => a,
            (a, b) => wrap(a.wrapping_rem(b)),
        },
        Op::Bv(BvOp::Shl) => shift(b()?, width).map_or(0, |by| a << by),
        Op::Bv(BvOp::Lshr) => shift(b()?, width).map_or(0, |by| a >> by),
        Op::Bv(BvOp::Ashr) => wrap(x[0].as_signed()? >> shift(b()?, width).unwrap_or(width - 1)),
        Op::Concat => match x[1] {
            Value::BitVec { value, width } => a << width | value,
            _ => return None,
        },
        Op::Extract(_, low) => a >> low,
        Op::ZeroExtend => a,
        Op::SignExtend => wrap(x[0].as_signed()?),
        _ => return None,
    })
}

fn shift(by: u128, width: u32) -> Option<u32> {
    u32::try_from(by).ok().filter(|&by| by < width)
}

fn random_scalar(rng: &mut Rng, sort: Sort) -> Option<Value> {
    match sort {
        Sort::Bool => Some(Value::Bool(rng.one_in(2))),
        Sort::Int => Some(Value::Int(rng.below(9) as i128 - 4)),
        Sort::BitVec(width) => {
            let value = match rng.below(6) {
                0 => rng.below(3) as u128,
                1 => u128::MAX - rng.below(2) as u128,
                2 => (1u128 << (width - 1)).wrapping_sub(rng.below(2) as u128),
                3 => 1 << rng.below(width as usize),
                4 => (1u128 << rng.below(width as usize)).wrapping_sub(1),
                _ => u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64()),
            };
            Some(Value::bv(value, width))
        }
        Sort::Array(..) => None,
    }
}

fn random_value(rng: &mut Rng, sort: Sort) -> Value {
    let Sort::Array(index, element) = sort else {
        return random_scalar(rng, sort).unwrap_or_else(|| Value::zero(sort));
    };
    let mut entries = BTreeMap::new();
    for _ in 0..rng.below(4) {
        entries.insert(random_value(rng, index.into()), random_value(rng, element.into()));
    }
    Value::array(random_value(rng, element.into()), entries)
}
