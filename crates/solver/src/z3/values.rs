//! Reading a model off z3 by asking for values of terms; its own representation of functions and arrays
//! differs from one version to the next.
//!
//! An array is asked for its elements at all indices that terms name (they read or write there, or two
//! arrays differ there) and at one more, whose element becomes the default. That suffices: by induction
//! over array terms, with these values each has at every named index the element that z3 gave it, and at
//! every other index the one z3 gave it at the additional index. So reads and equalities keep their value.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use z3::SatResult;
use z3::ast::{Array, Ast as _, BV, Bool, Int};

use hardbop_logic::{Model, Scalar, Sort, Terms, Value};

use crate::Limits;

use super::set_limits;
use super::translate::{Ast, Translation, from_dynamic, number, select};

/// What a query about a term without symbols may cost.
const GROUND_QUERY_WORK: u64 = 1_000_000;

/// The values of all symbols, or why there are none.
pub fn read_model(terms: &Terms, translation: &Translation, model: &z3::Model) -> Result<Model, String> {
    let mut named = FxHashMap::default();
    let mut found = Model::default();
    for &symbol in &translation.symbols {
        let value = match (translation.ast(symbol), terms.sort(symbol)) {
            (Ast::Array(array), Sort::Array(index, element)) => {
                let named = match named.entry(index) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => new.insert(named_indices(translation, model, index)?),
                };
                read_array(model, array, named, index, element)?
            }
            (ast, _) => read_scalar(model, ast)?,
        };
        found.values.insert(symbol, value);
    }
    Ok(found)
}

/// The values of all indices that terms name, and of one that none names.
struct Named {
    indices: Vec<Value>,
    /// Nothing if all indices are named.
    other: Option<Value>,
}

fn named_indices(translation: &Translation, model: &z3::Model, index: Scalar) -> Result<Named, String> {
    let mut indices = Vec::new();
    for ast in translation.indices.get(&index).into_iter().flatten() {
        indices.push(read_scalar(model, ast)?);
    }
    indices.sort();
    indices.dedup();
    let is_free = |at: &Value| indices.binary_search(at).is_err();
    let other = match index {
        Scalar::Bool => [false, true].map(Value::Bool).into_iter().find(is_free),
        Scalar::BitVec(width) => {
            (0..=u128::MAX >> (128 - width)).map(|at| Value::bv(at, width)).find(is_free)
        }
        Scalar::Int => (0..).map(Value::Int).find(is_free),
    };
    Ok(Named { indices, other })
}

fn read_array(
    model: &z3::Model,
    array: &Array,
    named: &Named,
    index: Scalar,
    element: Scalar,
) -> Result<Value, String> {
    let read = |at: &Value| {
        let at = match *at {
            Value::Bool(value) => Ast::Bool(Bool::from_bool(value)),
            Value::Int(value) => Ast::Int(Int::from_i128(value)),
            Value::BitVec { value, width } => Ast::Bits(number(value, width)),
            Value::Array { .. } => return Err(format!("an index of sort {} is an array", Sort::from(index))),
        };
        read_scalar(model, &from_dynamic(select(array, &at), element.into()))
    };
    let default = match &named.other {
        Some(other) => read(other)?,
        None => Value::zero(element.into()),
    };
    let mut entries = BTreeMap::new();
    for at in &named.indices {
        entries.insert(at.clone(), read(at)?);
    }
    Ok(Value::array(default, entries))
}

fn read_scalar(model: &z3::Model, ast: &Ast) -> Result<Value, String> {
    match ast {
        Ast::Bool(ast) => {
            let value = model.eval(ast, true).and_then(|value| read_truth(&value));
            value.map(Value::Bool).ok_or_else(|| "z3 has no truth value for a term".into())
        }
        Ast::Int(ast) => {
            let value = model.eval(ast, true).ok_or("z3 has no integer for a term")?;
            let value = value.as_i128().ok_or("an integer of the model does not fit into 128 bits")?;
            Ok(Value::Int(value))
        }
        Ast::Bits(ast) => {
            let value = model.eval(ast, true).and_then(|value| read_bits(&value));
            value.ok_or_else(|| "z3 has no bits for a term".into())
        }
        Ast::Array(_) => Err("an array is no scalar".into()),
    }
}

/// A truth value. z3 leaves equalities of arrays in the values of a model as they are; without symbols in
/// them, they are decided by a query.
fn read_truth(value: &Bool) -> Option<bool> {
    value.as_bool().or_else(|| {
        let solver = z3::Solver::new();
        set_limits(&solver, Limits { time: None, work: Some(GROUND_QUERY_WORK) });
        solver.assert(value);
        match solver.check() {
            SatResult::Sat => Some(true),
            SatResult::Unsat => Some(false),
            SatResult::Unknown => None,
        }
    })
}

fn read_bits(value: &BV) -> Option<Value> {
    let width = value.get_size();
    if let Some(small) = value.as_u64().filter(|_| width <= 64) {
        return Some(Value::bv(u128::from(small), width));
    }
    let mut bits = 0;
    for bit in 0..width {
        let one = BV::from_u64(1, 1);
        let is_one = value.extract(bit, bit).eq(&one).simplify();
        bits |= u128::from(read_truth(&is_one)?) << bit;
    }
    Some(Value::bv(bits, width))
}
