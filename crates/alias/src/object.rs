//! What pointers point to.
//!
//! Scalars whose address is never taken are *registers*: no access through a pointer touches them, and
//! they are no objects. All other variables, allocations by the step that makes them, and procedures are
//! objects. A local's object stands for the variable in all activations, an allocation for all memory
//! allocated there. The object [`Objects::WORLD`] is the memory outside of the program.

use std::ops::Index;

use hardbop_base::{Arena, Id};
use hardbop_ir::interpret::Origin;
use hardbop_ir::{
    EdgeId, Effect, ExprId, ExprKind, Initial, MemoryKind, OUTSIDE, PlaceBase, ProcId, Program, Statement,
    Type, TypeId, VarId, VarKind,
};
use rustc_hash::FxHashMap;

use crate::walk;

/// An [`Object`] of a program.
pub type ObjectId = Id<Object>;

/// Something that a pointer can point to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// What it is.
    pub kind: ObjectKind,
    /// Its bytes, if that is known and not 0.
    pub size: Option<u64>,
}

/// What an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    /// The memory outside of the program: what arbitrary pointers point to.
    World,
    /// A variable that is no register.
    Variable(VarId),
    /// Everything that one step allocates.
    Allocation {
        /// The procedure of the step.
        procedure: ProcId,
        /// The step.
        edge: EdgeId,
        /// Heap or stack.
        kind: MemoryKind,
    },
    /// A procedure. It can be called but not accessed.
    Procedure(ProcId),
}

impl Object {
    /// Whether it can be accessed.
    pub fn is_memory(&self) -> bool {
        !matches!(self.kind, ObjectKind::Procedure(_))
    }
}

/// All objects of a program.
#[derive(Debug, Clone)]
pub struct Objects {
    items: Arena<Object>,
    /// The object of each variable that is no register.
    variables: Vec<Option<ObjectId>>,
    allocations: FxHashMap<(ProcId, EdgeId), ObjectId>,
    procedures: Vec<ObjectId>,
    /// For each variable, the procedure it belongs to.
    owners: Vec<Option<ProcId>>,
}

impl Index<ObjectId> for Objects {
    type Output = Object;

    fn index(&self, id: ObjectId) -> &Object {
        &self.items[id]
    }
}

impl Objects {
    /// Finds all objects of a program. If it is open, its globals are objects because others can name them.
    pub(crate) fn of(program: &Program, open: bool) -> Self {
        let mut objects = Objects {
            items: Arena::new(),
            variables: vec![None; program.variables.len()],
            allocations: FxHashMap::default(),
            procedures: Vec::new(),
            owners: vec![None; program.variables.len()],
        };
        objects.items.push(Object { kind: ObjectKind::World, size: None });
        let mut exposed = exposed(program);
        if open {
            program.globals.iter().for_each(|&g| exposed[g.index()] |= is_visible_outside(program, g));
        }
        for (var, variable) in program.variables.iter() {
            if !program.is_scalar(variable.ty) || exposed[var.index()] {
                let size = Some(program.size_of(variable.ty)).filter(|&size| size > 0);
                let object = Object { kind: ObjectKind::Variable(var), size };
                objects.variables[var.index()] = Some(objects.items.push(object));
            }
        }
        for (procedure, p) in program.procedures.iter() {
            let object = Object { kind: ObjectKind::Procedure(procedure), size: None };
            objects.procedures.push(objects.items.push(object));
            for &var in p.formals.iter().chain(&p.locals).chain(&p.result) {
                objects.owners[var.index()] = Some(procedure);
            }
            for (edge, e) in p.edges.iter() {
                if let Statement::Allocate { size, kind, .. } = e.statement {
                    let size = program.as_int(size).and_then(|n| u64::try_from(n).ok()).filter(|&n| n > 0);
                    let kind = ObjectKind::Allocation { procedure, edge, kind };
                    let id = objects.items.push(Object { kind, size });
                    objects.allocations.insert((procedure, edge), id);
                }
            }
        }
        objects
    }

    /// The memory outside of the program.
    pub fn world(&self) -> ObjectId {
        Id::from_usize(0)
    }

    /// The object of a variable; nothing if it is a register.
    pub fn variable(&self, var: VarId) -> Option<ObjectId> {
        self.variables.get(var.index()).copied().flatten()
    }

    /// The object that stands for what a step allocates.
    pub fn allocation(&self, procedure: ProcId, edge: EdgeId) -> Option<ObjectId> {
        self.allocations.get(&(procedure, edge)).copied()
    }

    /// The object that stands for one of a run; nothing if that is a register, or unknown.
    pub fn of_origin(&self, origin: Origin) -> Option<ObjectId> {
        match origin {
            Origin::Global(var) | Origin::Local(var) => self.variable(var),
            Origin::Heap(procedure, edge) | Origin::Stack(procedure, edge) => {
                self.allocation(procedure, edge)
            }
            Origin::Outside(_) => Some(self.world()),
        }
    }

    /// The object of a procedure.
    pub fn procedure(&self, procedure: ProcId) -> ObjectId {
        self.procedures[procedure.index()]
    }

    /// Whether an object is there as long as the program runs, as far as its kind tells: a variable of no procedure.
    pub(crate) fn is_lasting(&self, object: ObjectId) -> bool {
        matches!(self.items[object].kind, ObjectKind::Variable(var) if self.owner(var).is_none())
    }

    /// The procedure that a variable belongs to; nothing for globals.
    pub fn owner(&self, var: VarId) -> Option<ProcId> {
        self.owners.get(var.index()).copied().flatten()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Never: the world is always there.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// All objects, in order: the world, variables, then procedures, each with its allocations.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (ObjectId, &Object)> + ExactSizeIterator {
        self.items.iter()
    }

    /// A name for people.
    pub fn name(&self, program: &Program, id: ObjectId) -> String {
        match self.items[id].kind {
            ObjectKind::World => "world".into(),
            ObjectKind::Variable(var) => {
                let name = &program.variables[var].name;
                match self.owner(var) {
                    Some(procedure) => format!("{}::{name}", program.procedures[procedure].name),
                    None => name.clone(),
                }
            }
            ObjectKind::Procedure(procedure) => format!("fn {}", program.procedures[procedure].name),
            ObjectKind::Allocation { procedure, edge, kind } => {
                let what = if kind == MemoryKind::Stack { "stack" } else { "heap" };
                let p = &program.procedures[procedure];
                let number = p.edges.ids().filter(|&e| self.allocation(procedure, e).is_some());
                let number = number.take_while(|&e| e <= edge).count();
                format!("{what} {}#{number}", p.name)
            }
        }
    }
}

/// Which variables have their address taken somewhere in the program, initialisers included.
fn exposed(program: &Program) -> Vec<bool> {
    let mut exposed = vec![false; program.variables.len()];
    let mut seen = vec![false; program.exprs().len()];
    let mut visit = |expr: ExprId| {
        if let ExprKind::AddressOf(place) = program.expr(expr).kind
            && let PlaceBase::Var(var) = program.place(place).base
        {
            exposed[var.index()] = true;
        }
    };
    for statement in program.procedures.values().flat_map(|p| p.edges.values()).map(|e| &e.statement) {
        walk::statement_exprs(program, statement, &mut seen, &mut visit);
    }
    for &global in &program.globals {
        if let Initial::Values(values) = &program.variables[global].initial {
            for value in values {
                walk::exprs(program, value.value, &mut seen, &mut visit);
            }
        }
    }
    exposed
}

/// Whether functions that are not part of the program can name the variable.
pub(crate) fn is_visible_outside(program: &Program, var: VarId) -> bool {
    program.variables[var].kind == VarKind::Global
}

/// Whether a global is defined in another file, which may have put addresses of what it can name there.
pub(crate) fn is_elsewhere(program: &Program, var: VarId) -> bool {
    let variable = &program.variables[var];
    variable.kind == VarKind::Global
        && variable.initial == Initial::Arbitrary
        && may_contain_addresses(program, variable.ty)
}

/// Whether addresses of globals may come from outside of the program: from objects that are defined there, and
/// from procedures that may change all they know.
pub(crate) fn is_open(program: &Program) -> bool {
    program.procedures.values().any(|p| p.external == Some(Effect::Havoc) && p.name != OUTSIDE)
        || program.globals.iter().any(|&global| is_elsewhere(program, global))
}

fn may_contain_addresses(program: &Program, ty: TypeId) -> bool {
    match *program.ty(ty) {
        Type::Array { element, .. } => may_contain_addresses(program, element),
        Type::Record(record) => {
            program.records[record].fields.iter().any(|f| may_contain_addresses(program, f.ty))
        }
        // A whole one: parts of it in several objects are not looked for.
        _ => program.machine_shape(ty).is_some_and(|(width, _)| width >= program.data_model.pointer_bits()),
    }
}

/// Whether values of a scalar type can hold an address or a part of one. Truth values and mathematical
/// integers cannot.
pub(crate) fn can_hold_address(program: &Program, ty: TypeId) -> bool {
    matches!(program.ty(ty), Type::Machine { .. } | Type::Float(_) | Type::Pointer(_))
}
