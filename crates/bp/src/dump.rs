//! The control-flow form as text, for people who debug an engine and for golden tests.
//!
//! Locations are written `n0`, `n1`, … by their index. The text is not meant to be read back: the
//! program's own text form is.

use std::fmt::{self, Display, Formatter};

use hardbop_base::Id;

use crate::ast::{self, BinaryOp, ChainOp};
use crate::flow::{Assign, Call, Edge, Expr, Flow, FlowStep, LocId, Procedure, VarId};

impl Flow {
    /// An expression as it is written in a program.
    pub fn expr_text(&self, e: &Expr) -> String {
        self.tree(e).to_string()
    }

    /// A step as text, in terms of variables: `g, l := *, g`, `assume(!g)`.
    pub fn step_text(&self, step: &FlowStep) -> String {
        match step {
            FlowStep::Skip => "skip".to_owned(),
            FlowStep::Assume(e) => format!("assume({})", self.tree(e)),
            FlowStep::Assign(Assign { updates, constrain }) => {
                let targets = self.listed(updates.iter().map(|(target, _)| self.name(*target)));
                let values = self.listed(updates.iter().map(|(_, value)| self.expr_text(value)));
                match constrain {
                    Some(e) => format!("{targets} := {values} constrain {}", self.tree(e)),
                    None => format!("{targets} := {values}"),
                }
            }
            FlowStep::Call(Call { callee, args, targets }) => {
                let targets = self.listed(targets.iter().map(|t| t.map_or("_".to_owned(), |t| self.name(t))));
                let args = self.listed(args.iter().map(|e| self.expr_text(e)));
                let assign = if targets.is_empty() { "" } else { " := " };
                format!("{targets}{assign}{}({args})", self.procedures[*callee].name)
            }
        }
    }

    fn listed(&self, items: impl Iterator<Item = String>) -> String {
        items.collect::<Vec<_>>().join(", ")
    }

    fn name(&self, variable: VarId) -> String {
        self.variables[variable].name.clone()
    }

    /// The expression as a tree with names.
    fn tree(&self, e: &Expr) -> ast::Expr {
        let chain =
            |op, operands: &[Expr]| ast::Expr::chain(op, operands.iter().map(|e| self.tree(e)).collect());
        match e {
            Expr::Const(value) => ast::Expr::constant(*value),
            Expr::Var(variable) => ast::Expr::var(self.variables[*variable].name.as_str()),
            Expr::Next(variable) => ast::Expr::next(self.variables[*variable].name.as_str()),
            Expr::Choice => ast::Expr::choice(),
            Expr::Schoose(yes, no) => ast::Expr::schoose(self.tree(yes), self.tree(no)),
            Expr::Not(e) => ast::Expr::not(self.tree(e)),
            Expr::And(operands) => chain(ChainOp::And, operands),
            Expr::Or(operands) => chain(ChainOp::Or, operands),
            Expr::Xor(operands) => chain(ChainOp::Xor, operands),
            Expr::Eq(a, b) => ast::Expr::binary(BinaryOp::Eq, self.tree(a), self.tree(b)),
            Expr::Implies(a, b) => ast::Expr::binary(BinaryOp::Implies, self.tree(a), self.tree(b)),
        }
    }

    fn write_procedure(&self, f: &mut Formatter<'_>, procedure: &Procedure) -> fmt::Result {
        let locals = self.listed(procedure.locals.iter().map(|&local| self.name(local)));
        writeln!(f, "procedure {}: {locals}", procedure.name)?;
        write!(f, "  entry {}, exit {}", node(procedure.entry), node(procedure.exit))?;
        if let Some(error) = procedure.error {
            write!(f, ", error {}", node(error))?;
        }
        writeln!(f)?;
        if let Some(e) = &procedure.enforce {
            writeln!(f, "  enforce {}", self.tree(e))?;
        }
        for &location in &procedure.locations {
            if !self.locations[location].labels.is_empty() {
                writeln!(f, "  {}: {}", self.locations[location].labels.join(", "), node(location))?;
            }
        }
        for &edge in &procedure.edges {
            let Edge { source, target, step, .. } = &self.edges[edge];
            writeln!(f, "  {} -> {}  {}", node(*source), node(*target), self.step_text(step))?;
        }
        Ok(())
    }
}

fn node(location: LocId) -> String {
    format!("n{}", Id::index(location))
}

impl Display for Flow {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "globals: {}", self.listed(self.globals.iter().map(|&global| self.name(global))))?;
        self.procedures.values().try_for_each(|procedure| self.write_procedure(f, procedure))
    }
}
