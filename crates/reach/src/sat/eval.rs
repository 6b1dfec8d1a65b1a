//! Values of expressions, in diagrams for what is assigned and in gates for what is assumed.
//!
//! Each `*` occurs once, so what an expression can be follows from what its operands can be: the pair
//! "can be true", "can be false". A variable that is not chosen yet stops the evaluation, unless the
//! other operands already decide.

use hardbop_bp::{Expr, VarId};
use oxidd::BooleanFunction;
use oxidd::bdd::BDDFunction;

use super::Halt;
use super::args::{Arg, Args};
use super::circuit::{Circuit, Lit};

/// Why an expression has no value yet.
#[derive(Debug)]
pub(super) enum Stuck {
    /// The variable must be chosen first; its new value if the flag is set.
    Unchosen(VarId, bool),
    Halt(Halt),
}

impl From<Halt> for Stuck {
    fn from(halt: Halt) -> Self {
        Stuck::Halt(halt)
    }
}

/// Boolean functions in some representation.
pub(super) trait Algebra {
    type Value: Clone;
    fn constant(&self, value: bool) -> Self::Value;
    /// The value, if the representation shows that it is constant.
    fn known(&self, value: &Self::Value) -> Option<bool>;
    /// Nothing for [`Arg::ANY`].
    fn argument(&mut self, arg: Arg) -> Option<Self::Value>;
    fn not(&mut self, a: &Self::Value) -> Result<Self::Value, Halt>;
    fn and(&mut self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Halt>;
}

/// Functions as gates.
pub(super) struct Gates<'a> {
    pub circuit: &'a mut Circuit,
    pub args: &'a mut Args,
}

impl Algebra for Gates<'_> {
    type Value = Lit;

    fn constant(&self, value: bool) -> Lit {
        Lit::constant(value)
    }

    fn known(&self, value: &Lit) -> Option<bool> {
        (value.gate() == 0).then(|| *value == Lit::TRUE)
    }

    fn argument(&mut self, arg: Arg) -> Option<Lit> {
        self.args.gate(arg, self.circuit)
    }

    fn not(&mut self, a: &Lit) -> Result<Lit, Halt> {
        Ok(a.negated())
    }

    fn and(&mut self, a: &Lit, b: &Lit) -> Result<Lit, Halt> {
        Ok(self.circuit.and(*a, *b))
    }
}

/// Functions as diagrams.
pub(super) struct Diagrams<'a> {
    pub args: &'a Args,
}

impl Algebra for Diagrams<'_> {
    type Value = BDDFunction;

    fn constant(&self, value: bool) -> BDDFunction {
        // The constants are there from the start.
        self.args.constant(value)
    }

    fn known(&self, value: &BDDFunction) -> Option<bool> {
        [true, false].into_iter().find(|known| *value == self.args.constant(*known))
    }

    fn argument(&mut self, arg: Arg) -> Option<BDDFunction> {
        self.args.function(arg).cloned()
    }

    fn not(&mut self, a: &BDDFunction) -> Result<BDDFunction, Halt> {
        self.args.attempt(|| a.not())
    }

    fn and(&mut self, a: &BDDFunction, b: &BDDFunction) -> Result<BDDFunction, Halt> {
        self.args.attempt(|| a.and(b))
    }
}

/// When an expression can be true and when it can be false.
#[derive(Debug, Clone)]
pub(super) struct Possible<V> {
    pub yes: V,
    pub no: V,
    /// Whether it can never be both.
    pub exact: bool,
}

impl<V> Possible<V> {
    fn negated(self) -> Self {
        Possible { yes: self.no, no: self.yes, exact: self.exact }
    }
}

/// What the expression can be, where `lookup` gives the argument for a variable or its new value.
pub(super) fn evaluate<A: Algebra>(
    algebra: &mut A,
    expr: &Expr,
    lookup: &dyn Fn(VarId, bool) -> Arg,
) -> Result<Possible<A::Value>, Stuck> {
    match expr {
        Expr::Const(value) => Ok(only(algebra, *value)),
        Expr::Var(variable) => leaf(algebra, *variable, false, lookup),
        Expr::Next(variable) => leaf(algebra, *variable, true, lookup),
        Expr::Choice => {
            Ok(Possible { yes: algebra.constant(true), no: algebra.constant(true), exact: false })
        }
        Expr::Schoose(yes, no) => {
            // yes ∨ (¬no ∧ *)
            let yes = evaluate(algebra, yes, lookup)?;
            if algebra.known(&yes.no) == Some(false) {
                return Ok(yes);
            }
            let no = evaluate(algebra, no, lookup)?;
            Ok(Possible { yes: or(algebra, &yes.yes, &no.no)?, no: yes.no, exact: false })
        }
        Expr::Not(e) => Ok(evaluate(algebra, e, lookup)?.negated()),
        Expr::And(operands) => conjunction(algebra, operands.iter().map(|e| (e, false)), lookup),
        Expr::Or(operands) => Ok(conjunction(algebra, operands.iter().map(|e| (e, true)), lookup)?.negated()),
        Expr::Implies(a, b) => {
            let operands = [(&**a, false), (&**b, true)];
            Ok(conjunction(algebra, operands.into_iter(), lookup)?.negated())
        }
        Expr::Xor(operands) => {
            let mut odd = only(algebra, false);
            for operand in operands {
                let operand = evaluate(algebra, operand, lookup)?;
                odd = xor(algebra, &odd, &operand)?;
            }
            Ok(odd)
        }
        Expr::Eq(a, b) => {
            let (a, b) = (evaluate(algebra, a, lookup)?, evaluate(algebra, b, lookup)?);
            Ok(xor(algebra, &a, &b)?.negated())
        }
    }
}

fn only<A: Algebra>(algebra: &A, value: bool) -> Possible<A::Value> {
    Possible { yes: algebra.constant(value), no: algebra.constant(!value), exact: true }
}

fn leaf<A: Algebra>(
    algebra: &mut A,
    variable: VarId,
    next: bool,
    lookup: &dyn Fn(VarId, bool) -> Arg,
) -> Result<Possible<A::Value>, Stuck> {
    let yes = algebra.argument(lookup(variable, next)).ok_or(Stuck::Unchosen(variable, next))?;
    let no = algebra.not(&yes)?;
    Ok(Possible { yes, no, exact: true })
}

/// The conjunction of operands, negated where flagged. A false one decides, whatever the others need.
fn conjunction<'e, A: Algebra>(
    algebra: &mut A,
    operands: impl Iterator<Item = (&'e Expr, bool)>,
    lookup: &dyn Fn(VarId, bool) -> Arg,
) -> Result<Possible<A::Value>, Stuck> {
    let mut all = only(algebra, true);
    let mut stuck = None;
    for (operand, negated) in operands {
        match evaluate(algebra, operand, lookup) {
            Ok(operand) => {
                let operand = if negated { operand.negated() } else { operand };
                let yes = algebra.and(&all.yes, &operand.yes)?;
                let exact = all.exact && operand.exact;
                let no = if exact { algebra.not(&yes)? } else { or(algebra, &all.no, &operand.no)? };
                all = Possible { yes, no, exact };
                if algebra.known(&all.yes) == Some(false) {
                    return Ok(only(algebra, false));
                }
            }
            Err(Stuck::Halt(halt)) => return Err(Stuck::Halt(halt)),
            Err(unchosen) => stuck = stuck.or(Some(unchosen)),
        }
    }
    stuck.map_or(Ok(all), Err)
}

fn or<A: Algebra>(algebra: &mut A, a: &A::Value, b: &A::Value) -> Result<A::Value, Halt> {
    let (a, b) = (algebra.not(a)?, algebra.not(b)?);
    let neither = algebra.and(&a, &b)?;
    algebra.not(&neither)
}

fn xor<A: Algebra>(
    algebra: &mut A,
    a: &Possible<A::Value>,
    b: &Possible<A::Value>,
) -> Result<Possible<A::Value>, Halt> {
    let exact = a.exact && b.exact;
    let mut either = |x: [&A::Value; 2], y: [&A::Value; 2]| {
        let (x, y) = (algebra.and(x[0], x[1])?, algebra.and(y[0], y[1])?);
        or(algebra, &x, &y)
    };
    let yes = either([&a.yes, &b.no], [&a.no, &b.yes])?;
    let no = if exact { None } else { Some(either([&a.yes, &b.yes], [&a.no, &b.no])?) };
    let no = no.map_or_else(|| algebra.not(&yes), Ok)?;
    Ok(Possible { yes, no, exact })
}
