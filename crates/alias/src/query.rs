//! Answers to questions about pointers.

use hardbop_base::{Budget, Stop};
use hardbop_ir::interpret::Origin;
use hardbop_ir::{EdgeId, ExprId, PlaceBase, PlaceId, ProcId, Program, VarId, VarKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::calls::CallGraph;
use crate::flow::{Flow, Source};
use crate::lives::Lives;
use crate::location::{AccessBytes, Facts, Location, Space, Step};
use crate::object::{ObjectId, ObjectKind, Objects};
use crate::observed::observed;
use crate::ranges::Bounds;
use crate::solve::{self, Solution};

/// What the pointers of a program can point to.
pub struct Alias {
    pub(crate) solution: Solution,
    lives: Lives,
    bounds: Bounds,
    /// For each object, whether a run can depend on where it lies.
    pub(crate) observed: Vec<bool>,
}

impl Alias {
    /// Analyses a program that has passed the verifier.
    ///
    /// # Errors
    /// The reason why the budget told to stop.
    pub fn of(program: &Program, budget: &Budget) -> Result<Self, Stop> {
        let (mut bounds, mut wrong) = (Bounds::supposed(program), FxHashSet::default());
        let mut alias = Alias::within(program, bounds.clone(), budget)?;
        let mut found = Bounds::of(program, &alias, budget)?;
        while let Some(confirming) = &found
            && let Some(revised) = bounds.revised((program, &alias), confirming, &mut wrong)
        {
            bounds = revised;
            alias = Alias::within(program, bounds.clone(), budget)?;
            found = Bounds::of(program, &alias, budget)?;
        }
        if found.is_none() {
            return Alias::within(program, Bounds::default(), budget);
        }
        // All is as supposed.
        if let Some(found) = &found {
            alias.bounds.keep(found);
        }
        while let Some(narrowed) = found.and_then(|found| found.narrowed(&alias.bounds)) {
            alias = Alias::within(program, narrowed, budget)?;
            found = Bounds::of(program, &alias, budget)?;
        }
        Ok(alias)
    }

    fn within(program: &Program, bounds: Bounds, budget: &Budget) -> Result<Self, Stop> {
        let solution = solve::solve(program, &bounds, budget)?;
        let lives = Lives::of(program, &solution);
        let mut alias = Alias { solution, lives, bounds, observed: Vec::new() };
        alias.observed = observed(&alias, program.data_model);
        Ok(alias)
    }

    /// The objects.
    pub fn objects(&self) -> &Objects {
        &self.solution.objects
    }

    /// Who calls whom.
    pub fn calls(&self) -> &CallGraph {
        &self.solution.calls
    }

    /// The procedures that a call can reach.
    pub fn callees(&self, procedure: ProcId, edge: EdgeId) -> &[ProcId] {
        self.solution.calls.callees(procedure, edge)
    }

    /// Whether a variable lives in memory. If not it is a register: a scalar that nothing but its name and
    /// (if it is a global) external procedures can access.
    pub fn in_memory(&self, var: VarId) -> bool {
        self.solution.objects.variable(var).is_some()
    }

    /// Whether at most one memory object that an object stands for is alive at any time, and nobody can tell one
    /// such object from the next by its address: a global, or a variable of a procedure that is not
    /// recursive.
    pub fn is_single(&self, object: ObjectId) -> bool {
        match self.solution.objects[object].kind {
            ObjectKind::Variable(var) => match self.solution.objects.owner(var) {
                None => true,
                Some(procedure) => {
                    let told_apart = self.is_compared(object) && self.is_outlived(object);
                    !self.solution.calls.is_recursive(procedure) && !told_apart
                }
            },
            ObjectKind::World | ObjectKind::Allocation { .. } => false,
            ObjectKind::Procedure(_) => true,
        }
    }

    /// Whether a variable means the same in all procedures: a global, or a local in memory of which there is
    /// never more than one.
    pub fn is_shared(&self, program: &Program, var: VarId) -> bool {
        match program.variables[var].kind {
            VarKind::Global | VarKind::Static => true,
            _ => self.objects().variable(var).is_some_and(|object| self.is_single(object)),
        }
    }

    /// A variable of a procedure that is not recursive, the activations of which can be told apart by its address.
    pub fn shifting_variable(&self) -> Option<VarId> {
        let shifts = |object: ObjectId, var: VarId| {
            let owner = self.solution.objects.owner(var)?;
            let single = self.is_single(object) || self.solution.calls.is_recursive(owner);
            (self.solution.calls.is_reached(owner) && !single).then_some(var)
        };
        self.solution.objects.iter().find_map(|(id, object)| match object.kind {
            ObjectKind::Variable(var) => shifts(id, var),
            _ => None,
        })
    }

    /// Whether the address of an object is compared with anything but null, told to control flow in another way, or something is
    /// computed with it that depends on where it lies. If not, nobody can tell that.
    pub fn is_compared(&self, object: ObjectId) -> bool {
        self.solution.compared[object.index()]
    }

    /// Whether the address of an object may be kept longer than the object lives.
    pub fn is_outlived(&self, object: ObjectId) -> bool {
        self.lives.is_outlived(object)
    }

    /// Whether an object may be freed.
    pub fn is_freed(&self, object: ObjectId) -> bool {
        self.solution.freed[object.index()]
    }

    /// Whether the one activation of a procedure lasts longer than all activations of another.
    pub fn encloses(&self, outer: ProcId, inner: ProcId) -> bool {
        self.lives.encloses(outer, inner)
    }

    /// Whether external procedures may change an object. The world always may.
    pub fn is_escaped(&self, object: ObjectId) -> bool {
        object == self.solution.objects.world() || self.solution.escaped[object.index()]
    }

    /// Whether functions outside of the program may know the address of a procedure.
    pub fn is_known_outside(&self, procedure: hardbop_ir::ProcId) -> bool {
        self.solution.known[self.solution.objects.procedure(procedure).index()]
    }

    /// Whether a call changes everything that is known outside of the program: escaped objects and the
    /// registers among the globals that are not static.
    pub fn calls_havoc(&self, program: &Program, procedure: ProcId, edge: EdgeId) -> bool {
        let effect = |target: ProcId| program.procedures[target].external;
        let havoc = |&target: &ProcId| effect(target).is_some_and(hardbop_ir::Effect::reaches_memory);
        self.callees(procedure, edge).iter().any(havoc)
    }

    /// Whether external procedures may change a variable.
    pub fn is_visible_outside(&self, program: &Program, var: VarId) -> bool {
        match self.solution.objects.variable(var) {
            Some(object) => self.is_escaped(object),
            None => self.solution.havoc && program.variables[var].kind == VarKind::Global,
        }
    }

    /// Where the value of a scalar expression can point, in order. The expression need not occur in the
    /// program.
    pub fn points_to(&self, program: &Program, expr: ExprId) -> Vec<Location> {
        Queries::new(program, self).value(expr)
    }

    /// The positions that a place can be at, in order. Nothing for a place in a register.
    pub fn locations(&self, program: &Program, place: PlaceId) -> Vec<Location> {
        Queries::new(program, self).place(place)
    }

    /// The bytes that an access to a scalar place can touch without ending the run.
    pub fn touched(&self, program: &Program, place: PlaceId) -> Vec<(ObjectId, AccessBytes)> {
        Queries::new(program, self).touched(place)
    }

    /// Whether an access to a place can lead to this position of an object of a run. An index that leaves its object
    /// leads to one that it cannot.
    pub fn leads_to(&self, program: &Program, place: PlaceId, (origin, offset): (Origin, u64)) -> bool {
        let Some(object) = self.objects().of_origin(origin) else { return true };
        let (mut queries, at) = (Queries::new(program, self), Location::exact(object, offset));
        let touched = queries.touched(place);
        touched.into_iter().any(|(object, cell)| queries.space().covers(cell.location(object), at))
    }

    /// Whether accesses to two scalar places can have bytes in common, in one activation or in two.
    pub fn may_alias(&self, program: &Program, a: PlaceId, b: PlaceId) -> bool {
        let register = |place| program.whole_variable(place).filter(|&var| !self.in_memory(var));
        if let (Some(a), Some(b)) = (register(a), register(b)) {
            return a == b;
        }
        let mut queries = Queries::new(program, self);
        let (a, b) = (queries.touched(a), queries.touched(b));
        a.iter().any(|(o, x)| b.iter().any(|(p, y)| o == p && x.meets(*y).is_possible()))
    }
}

/// Questions about one program, with the answers to those asked before.
pub(crate) struct Queries<'a> {
    flow: Flow<'a>,
    alias: &'a Alias,
    values: FxHashMap<ExprId, Vec<Location>>,
    loads: FxHashMap<PlaceId, Vec<Location>>,
}

impl<'a> Queries<'a> {
    pub(crate) fn new(program: &'a Program, alias: &'a Alias) -> Self {
        Queries {
            flow: Flow::within(program, &alias.bounds),
            alias,
            values: FxHashMap::default(),
            loads: FxHashMap::default(),
        }
    }

    pub(crate) fn space(&self) -> Space {
        self.flow.space
    }

    pub(crate) fn flow(&self) -> Flow<'a> {
        self.flow
    }

    /// The positions that a value can be the address of.
    pub(crate) fn value(&mut self, expr: ExprId) -> Vec<Location> {
        if let Some(known) = self.values.get(&expr) {
            return known.clone();
        }
        let sources = self.flow.sources(expr);
        let found = match *sources {
            [Source::Address(place)] => self.place(place),
            [Source::Load(place)] => self.load(place),
            [Source::Value(operand, Step::NONE)] => self.value(operand),
            _ => self.all_of(sources),
        };
        self.values.insert(expr, found.clone());
        found
    }

    /// The positions that come from one of several sources.
    fn all_of(&mut self, sources: Vec<Source>) -> Vec<Location> {
        let mut facts = Facts::default();
        for source in sources {
            match source {
                Source::Procedure(procedure) => {
                    let object = self.alias.objects().procedure(procedure);
                    facts.insert(self.flow.space, Location::exact(object, 0));
                }
                Source::Address(place) => {
                    let from = self.place(place);
                    self.add_all(&mut facts, &from, Step::NONE);
                }
                Source::Load(place) => {
                    let from = self.load(place);
                    self.add_all(&mut facts, &from, Step::NONE);
                }
                Source::Value(operand, step) => {
                    let from = self.value(operand);
                    self.add_all(&mut facts, &from, step);
                }
                Source::Told => self.add_all(&mut facts, &self.alias.solution.told, Step::NONE),
            }
        }
        facts.locations()
    }

    fn add_all(&self, facts: &mut Facts, from: &[Location], step: Step) {
        for &location in from {
            facts.insert(self.flow.space, self.moved(location, step));
        }
    }

    pub(crate) fn moved(&self, location: Location, step: Step) -> Location {
        let world = self.alias.objects().world();
        if location.object == world { location } else { self.flow.space.moved(location, step) }
    }

    fn load(&mut self, place: PlaceId) -> Vec<Location> {
        if let Some(var) = self.flow.program.whole_variable(place)
            && !self.alias.in_memory(var)
        {
            // A ghost came later than the analysis: what it remembers may be any address that is not followed.
            let outside = || vec![Location::anywhere(self.alias.objects().world())];
            return self.alias.solution.registers.get(var.index()).map_or_else(outside, |set| set.to_vec());
        }
        if let Some(known) = self.loads.get(&place) {
            return known.clone();
        }
        let touched = self.touched(place);
        let found = self.load_from(place, &touched);
        self.loads.insert(place, found.clone());
        found
    }

    /// What is stored where a place in memory can be.
    fn load_from(&self, place: PlaceId, touched: &[(ObjectId, AccessBytes)]) -> Vec<Location> {
        let (alias, is_bit_field) = (self.alias, self.flow.path(place).bits.is_some());
        let mut facts = Facts::default();
        // Many cells have the same contents, which are looked at once.
        let mut seen = FxHashSet::default();
        for &(object, cell) in touched {
            for (stored, contents) in &alias.solution.contents[object.index()] {
                let meeting = stored.meets(cell);
                let step = match (meeting.partial || meeting.equal && is_bit_field, meeting.equal) {
                    (true, _) => Step::ANYWHERE,
                    (false, true) => Step::NONE,
                    (false, false) => continue,
                };
                if seen.insert((contents.as_ptr(), step)) {
                    self.add_all(&mut facts, contents, step);
                }
            }
        }
        if self.flow.program.is_pointer(self.flow.program.place(place).ty)
            && touched.iter().any(|&(object, cell)| alias.solution.is_patched(object, cell))
        {
            self.add_all(&mut facts, &alias.solution.told, Step::NONE);
        }
        facts.locations()
    }

    /// The positions that a place can be at; none if it is in a register.
    pub(crate) fn place(&mut self, place: PlaceId) -> Vec<Location> {
        let path = self.flow.path(place);
        if let PlaceBase::Deref(pointer) = path.base
            && path.step == Step::NONE
            && path.indices.is_empty()
        {
            return self.value(pointer);
        }
        let mut facts = Facts::default();
        match path.base {
            PlaceBase::Var(var) => {
                if let Some(object) = self.alias.objects().variable(var) {
                    facts.insert(self.flow.space, self.moved(Location::exact(object, 0), path.step));
                }
            }
            PlaceBase::Deref(pointer) => {
                let from = self.value(pointer);
                self.add_all(&mut facts, &from, path.step);
            }
        }
        for index in path.indices {
            let from = self.value(index);
            self.add_all(&mut facts, &from, Step::ANYWHERE);
        }
        facts.locations()
    }

    /// The bytes that an access to a scalar place can touch.
    pub(crate) fn touched(&mut self, place: PlaceId) -> Vec<(ObjectId, AccessBytes)> {
        let width = self.flow.width(place);
        self.cells(place, width)
    }

    /// The bytes that an access of a width at a place can touch.
    pub(crate) fn cells(&mut self, place: PlaceId, width: u64) -> Vec<(ObjectId, AccessBytes)> {
        let places = self.place(place);
        let (objects, space) = (self.alias.objects(), self.flow.space);
        places.into_iter().filter_map(|at| Some((at.object, space.cell(objects, at, width)?))).collect()
    }
}
