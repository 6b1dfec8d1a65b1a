//! What a statement reads and writes.
//!
//! Scalars are accessed at places. Everything larger is a [`Bulk`]: a copy of a record, of an argument or of
//! memory, a fill, a havoc. A bit-field is accessed together with the bit-fields that share a byte with it,
//! directly or through others, so that those are one scalar to a region.

use hardbop_ir::{
    BitRange, EdgeId, ExprId, ExprKind, PlaceBase, PlaceId, ProcId, Program, Projection, Record, Statement,
    Type, VarId, visit,
};

use crate::flow::bit_field_bytes;
use crate::location::Location;
use crate::query::{Alias, Queries};

/// What an access to a scalar place touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Footprint {
    /// From the address of the place to the first byte: 0 except for bit-fields.
    pub shift: i64,
    /// The number of bytes.
    pub width: u64,
    /// For a bit-field: its bits, the first counted from the least significant bit of the first byte.
    pub bits: Option<(u64, u64)>,
}

/// The footprint of an access to a scalar place.
pub fn footprint(program: &Program, place: PlaceId) -> Footprint {
    match bit_field(program, place) {
        Some((record, field, bits)) => {
            let (first, end) = shared_bytes(record, field);
            let before = (field_offset(record, field) - first) * 8;
            let bits = Some((before + u64::from(bits.first), bits.width.into()));
            Footprint { shift: -((before / 8) as i64), width: end - first, bits }
        }
        None => {
            let width = crate::flow::Flow::new(program).scalar_width(program.place(place).ty);
            Footprint { shift: 0, width, bits: None }
        }
    }
}

/// The record, the number and the bits of a place that is a bit-field.
fn bit_field(program: &Program, place: PlaceId) -> Option<(&Record, usize, BitRange)> {
    let place = program.place(place);
    let (last, before) = place.path.split_last()?;
    let mut ty = match place.base {
        PlaceBase::Var(var) => program.variables[var].ty,
        PlaceBase::Deref(pointer) => program.pointee(program.expr(pointer).ty)?,
    };
    for projection in before {
        ty = match (*projection, program.ty(ty)) {
            (Projection::Field(n), &Type::Record(id)) => program.records[id].fields.get(n as usize)?.ty,
            (Projection::Index(_), &Type::Array { element, .. }) => element,
            _ => return None,
        };
    }
    match (*last, program.ty(ty)) {
        (Projection::Field(n), &Type::Record(id)) => {
            let record = &program.records[id];
            Some((record, n as usize, record.fields.get(n as usize)?.bits?))
        }
        _ => None,
    }
}

fn field_offset(record: &Record, field: usize) -> u64 {
    record.fields.get(field).map_or(0, |f| f.offset)
}

/// The bytes that a bit-field of a record shares with others, its own included.
fn shared_bytes(record: &Record, field: usize) -> (u64, u64) {
    let bytes = |f: &hardbop_ir::Field| f.bits.map(|bits| (f.offset, f.offset + bit_field_bytes(bits)));
    let (mut first, mut end) = record.fields.get(field).and_then(bytes).unwrap_or((0, 1));
    loop {
        let before = (first, end);
        for (a, b) in record.fields.iter().filter_map(bytes) {
            if a < end && first < b {
                (first, end) = (first.min(a), end.max(b));
            }
        }
        if (first, end) == before {
            return before;
        }
    }
}

/// Which part of a statement a bulk access is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BulkKind {
    /// The assignment of a record or an array.
    Assign,
    /// A record or an array becomes arbitrary.
    Havoc,
    /// An argument that is a record or an array, by its number, for one of the callees.
    Argument(u32, ProcId),
    /// A result that is a record or an array, of one of the callees. An external one gives no source.
    Result(ProcId),
    /// A copy of memory.
    Copy,
    /// A copy of an object.
    CopyObject,
    /// Bytes are set.
    Fill,
}

/// An access to more than a scalar.
#[derive(Debug, Clone)]
pub(crate) struct BulkAccess {
    pub(crate) kind: BulkKind,
    pub(crate) target: Vec<Location>,
    /// Nothing if the bytes come from nowhere.
    pub(crate) source: Vec<Location>,
    pub(crate) length: Option<u64>,
}

/// Everything that a statement accesses.
#[derive(Debug, Default)]
pub(crate) struct Accesses {
    /// Scalar places that are read.
    pub(crate) reads: Vec<PlaceId>,
    /// A scalar place that is written.
    pub(crate) write: Option<PlaceId>,
    /// A scalar variable that gets the result of a call or of an allocation.
    pub(crate) result: Option<VarId>,
    pub(crate) bulks: Vec<BulkAccess>,
}

/// Finds out what statements access.
pub(crate) struct AccessFinder<'a> {
    program: &'a Program,
    alias: &'a Alias,
    pub(crate) queries: Queries<'a>,
}

impl<'a> AccessFinder<'a> {
    pub(crate) fn new(program: &'a Program, alias: &'a Alias) -> Self {
        AccessFinder { program, alias, queries: Queries::new(program, alias) }
    }

    /// What the statement of an edge accesses.
    pub(crate) fn of(&mut self, procedure: ProcId, edge: EdgeId) -> Accesses {
        let program = self.program;
        let statement = &program.procedures[procedure].edges[edge].statement;
        let roots = visit::roots(program, statement);
        let mut found = Accesses { reads: self.scalar_reads(roots), ..Accesses::default() };
        match *statement {
            Statement::Assign(place, _) | Statement::Havoc(place, _)
                if program.is_scalar(program.place(place).ty) =>
            {
                found.write = Some(place);
            }
            Statement::Assign(place, expr) => {
                let source = self.aggregate(expr);
                found.bulks.extend(self.bulk(BulkKind::Assign, place, source));
            }
            Statement::Havoc(place, _) => found.bulks.extend(self.bulk(BulkKind::Havoc, place, Vec::new())),
            Statement::Call { result, ref arguments, .. } => {
                found.result = result.filter(|&var| program.is_scalar(program.variables[var].ty));
                self.call(procedure, edge, result, arguments, &mut found.bulks);
            }
            Statement::Allocate { result, .. } => found.result = Some(result),
            Statement::Copy { target, source, length } => {
                let (target, source) = (self.queries.value(target), self.queries.value(source));
                let length = self.length(length);
                found.bulks.push(BulkAccess { kind: BulkKind::Copy, target, source, length });
            }
            Statement::CopyObject { target, source } => {
                let (target, source) = (self.queries.value(target), self.queries.value(source));
                found.bulks.push(BulkAccess { kind: BulkKind::CopyObject, target, source, length: None });
            }
            Statement::Fill { target, length, .. } => {
                let (target, length) = (self.queries.value(target), self.length(length));
                found.bulks.push(BulkAccess { kind: BulkKind::Fill, target, source: Vec::new(), length });
            }
            _ => {}
        }
        found.bulks.retain(|bulk| bulk.length != Some(0));
        found
    }

    fn length(&self, length: ExprId) -> Option<u64> {
        self.program.as_int(length).and_then(|n| u64::try_from(n).ok())
    }

    /// The scalar places that are read when expressions are evaluated.
    pub(crate) fn scalar_reads(&self, roots: Vec<ExprId>) -> Vec<PlaceId> {
        let program = self.program;
        let (mut reads, mut seen, mut pending) = (Vec::new(), rustc_hash::FxHashSet::default(), roots);
        while let Some(expr) = pending.pop() {
            if !seen.insert(expr) {
                continue;
            }
            if let ExprKind::Load(place) = program.expr(expr).kind
                && program.is_scalar(program.place(place).ty)
            {
                reads.push(place);
            }
            pending.extend(visit::parts(program, expr));
        }
        reads
    }

    /// Where the record or array is that an expression loads.
    fn aggregate(&mut self, expr: ExprId) -> Vec<Location> {
        match self.program.expr(expr).kind {
            ExprKind::Load(place) => self.queries.place(place),
            _ => Vec::new(),
        }
    }

    fn bulk(&mut self, kind: BulkKind, place: PlaceId, source: Vec<Location>) -> Option<BulkAccess> {
        let length = Some(self.program.size_of(self.program.place(place).ty));
        Some(BulkAccess { kind, target: self.queries.place(place), source, length })
    }

    fn call(
        &mut self,
        procedure: ProcId,
        edge: EdgeId,
        result: Option<VarId>,
        arguments: &[ExprId],
        bulks: &mut Vec<BulkAccess>,
    ) {
        let (program, alias) = (self.program, self.alias);
        let start = |var: VarId| -> Vec<Location> {
            alias.objects().variable(var).map(|object| Location::exact(object, 0)).into_iter().collect()
        };
        for &callee in alias.callees(procedure, edge) {
            let p = &program.procedures[callee];
            for (n, (&argument, &formal)) in arguments.iter().zip(&p.formals).enumerate() {
                let ty = program.expr(argument).ty;
                if !program.is_scalar(ty) && p.external.is_none() {
                    let (kind, length) = (BulkKind::Argument(n as u32, callee), Some(program.size_of(ty)));
                    let source = self.aggregate(argument);
                    bulks.push(BulkAccess { kind, target: start(formal), source, length });
                }
            }
            if let Some(var) = result
                && !program.is_scalar(program.variables[var].ty)
            {
                let source = p.result.filter(|_| p.external.is_none()).map(start).unwrap_or_default();
                let length = Some(program.size_of(program.variables[var].ty));
                bulks.push(BulkAccess { kind: BulkKind::Result(callee), target: start(var), source, length });
            }
        }
    }
}
