//! Procedures and statements of random programs.

use super::*;

impl Generator {
    pub(super) fn procedures(&mut self) {
        for i in 0..=self.size.procedures {
            let external = match self.random.below(8) {
                0 if i > 0 => Some(Effect::Pure),
                1 if i > 0 => Some(Effect::Havoc),
                2 if i > 0 => Some(Effect::Computes),
                3 if i > 0 => Some(Effect::Reaches),
                _ => None,
            };
            self.signature(external, if i == 0 { 0 } else { 3 });
        }
        self.program.entry = Some(Id::from_usize(0));
        self.initial_values();
        for id in self.program.procedures.ids() {
            if self.program.procedures[id].external.is_none() {
                self.body(id);
            }
        }
        self.program.add_misfit();
    }

    fn signature(&mut self, external: Option<Effect>, formals: usize) {
        let formals = (0..self.random.below(formals + 1))
            .map(|_| {
                let (name, ty) = (self.name(), self.random.pick(&self.types));
                self.variable(name, ty, VarKind::Formal)
            })
            .collect();
        let result = (!self.random.one_in(3)).then(|| {
            let ty = self.random.pick(&self.types);
            self.variable("result".into(), ty, VarKind::Result)
        });
        let (name, span) = (self.name(), self.span());
        let (entry, exit) = (Id::from_usize(0), Id::from_usize(usize::from(external.is_none())));
        let (locals, locations, edges) = (Vec::new(), Default::default(), Default::default());
        let procedure = Procedure {
            name,
            span,
            formals,
            variadic: false,
            locals,
            result,
            external,
            locations,
            edges,
            entry,
            exit,
        };
        let id = self.program.procedures.push(procedure);
        // Pointers to procedures that take pointers to procedures grow fast.
        if id.index() < 6 {
            let function = self.program.procedure_type(id);
            let pointer = self.program.pointer_to(function);
            self.types.push(pointer);
        }
    }

    fn body(&mut self, id: ProcId) {
        for _ in 0..self.size.variables {
            let ty = self.random.pick(&self.types);
            let kind = if self.random.one_in(2) { VarKind::Temp } else { VarKind::Local };
            self.local(id, ty, kind, true);
        }
        let procedure = &self.program.procedures[id];
        self.scope = self.globals.clone();
        self.scope.extend(procedure.formals.iter().chain(&procedure.locals).chain(&procedure.result));
        let count = 3 + self.random.below(self.size.edges);
        for i in 0..count {
            let labels = if self.random.one_in(8) { vec![self.name(), format!("again{i}")] } else { vec![] };
            self.program.procedures[id].locations.push(Location { labels });
        }
        for _ in 0..self.size.edges {
            let source = self.random.pick(&[0, 2 + self.random.clone().below(count - 2)]);
            let target = 2 + self.random.below(count - 2);
            let statement = self.statement(id);
            let target = if statement == Statement::Return { 1 } else { target };
            let span = self.span();
            let (source, target) = (Id::from_usize(source), Id::from_usize(target));
            self.program.procedures[id].edges.push(Edge { source, target, statement, span });
        }
    }

    /// A new variable of a procedure; it may hide a global.
    fn local(&mut self, id: ProcId, ty: TypeId, kind: VarKind, hide: bool) -> VarId {
        let serial = self.program.procedures[id].locals.len();
        let name = match self.globals.get(serial) {
            Some(&global) if hide && serial < 3 => self.program.variables[global].name.clone(),
            _ => self.name(),
        };
        let var = self.variable(name, ty, kind);
        self.program.procedures[id].locals.push(var);
        var
    }

    fn statement(&mut self, id: ProcId) -> Statement {
        let depth = self.size.depth;
        match self.random.below(16) {
            0 => Statement::Skip,
            1 => Statement::Return,
            2..=4 => {
                let ty = self.scalar();
                let place = self.target(ty);
                Statement::Assign(place, self.expr(ty, depth))
            }
            5 => {
                let ty = self.random.pick(&self.types);
                Statement::Assign(self.target(ty), self.load(ty, depth))
            }
            6 | 7 => {
                let ty = self.program.bool();
                Statement::Assume(self.expr(ty, depth))
            }
            8 => {
                let ty = self.random.pick(&self.types);
                let name = self.name();
                let origin = match self.random.below(5) {
                    0 => Arbitrary::Nondet(name),
                    3 => Arbitrary::Library(name),
                    1 => Arbitrary::External(name),
                    2 => Arbitrary::Assembly,
                    _ => Arbitrary::Uninitialised,
                };
                Statement::Havoc(self.target(ty), origin)
            }
            9 | 10 => self.call(id),
            11 => self.memory(id),
            12 => {
                let arguments = (0..self.random.below(4))
                    .map(|_| {
                        let ty = self.scalar();
                        self.expr(ty, depth)
                    })
                    .collect();
                Statement::Output { function: "printf".into(), arguments }
            }
            13 => Statement::Error(match self.random.below(3) {
                0 => Property::ErrorFunction("reach_error".into()),
                1 => Property::Assertion("x > \"y\"\n".into()),
                _ => Property::ErrorLabel("ERROR".into()),
            }),
            14 => Statement::Unsupported("inline \\ assembly".into()),
            _ => match self.random.below(3) {
                0 => Statement::Halt(Halt::Abort),
                1 => Statement::Halt(Halt::Unreachable),
                _ => {
                    let ty = self.machine();
                    Statement::Halt(Halt::Exit(self.expr(ty, depth)))
                }
            },
        }
    }

    /// A place that may be stored to.
    fn target(&mut self, ty: TypeId) -> PlaceId {
        loop {
            let place = self.place(ty, self.size.depth, false);
            let formal = match self.program.place(place).base {
                PlaceBase::Var(var) => self.program.variables[var].kind == VarKind::Formal,
                PlaceBase::Deref(_) => false,
            };
            if !formal {
                return place;
            }
        }
    }

    fn call(&mut self, id: ProcId) -> Statement {
        let callee = Id::from_usize(self.random.below(self.program.procedures.len()));
        let procedure = self.program.procedures[callee].clone();
        let types: Vec<_> = procedure.formals.iter().map(|&v| self.program.variables[v].ty).collect();
        let arguments = types.into_iter().map(|ty| self.argument(id, ty)).collect();
        let result = procedure.result.filter(|_| !self.random.one_in(3)).map(|result| {
            let ty = self.program.variables[result].ty;
            self.local(id, ty, VarKind::Temp, false)
        });
        let callee = if self.random.one_in(2) {
            let function = self.program.procedure_type(callee);
            let pointer = self.program.pointer_to(function);
            Callee::Indirect(if self.random.one_in(3) {
                self.program.function_address(callee)
            } else {
                self.expr(pointer, self.size.depth)
            })
        } else {
            Callee::Direct(callee)
        };
        Statement::Call { result, callee, arguments }
    }

    fn argument(&mut self, id: ProcId, ty: TypeId) -> ExprId {
        if self.program.is_scalar(ty) && self.random.one_in(2) {
            return self.literal(ty);
        }
        let temp = self.local(id, ty, VarKind::Temp, false);
        self.program.var(temp)
    }

    fn memory(&mut self, id: ProcId) -> Statement {
        let depth = self.size.depth;
        let target = self.random.pick(&self.types);
        let pointer = self.program.pointer_to(target);
        let (a, b) = (self.expr(pointer, depth), self.expr(pointer, depth));
        let length = if self.random.one_in(2) { self.program.address_type() } else { self.machine() };
        let length = self.expr(length, depth);
        match self.random.below(4) {
            0 => {
                let result = self.local(id, pointer, VarKind::Temp, false);
                let kind = self.random.pick(&[MemoryKind::Heap, MemoryKind::ZeroedHeap, MemoryKind::Stack]);
                let may_fail = self.random.one_in(2);
                Statement::Allocate { result, size: length, kind, may_fail }
            }
            1 => Statement::Free(a),
            2 => Statement::Copy { target: a, source: b, length },
            _ => {
                let byte = self.machine();
                Statement::Fill { target: a, byte: self.expr(byte, depth), length }
            }
        }
    }
}
