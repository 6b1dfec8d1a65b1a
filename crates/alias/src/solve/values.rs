//! Constraints of values and places, and of what variables hold at the start.

use hardbop_ir::{ExprId, ExprKind, Initial, InitialValue, PlaceBase, PlaceId, Program, Type, TypeId, VarId};

use super::{NodeId, Solver, Use};
use crate::flow::{Source, bit_field_bytes};
use crate::location::{Location, Space, Step};
use crate::object::is_elsewhere;

/// Constraints of values and places.
impl Solver<'_> {
    pub(super) fn register(&mut self, var: VarId) -> NodeId {
        if let Some(node) = self.registers[var.index()] {
            return node;
        }
        let node = self.node();
        self.registers[var.index()] = Some(node);
        node
    }

    /// The node of an expression; nothing if it can hold no address.
    pub(super) fn value(&mut self, expr: ExprId) -> Option<NodeId> {
        if let Some(&known) = self.values.get(&expr) {
            return known;
        }
        let sources = self.flow.sources(expr);
        let node = match *sources {
            [] => None,
            [Source::Value(operand, Step::NONE)] => self.value(operand),
            [Source::Address(place)] => Some(self.address(place)),
            [Source::Load(place)] => self.load(place),
            _ => {
                let node = self.node();
                for source in sources {
                    self.flow_from(source, node);
                }
                Some(node)
            }
        };
        self.values.insert(expr, node);
        node
    }

    fn flow_from(&mut self, source: Source, to: NodeId) {
        let (from, step) = match source {
            Source::Procedure(procedure) => {
                return self.add(to, Location::exact(self.objects.procedure(procedure), 0));
            }
            Source::Address(place) => (Some(self.address(place)), Step::NONE),
            Source::Load(place) => (self.load(place), Step::NONE),
            Source::Value(operand, step) => (self.value(operand), step),
            Source::Told => (Some(self.told), Step::NONE),
        };
        if let Some(from) = from {
            self.connect(from, to, step);
        }
    }

    fn load(&mut self, place: PlaceId) -> Option<NodeId> {
        if let Some(var) = self.program.whole_variable(place)
            && self.objects.variable(var).is_none()
        {
            return Some(self.register(var));
        }
        let (address, target) = (self.address(place), self.node());
        let is_bit_field = self.flow.path(place).bits.is_some();
        let step = if is_bit_field { Step::ANYWHERE } else { Step::NONE };
        let ty = self.program.place(place).ty;
        let pointer = self.program.is_pointer(ty);
        let pointee = self.program.pointee(ty).map(|pointee| self.program.ty(pointee));
        if pointee.is_some_and(|pointee| !matches!(pointee, Type::Function(_))) {
            self.pointer_loads.push((address, self.flow.width(place), target));
        }
        self.attach(address, Use::Load { width: self.flow.width(place), target, step, pointer });
        Some(target)
    }

    /// The node of the address of a place that is no register.
    pub(super) fn address(&mut self, place: PlaceId) -> NodeId {
        if let Some(&known) = self.addresses.get(&place) {
            return known;
        }
        let node = self.node();
        self.addresses.insert(place, node);
        let path = self.flow.path(place);
        match path.base {
            PlaceBase::Var(var) => {
                if let Some(object) = self.objects.variable(var) {
                    self.add(node, self.space.moved(Location::exact(object, 0), path.step));
                }
            }
            PlaceBase::Deref(pointer) => {
                if let Some(pointer) = self.value(pointer) {
                    self.connect(pointer, node, path.step);
                }
            }
        }
        for index in path.indices {
            if let Some(index) = self.value(index) {
                self.connect(index, node, Step::ANYWHERE);
            }
        }
        node
    }

    /// Stores the value of a node in a scalar place.
    pub(super) fn assign(&mut self, place: PlaceId, value: NodeId) {
        if let Some(var) = self.program.whole_variable(place)
            && self.objects.variable(var).is_none()
        {
            let target = self.register(var);
            return self.connect(value, target, Step::NONE);
        }
        let (address, width) = (self.address(place), self.flow.width(place));
        let value = if self.flow.path(place).bits.is_some() { self.piece_of(value) } else { value };
        self.attach(value, Use::StoredAt { width, address });
        self.attach(address, Use::Store { width, source: value });
    }

    /// The node of some bits of a value.
    pub(super) fn piece_of(&mut self, value: NodeId) -> NodeId {
        let piece = self.node();
        self.connect(value, piece, Step::ANYWHERE);
        piece
    }

    /// Makes the pointers in a place arbitrary.
    pub(super) fn havoc(&mut self, place: PlaceId) {
        let ty = self.program.place(place).ty;
        let mut offsets = Vec::new();
        pointers_in(self.program, ty, 0, &mut offsets);
        if offsets.is_empty() {
            return;
        }
        let world = Location::anywhere(self.objects.world());
        let value = self.node();
        self.add(value, world);
        if self.program.is_scalar(ty) {
            return self.assign(place, value);
        }
        let address = self.address(place);
        for step in offsets {
            let part = self.node();
            self.connect(address, part, step);
            let width = self.space.pointer_bytes();
            self.attach(value, Use::StoredAt { width, address: part });
            self.attach(part, Use::Store { width, source: value });
        }
    }

    /// What a global points to at the start.
    pub(super) fn initial(&mut self, global: VarId) {
        match &self.program.variables[global].initial {
            Initial::Arbitrary if is_elsewhere(self.program, global) => self.initial_elsewhere(global),
            Initial::Arbitrary => {
                let mut offsets = Vec::new();
                pointers_in(self.program, self.program.variables[global].ty, 0, &mut offsets);
                let world = Location::anywhere(self.objects.world());
                for step in offsets {
                    match self.objects.variable(global) {
                        None => {
                            let node = self.register(global);
                            self.add(node, world);
                        }
                        Some(object) => {
                            let at = self.space.moved(Location::exact(object, 0), step);
                            if let Some((object, cell)) = self.cell(at, self.space.pointer_bytes()) {
                                let node = self.stored(object, cell);
                                self.add(node, world);
                            }
                        }
                    }
                }
            }
            Initial::Values(values) => values.iter().for_each(|value| self.initial_value(global, value)),
        }
    }

    fn initial_value(&mut self, global: VarId, initial: &InitialValue) {
        if matches!(self.program.expr(initial.value).kind, ExprKind::Int(_) | ExprKind::Float(_)) {
            return;
        }
        let Some(value) = self.value(initial.value) else { return };
        let Some(object) = self.objects.variable(global) else {
            let node = self.register(global);
            return self.connect(value, node, Step::NONE);
        };
        let (width, step) = match initial.bits {
            Some(bits) => (bit_field_bytes(bits), Step::ANYWHERE),
            None => (self.flow.scalar_width(self.program.expr(initial.value).ty), Step::NONE),
        };
        if let Some((object, cell)) = self.cell(Location::exact(object, initial.offset), width) {
            let node = self.stored(object, cell);
            self.connect(value, node, step);
        }
    }
}

/// The steps from the start of a value to the pointers in it. All elements of an array count as one.
pub(super) fn pointers_in(program: &Program, ty: TypeId, at: i64, out: &mut Vec<Step>) {
    let mut scalars = Vec::new();
    scalars_in(program, ty, at, &mut scalars);
    out.extend(scalars.into_iter().filter(|&(_, ty)| program.is_pointer(ty)).map(|(step, _)| step));
}

/// The steps from the start of a value to all in it that may be an address or a part of one, with its bytes.
pub(super) fn addresses_in(program: &Program, ty: TypeId) -> Vec<(Step, u64)> {
    let mut scalars = Vec::new();
    scalars_in(program, ty, 0, &mut scalars);
    scalars.retain(|&(_, ty)| program.machine_shape(ty).is_some());
    scalars.into_iter().map(|(step, ty)| (step, program.size_of(ty))).collect()
}

/// The steps from the start of a value to the scalars in it. All elements of an array count as one.
fn scalars_in(program: &Program, ty: TypeId, at: i64, out: &mut Vec<(Step, TypeId)>) {
    match *program.ty(ty) {
        Type::Array { element, .. } => {
            let mut inside = Vec::new();
            scalars_in(program, element, at, &mut inside);
            let spread = program.size_of(element);
            let (spread, space) = (Step::spread(spread), Space::new(program.data_model.pointer_bits()));
            out.extend(inside.into_iter().map(|(step, ty)| (step.then(spread, space), ty)));
        }
        Type::Record(record) => {
            for field in &program.records[record].fields {
                scalars_in(program, field.ty, at.saturating_add_unsigned(field.offset), out);
            }
        }
        _ => out.push((Step::by(at), ty)),
    }
}
