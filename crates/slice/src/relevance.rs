//! Which statements matter, by iteration.

use hardbop_alias::{Alias, RegionId, Regions, Target};
use hardbop_base::{Budget, Stop};
use hardbop_ir::{
    Callee, EdgeId, ExprId, ExprKind, LocationId, PlaceId, ProcId, Procedure, Program, Statement, VarId,
    visit,
};
use rustc_hash::FxHashSet;

use crate::control::Control;

/// Something that holds a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum SliceCell {
    Register(VarId),
    Region(RegionId),
}

/// The edges that matter.
pub(crate) fn relevant(
    program: &Program,
    alias: &Alias,
    regions: &Regions,
    budget: &Budget,
) -> Result<FxHashSet<(ProcId, EdgeId)>, Stop> {
    let controls = Control::of_all(program, alias);
    let mut search = Search {
        program,
        alias,
        regions,
        controls,
        cells: FxHashSet::default(),
        touched: FxHashSet::default(),
        touched_branches: FxHashSet::default(),
        touched_procedures: FxHashSet::default(),
        edges: FxHashSet::default(),
        passed: FxHashSet::default(),
        procedures: FxHashSet::default(),
        changed: true,
    };
    while search.changed {
        budget.check()?;
        search.changed = false;
        for (id, procedure) in program.procedures.iter() {
            if alias.calls().is_reached(id) && procedure.external.is_none() {
                search.procedure(id, procedure);
            }
        }
    }
    Ok(search.edges)
}

struct Search<'a> {
    program: &'a Program,
    alias: &'a Alias,
    regions: &'a Regions,
    controls: Vec<Control>,
    cells: FxHashSet<SliceCell>,
    /// Cells whose values may depend on relevant ones.
    touched: FxHashSet<SliceCell>,
    /// Branches that depend on relevant cells, and procedures that may be called only because of that.
    touched_branches: FxHashSet<(ProcId, LocationId)>,
    touched_procedures: FxHashSet<ProcId>,
    edges: FxHashSet<(ProcId, EdgeId)>,
    /// Locations where something relevant happens.
    passed: FxHashSet<(ProcId, LocationId)>,
    /// Procedures with something relevant in them.
    procedures: FxHashSet<ProcId>,
    changed: bool,
}

impl Search<'_> {
    fn procedure(&mut self, id: ProcId, procedure: &Procedure) {
        for (edge, e) in procedure.edges.iter() {
            self.touch(id, edge, e.source, &e.statement);
            if self.matters(id, procedure, edge, &e.statement) {
                self.keep(id, procedure, edge);
            }
        }
    }

    /// Whether a statement matters, as far as is known.
    fn matters(&mut self, id: ProcId, procedure: &Procedure, edge: EdgeId, statement: &Statement) -> bool {
        if self.edges.contains(&(id, edge)) {
            return true;
        }
        match statement {
            Statement::Error(_) | Statement::Unsupported(_) => true,
            Statement::Skip | Statement::Return | Statement::Halt(_) => false,
            Statement::Output { .. } | Statement::Free(_) => false,
            &Statement::Assume(condition) => {
                let source = procedure.edges[edge].source;
                self.passed.contains(&(id, source))
                    || self.is_assumption(id, procedure, source) && self.is_about_relevant(condition)
            }
            Statement::Call { result, .. } => {
                let result = result.is_some_and(|result| self.cells.contains(&SliceCell::Register(result)));
                result || self.alias.callees(id, edge).iter().any(|&callee| self.call_matters(callee))
            }
            _ => {
                let sets = visit::result(statement)
                    .is_some_and(|var| self.cells.contains(&SliceCell::Register(var)));
                let place = visit::operands(statement).0;
                sets || place.is_some_and(|place| self.writes(place)) || self.bulk_writes(id, edge)
            }
        }
    }

    fn call_matters(&self, callee: ProcId) -> bool {
        if self.program.procedures[callee].external.is_none() {
            return self.procedures.contains(&callee);
        }
        let modified = self.regions.modified(callee);
        modified.registers.iter().any(|&var| self.cells.contains(&SliceCell::Register(var)))
            || modified.regions.iter().any(|&region| self.cells.contains(&SliceCell::Region(region)))
    }

    /// Whether guards at a location end runs: there is one only, or a way leads nowhere else.
    fn is_assumption(&self, id: ProcId, procedure: &Procedure, location: LocationId) -> bool {
        let leaving = || procedure.edges.values().filter(|e| e.source == location);
        leaving().count() == 1 || leaving().any(|e| self.controls[id.index()].is_doomed[e.target.index()])
    }

    /// The cell that a scalar place is in. Accesses to others are bulk accesses.
    fn scalar(&self, place: PlaceId) -> Option<SliceCell> {
        if !self.program.is_scalar(self.program.place(place).ty) {
            return None;
        }
        match self.regions.target(self.program, self.alias, place) {
            Ok(Target::Register(var)) => Some(SliceCell::Register(var)),
            Ok(Target::Region(region)) => Some(SliceCell::Region(region)),
            Ok(Target::Nowhere) | Err(_) => None,
        }
    }

    fn writes(&self, place: PlaceId) -> bool {
        self.scalar(place).is_some_and(|cell| self.cells.contains(&cell))
    }

    fn bulk_writes(&self, id: ProcId, edge: EdgeId) -> bool {
        let leaves = self.regions.bulks(id, edge).iter().flat_map(|bulk| &bulk.leaves);
        leaves.filter_map(|leaf| leaf.target).any(|region| self.cells.contains(&SliceCell::Region(region)))
    }

    /// Whether an expression depends on a relevant cell, directly or through others.
    fn is_about_relevant(&self, expr: ExprId) -> bool {
        let mut cells = Vec::new();
        self.read_by(expr, &mut cells);
        self.is_any_touched(&cells)
    }

    fn is_any_touched(&self, cells: &[SliceCell]) -> bool {
        cells.iter().any(|cell| self.cells.contains(cell) || self.touched.contains(cell))
    }

    /// Notes the cells that get values which depend on relevant ones, or get them only if relevant ones
    /// say so.
    fn touch(&mut self, id: ProcId, edge: EdgeId, source: LocationId, statement: &Statement) {
        let mut read = Vec::new();
        self.reads(id, edge, statement, &mut read);
        let branches = self.controls[id.index()].branches(source);
        let guarded = self.touched_procedures.contains(&id)
            || branches.iter().any(|&branch| self.touched_branches.contains(&(id, branch)));
        if let Statement::Assume(_) = statement
            && self.is_any_touched(&read)
        {
            self.changed |= self.touched_branches.insert((id, source));
        }
        let mut written = Vec::new();
        match statement {
            Statement::Assign(place, _) => written.extend(self.scalar(*place)),
            Statement::Call { result, arguments, .. } => {
                for &callee in self.alias.callees(id, edge) {
                    let callee = &self.program.procedures[callee];
                    for (&formal, &argument) in callee.formals.iter().zip(arguments) {
                        if self.is_about_relevant(argument) {
                            self.variable(formal, &mut written);
                        }
                    }
                    let mut results = Vec::new();
                    // What others return is their own affair each time.
                    let result_of = callee.result.filter(|_| callee.external.is_none());
                    result_of.into_iter().for_each(|inner| self.variable(inner, &mut results));
                    if guarded || self.is_any_touched(&results) {
                        written.extend(result.map(SliceCell::Register));
                    }
                }
                if guarded {
                    let callees = self.alias.callees(id, edge);
                    for &callee in callees {
                        self.changed |= self.touched_procedures.insert(callee);
                    }
                }
                self.add_touched(written);
                return;
            }
            Statement::Havoc(place, _) => written.extend(self.scalar(*place)),
            _ => {}
        }
        let leaves = self.regions.bulks(id, edge).iter().flat_map(|bulk| &bulk.leaves);
        written.extend(leaves.filter_map(|leaf| leaf.target).map(SliceCell::Region));
        if guarded || self.is_any_touched(&read) {
            self.add_touched(written);
        }
    }

    fn add_touched(&mut self, cells: Vec<SliceCell>) {
        for cell in cells {
            self.changed |= self.touched.insert(cell);
        }
    }

    /// Keeps a statement, and with it what it reads and what decides whether it happens.
    fn keep(&mut self, id: ProcId, procedure: &Procedure, edge: EdgeId) {
        let e = &procedure.edges[edge];
        let mut read = Vec::new();
        self.reads(id, edge, &e.statement, &mut read);
        for cell in read {
            self.changed |= self.cells.insert(cell);
        }
        self.changed |= self.edges.insert((id, edge));
        self.changed |= self.procedures.insert(id);
        if let Statement::Assume(_) = e.statement {
            // One way of a branch matters: so do the others.
            self.changed |= self.passed.insert((id, e.source));
        }
        for branch in self.controls[id.index()].branches(e.source).to_vec() {
            self.changed |= self.passed.insert((id, branch));
        }
        if let Statement::Call { result, arguments, .. } = &e.statement {
            self.pass(id, edge, *result, arguments);
        }
    }

    /// What passes between a caller and its callees.
    fn pass(&mut self, id: ProcId, edge: EdgeId, result: Option<VarId>, arguments: &[ExprId]) {
        for &callee in self.alias.callees(id, edge) {
            let callee = &self.program.procedures[callee];
            if let (Some(result), Some(inner)) = (result, callee.result)
                && callee.external.is_none()
                && self.cells.contains(&SliceCell::Register(result))
            {
                let mut inner_cells = Vec::new();
                self.variable(inner, &mut inner_cells);
                for cell in inner_cells {
                    self.changed |= self.cells.insert(cell);
                }
            }
            for (&formal, &argument) in callee.formals.iter().zip(arguments) {
                let mut cells = Vec::new();
                self.variable(formal, &mut cells);
                if callee.external.is_some() || cells.iter().any(|cell| self.cells.contains(cell)) {
                    let mut read = Vec::new();
                    self.read_by(argument, &mut read);
                    for cell in read {
                        self.changed |= self.cells.insert(cell);
                    }
                }
            }
        }
    }

    /// All cells of a variable.
    fn variable(&self, var: VarId, cells: &mut Vec<SliceCell>) {
        match self.alias.objects().variable(var) {
            Some(object) => {
                let of_object = self.regions.regions_of(object);
                cells.extend(of_object.into_iter().map(SliceCell::Region));
            }
            None => cells.push(SliceCell::Register(var)),
        }
    }

    /// The cells that a statement reads, but for the arguments of a call.
    fn reads(&self, id: ProcId, edge: EdgeId, statement: &Statement, cells: &mut Vec<SliceCell>) {
        for bulk in self.regions.bulks(id, edge) {
            cells.extend(bulk.leaves.iter().filter_map(|leaf| leaf.source).map(SliceCell::Region));
            // What it leaves as it was counts as well.
            cells.extend(bulk.leaves.iter().filter_map(|leaf| leaf.target).map(SliceCell::Region));
        }
        match statement {
            Statement::Assign(place, expr) => {
                self.address(*place, cells);
                self.read_by(*expr, cells);
            }
            Statement::Havoc(place, _) => self.address(*place, cells),
            &Statement::Assume(expr) | &Statement::Free(expr) => self.read_by(expr, cells),
            Statement::Call { callee: Callee::Indirect(pointer), .. } => self.read_by(*pointer, cells),
            &Statement::Allocate { size, .. } => self.read_by(size, cells),
            &Statement::Copy { target, source, length } => {
                [target, source, length].into_iter().for_each(|expr| self.read_by(expr, cells));
            }
            &Statement::CopyObject { target, source } => {
                [target, source].into_iter().for_each(|expr| self.read_by(expr, cells));
            }
            &Statement::Fill { target, byte, length } => {
                [target, byte, length].into_iter().for_each(|expr| self.read_by(expr, cells));
            }
            _ => {}
        }
    }

    /// The cells that an expression reads.
    fn read_by(&self, expr: ExprId, cells: &mut Vec<SliceCell>) {
        match &self.program.expr(expr).kind {
            &ExprKind::Load(place) => {
                self.address(place, cells);
                cells.extend(self.scalar(place));
            }
            &ExprKind::AddressOf(place) => self.address(place, cells),
            kind => visit::operator_parts(kind).for_each(|part| self.read_by(part, cells)),
        }
    }

    /// The cells that the address of a place is made of.
    fn address(&self, place: PlaceId, cells: &mut Vec<SliceCell>) {
        visit::place_parts(self.program, place).for_each(|part| self.read_by(part, cells));
    }
}
