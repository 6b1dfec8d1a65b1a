//! Comparing a run with what the analysis says of it.
//!
//! [`Checker`] is an observer of the interpreter. For each access to memory it asks: does some place of the
//! statement have the object and the position among its locations, is the region the one that the place belongs
//! to, is a register touched by its name only, do the effects of all active procedures cover it, is the call
//! in the call graph? It shares with the analysis only the tables that it compares with.
//!
//! A run can differ from the analysis without a defect in either if the program makes up an address (see
//! `flow.rs`): an index that leads out of one object and by chance into another, or an arbitrary number that
//! happens to be an address.

use std::fmt;

use hardbop_ir::interpret::{Observer, Origin, Touch, View};
use hardbop_ir::{BinaryOp, EdgeId, ExprKind, PlaceId, ProcId, Program, Projection, Statement, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::access::{AccessFinder, BulkAccess};
use crate::location::{AccessBytes, Location, Space};
use crate::object::ObjectId;
use crate::query::Alias;
use crate::region::{RegionId, Regions, Target};
use crate::walk;

/// Something that happened in a run although the analysis excludes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Where.
    pub procedure: ProcId,
    /// At which step.
    pub edge: EdgeId,
    /// What.
    pub what: String,
    /// Whether the statement indexes an array or adds to a pointer: it may have left one object and got into
    /// another, by an address that depends on where the interpreter puts objects.
    pub may_be_stray: bool,
}

impl Violation {
    /// The violation in words.
    pub fn show(&self, program: &Program) -> String {
        let procedure = &program.procedures[self.procedure];
        let statement = procedure.edges.get(self.edge).map(|e| program.show_statement(&e.statement));
        format!("{}: `{}`: {}", procedure.name, statement.unwrap_or_default(), self.what)
    }
}

/// How many violations are kept.
const MAX_VIOLATIONS: usize = 100;

/// Watches a run and notes what contradicts the analysis.
pub struct Checker<'a> {
    program: &'a Program,
    alias: &'a Alias,
    regions: &'a Regions,
    space: Space,
    finder: AccessFinder<'a>,
    claims: FxHashMap<(ProcId, EdgeId), Claims>,
    /// The active procedures, each with the step it is at.
    stack: Vec<(ProcId, EdgeId)>,
    /// Effects that were found to be right.
    covered: FxHashSet<(ProcId, RegionId, bool)>,
    violations: Vec<Violation>,
    accesses: u64,
}

/// What a statement may do.
struct Claims {
    scalars: Vec<Scalar>,
    /// Registers, and whether they are written.
    registers: Vec<(VarId, bool)>,
    bulks: Vec<Range>,
    havoc: bool,
}

/// What a statement says of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Claim {
    /// It cannot happen.
    None,
    /// It can, and the regions are right.
    Access,
    /// It reads the source of a copy.
    Source,
}

/// A scalar access.
struct Scalar {
    object: ObjectId,
    cell: AccessBytes,
    /// Its bytes with the padding behind them, which the storage of some floats has.
    padded: u64,
    write: bool,
    region: Option<RegionId>,
}

/// One side of a bulk access.
struct Range {
    starts: Vec<Location>,
    length: Option<u64>,
    write: bool,
    /// The regions of its leaves; nothing for a source, of which only what the target needs counts.
    regions: Option<Vec<RegionId>>,
}

impl<'a> Checker<'a> {
    /// A checker for runs of a program.
    pub fn new(program: &'a Program, alias: &'a Alias, regions: &'a Regions) -> Self {
        Checker {
            program,
            alias,
            regions,
            space: Space::new(program.data_model.pointer_bits()),
            finder: AccessFinder::new(program, alias),
            claims: FxHashMap::default(),
            stack: Vec::new(),
            covered: FxHashSet::default(),
            violations: Vec::new(),
            accesses: 0,
        }
    }

    /// What contradicts the analysis; at most a hundred are kept.
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }

    /// How many accesses were compared.
    pub fn accesses(&self) -> u64 {
        self.accesses
    }

    fn violation(&mut self, procedure: ProcId, edge: EdgeId, what: impl fmt::Display) {
        if self.violations.len() < MAX_VIOLATIONS {
            let may_be_stray = self.has_offsets(procedure, edge);
            self.violations.push(Violation { procedure, edge, what: what.to_string(), may_be_stray });
        }
    }

    /// Whether a statement indexes an array or adds to a pointer.
    fn has_offsets(&self, procedure: ProcId, edge: EdgeId) -> bool {
        let program = self.program;
        let Some(e) = program.procedures[procedure].edges.get(edge) else { return false };
        let is_indexed = |place: PlaceId| {
            program.place(place).path.iter().any(|step| matches!(step, Projection::Index(_)))
        };
        let mut found = hardbop_ir::visit::operands(&e.statement).0.is_some_and(is_indexed);
        let mut seen = vec![false; program.exprs().len()];
        walk::statement_exprs(program, &e.statement, &mut seen, &mut |expr| {
            found |= match program.expr(expr).kind {
                ExprKind::Load(place) | ExprKind::AddressOf(place) => is_indexed(place),
                ExprKind::Binary(op, ..) => op == BinaryOp::PointerAdd,
                _ => false,
            };
        });
        found
    }

    fn check_call(&mut self, callee: ProcId) {
        let Some(&(procedure, edge)) = self.stack.last() else { return };
        if !self.alias.callees(procedure, edge).contains(&callee) {
            let name = &self.program.procedures[callee].name;
            self.violation(procedure, edge, format_args!("`{name}` is called"));
        }
        if !self.alias.calls().is_reached(callee) {
            let name = &self.program.procedures[callee].name;
            self.violation(procedure, edge, format_args!("`{name}` runs"));
        }
    }

    fn check_touch(&mut self, touch: &Touch) {
        let objects = self.alias.objects();
        let object = match (touch.origin, objects.of_origin(touch.origin)) {
            (Origin::Global(var) | Origin::Local(var), None) => return self.check_register(touch, var),
            (_, object) => object,
        };
        let Some(object) = object else {
            return self.violation(touch.procedure, touch.edge, "an object that is not there is accessed");
        };
        let bytes = AccessBytes::exact(touch.offset, touch.size);
        let found = self.regions.regions_at(object, bytes);
        let claim = self.claim(touch, object, &found);
        if claim == Claim::None {
            let name = objects.name(self.program, object);
            let access = if touch.write { "written" } else { "read" };
            let (offset, size) = (touch.offset, touch.size);
            let what = format!("{size} bytes at {name}+{offset} in regions {found:?} are {access}");
            // A stray index leads out of its object; another position of the same one is the analysis's mistake.
            let is_claimed = |claim: &Scalar| claim.object == object && claim.write == touch.write;
            let is_own = self.claims_of(touch.procedure, touch.edge).scalars.iter().any(is_claimed);
            self.violation(touch.procedure, touch.edge, what);
            if let (true, Some(last)) = (is_own, self.violations.last_mut()) {
                last.may_be_stray = false;
            }
        }
        if touch.write && found.iter().any(|&region| !self.regions.region(region).is_written) {
            self.violation(touch.procedure, touch.edge, format_args!("one of {found:?} is never written"));
        }
        if claim != Claim::Source {
            found.into_iter().for_each(|region| self.check_effects(touch, region));
        }
    }

    /// Which part of its statement an access belongs to.
    fn claim(&mut self, touch: &Touch, object: ObjectId, found: &[RegionId]) -> Claim {
        let (space, escaped) = (self.space, self.alias.is_escaped(object));
        let claims = self.claims_of(touch.procedure, touch.edge);
        let at = Location::exact(object, touch.offset);
        let scalar = |claim: &Scalar| {
            claim.write == touch.write
                && [claim.cell.width, claim.padded].contains(&touch.size)
                && space.covers(claim.cell.location(claim.object), at)
                && found.iter().all(|&region| claim.region == Some(region))
        };
        let bulk = |claim: &Range| {
            claim.write == touch.write
                && claim.length.is_none_or(|length| length == touch.size)
                && claim.starts.iter().any(|&start| space.covers(start, at))
                && claim
                    .regions
                    .as_ref()
                    .is_none_or(|regions| found.iter().all(|region| regions.contains(region)))
        };
        let bulk = claims.bulks.iter().find(|claim| bulk(claim));
        match bulk {
            _ if claims.scalars.iter().any(scalar) || claims.havoc && escaped => Claim::Access,
            Some(Range { regions: None, .. }) => Claim::Source,
            Some(_) => Claim::Access,
            None => Claim::None,
        }
    }

    fn check_register(&mut self, touch: &Touch, var: VarId) {
        let visible = self.alias.is_visible_outside(self.program, var);
        let claims = self.claims_of(touch.procedure, touch.edge);
        let claimed = claims.registers.contains(&(var, touch.write)) || claims.havoc && visible;
        let name = self.program.variables[var].name.clone();
        if !claimed {
            self.violation(touch.procedure, touch.edge, format_args!("register `{name}` is accessed"));
        }
        let regions = self.regions;
        if !matches!(touch.origin, Origin::Global(_)) {
            return;
        }
        for i in 0..self.stack.len() {
            let (procedure, edge) = self.stack[i];
            let effects = if touch.write { regions.modified(procedure) } else { regions.read(procedure) };
            if !effects.registers.contains(&var) {
                self.violation(procedure, edge, format_args!("the effects do not have `{name}`"));
            }
        }
    }

    /// Whether the effects of all active procedures have a region.
    fn check_effects(&mut self, touch: &Touch, region: RegionId) {
        for i in 0..self.stack.len() {
            let (procedure, edge) = self.stack[i];
            if !self.covered.insert((procedure, region, touch.write)) {
                continue;
            }
            let regions = self.regions;
            let effects = if touch.write { regions.modified(procedure) } else { regions.read(procedure) };
            if !effects.has_region(region) {
                self.violation(procedure, edge, format_args!("the effects do not have {region:?}"));
            }
        }
    }

    fn claims_of(&mut self, procedure: ProcId, edge: EdgeId) -> &Claims {
        if !self.claims.contains_key(&(procedure, edge)) {
            let claims = self.find_claims(procedure, edge);
            self.claims.insert((procedure, edge), claims);
        }
        &self.claims[&(procedure, edge)]
    }

    fn find_claims(&mut self, procedure: ProcId, edge: EdgeId) -> Claims {
        let accesses = self.finder.of(procedure, edge);
        let havoc = self.alias.calls_havoc(self.program, procedure, edge);
        let mut claims = Claims { scalars: Vec::new(), registers: Vec::new(), bulks: Vec::new(), havoc };
        let reads = accesses.reads.into_iter().map(|place| (place, false));
        for (place, write) in reads.chain(accesses.write.map(|place| (place, true))) {
            if let Some(var) = self.program.whole_variable(place) {
                claims.registers.push((var, write));
            }
            let region = match self.regions.target(self.program, self.alias, place) {
                Ok(Target::Region(region)) => Some(region),
                _ => None,
            };
            let padded = self.program.size_of(self.program.place(place).ty);
            let touched = self.finder.queries.touched(place).into_iter();
            let claim = |(object, cell)| Scalar { object, cell, padded, write, region };
            claims.scalars.extend(touched.map(claim));
        }
        claims.registers.extend(accesses.result.map(|var| (var, true)));
        for access in accesses.bulks {
            let found = self.regions.bulks(procedure, edge).iter().find(|bulk| bulk.kind == access.kind);
            let leaves = found.map_or(&[][..], |bulk| &bulk.leaves);
            let BulkAccess { target, source, length, .. } = access;
            let regions = Some(leaves.iter().filter_map(|leaf| leaf.target).collect());
            claims.bulks.push(Range { starts: target, length, write: true, regions });
            claims.bulks.push(Range { starts: source, length, write: false, regions: None });
        }
        claims
    }
}

impl Observer for Checker<'_> {
    const TOUCHES: bool = true;

    fn step(&mut self, view: &View<'_, '_>) {
        let (procedure, edge, depth) = (view.procedure(), view.edge(), view.depth());
        if depth >= self.stack.len() && depth > 0 {
            self.check_call(procedure);
        }
        self.stack.truncate(depth);
        self.stack.push((procedure, edge));
    }

    fn touched(&mut self, touches: &[Touch]) {
        // What follows a return is done by the caller.
        if let Some(&(procedure, edge)) = self.stack.last()
            && let Some(Statement::Return) =
                self.program.procedures[procedure].edges.get(edge).map(|e| &e.statement)
        {
            self.stack.pop();
        }
        for touch in touches {
            self.accesses += 1;
            self.check_touch(touch);
        }
    }
}
