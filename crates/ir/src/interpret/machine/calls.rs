//! Calls and returns: frames come and go, and so do the objects of an activation.

use super::{Machine, Suspended, Trap};
use crate::ProcId;
use crate::interpret::code::{CallSite, Code, NO_LAYOUT, Passed, Scalar, Slot, Target, VarHome};
use crate::interpret::eval;
use crate::interpret::memory::{Origin, UNINITIALISED, function_at};
use crate::interpret::outcome::Outcome;
use crate::interpret::outside::function_outside;

impl Machine<'_> {
    pub(super) fn call(&mut self, number: u32) -> Result<(), Trap> {
        let site = &self.code.calls[number as usize];
        let target = match site.callee {
            Target::Direct(procedure) => procedure,
            Target::Indirect(slot) => self.resolve(self.get(slot), site)?,
        };
        if self.interpreter.program.procedures[target].external.is_some() {
            return self.call_external(target, site);
        }
        let callee = self.interpreter.code(target, self.observed);
        let new_base = self.registers.len();
        let waiting = self.suspended.len() * size_of::<Suspended<'_>>();
        let frames = ((new_base + callee.frame.len()) * 8 + waiting) as u64;
        if self.suspended.len() >= self.limits.depth || frames > self.limits.memory {
            return Err(Box::new(Outcome::StackOverflow(self.site())));
        }
        self.registers.extend_from_slice(&callee.frame);
        let objects = self.stack_objects.len();
        let number_of_activation = self.entered[target.index()];
        self.entered[target.index()] += 1;
        self.memory.serial = number_of_activation;
        for (argument, formal) in site.arguments.iter().zip(&callee.formals) {
            match formal.home {
                VarHome::Slot { scalar, .. } => {
                    let to = new_base + formal.slot as usize;
                    match argument.scalar {
                        Some(from) if from != scalar => {
                            let value = self.passed(argument.slot, from, scalar)?;
                            self.set_absolute(to, scalar, value);
                        }
                        _ => {
                            self.registers[to] = self.get(argument.slot);
                            if scalar.is_wide() {
                                self.registers[to + 1] = self.get(argument.slot + 1);
                            }
                        }
                    }
                }
                VarHome::Object { size, align } => {
                    let address = self.make_object(size, align, Origin::Local(formal.var))?;
                    self.registers[new_base + formal.slot as usize] = address;
                    self.pass_in_memory(argument, address)?;
                }
            }
        }
        let (code, procedure, pc, base) = (self.code, self.procedure, self.pc, self.base);
        let activation = std::mem::replace(&mut self.activation, number_of_activation);
        self.suspended.push(Suspended { code, procedure, pc, base, objects, site: number, activation });
        self.base = new_base;
        self.make_locals(callee)?;
        self.code = callee;
        self.procedure = target;
        self.pc = 0;
        Ok(())
    }

    /// Makes the objects of the variables of the activation that starts at `base`.
    pub(super) fn make_locals(&mut self, code: &Code) -> Result<(), Trap> {
        for &(slot, size, align, var) in &code.objects {
            let address = self.make_object(size, align, Origin::Local(var))?;
            self.set(slot, address);
        }
        Ok(())
    }

    fn make_object(&mut self, size: u64, align: u64, origin: Origin) -> Result<u64, Trap> {
        let address = self.memory.allocate(size, align, origin, Some(UNINITIALISED), 0);
        let address =
            address.map_err(|_| Box::new(Outcome::OutOfMemory { size, site: Some(self.site()) }))?;
        self.stack_objects.push(address);
        Ok(address)
    }

    /// Stores an argument in the object of its formal.
    fn pass_in_memory(&mut self, argument: &Passed, address: u64) -> Result<(), Trap> {
        match argument.scalar.map(|scalar| (scalar, scalar.cell())) {
            None => self.copy_aggregate(address, self.get(argument.slot), argument.ty),
            Some((_, Some(cell))) => {
                self.store_slowly(cell, argument.slot, address)?;
                self.touch(address, cell.size() as u64, true);
                Ok(())
            }
            Some((_, None)) => Err(self.unsupported(NO_LAYOUT)),
        }
    }

    /// The procedure at an address, if the call fits it.
    fn resolve(&self, address: u64, site: &CallSite) -> Result<ProcId, Trap> {
        let program = self.interpreter.program;
        if let Some(outside) = function_outside(program, address) {
            return Ok(outside);
        }
        let Some(procedure) = function_at(address, program.procedures.len()) else {
            return Err(Box::new(Outcome::BadCall { address, site: self.site() }));
        };
        if program.fits(&program.procedures[self.procedure].edges[site.edge].statement, procedure) {
            return Ok(procedure);
        }
        let name = &program.procedures[procedure].name;
        Err(self.unsupported(format!("a call of {name} through a pointer of another type")))
    }

    /// A scalar of the current activation as one of another type, where a call through a pointer passes it so.
    fn passed(&self, slot: Slot, from: Scalar, to: Scalar) -> Result<i128, Trap> {
        let value = self.get_scalar(slot, from);
        if from == to { Ok(value) } else { self.unstuck(eval::cast(from, to, value)) }
    }

    /// The result of a procedure that has none, where a call through a pointer wants one: anything.
    fn draw_missing_result(&mut self, to: usize, wanted: Passed) -> Result<(), Trap> {
        let Some(scalar) = wanted.scalar else { return Ok(()) };
        let name = self.interpreter.program.procedures[self.procedure].name.clone();
        let value = self.draw_result(name, wanted.ty, scalar)?;
        self.set_absolute(to, scalar, value);
        Ok(())
    }

    pub(super) fn return_(&mut self) -> Result<(), Trap> {
        let result = self.code.result;
        let caller = self.suspended.last().copied();
        let wanted = caller.map(|caller| caller.code.calls[caller.site as usize].result);
        // A result that was never set is drawn if the caller looks at it.
        if let Some(result) = result
            && !matches!(wanted, Some(None))
            && let VarHome::Slot { flag: Some(flag), .. } = result.home
            && self.get(flag) == 0
        {
            self.draw_variable(result)?;
        }
        let Some(caller) = caller else {
            let status = match result.map(|result| (result.slot, result.home)) {
                Some((slot, VarHome::Slot { scalar, .. })) => self.get_scalar(slot, scalar),
                _ => 0,
            };
            return Err(Box::new(Outcome::Returned(status)));
        };
        if let (Some(result), Some(Some(wanted))) = (result, wanted) {
            let to = caller.base + wanted.slot as usize;
            match (result.home, wanted.scalar) {
                (VarHome::Slot { scalar, .. }, Some(wanted)) if wanted != scalar => {
                    let value = self.passed(result.slot, scalar, wanted)?;
                    self.set_absolute(to, wanted, value);
                }
                (VarHome::Slot { scalar, .. }, Some(_)) => {
                    self.registers[to] = self.get(result.slot);
                    if scalar.is_wide() {
                        self.registers[to + 1] = self.get(result.slot + 1);
                    }
                }
                (VarHome::Object { .. }, None) => {
                    let before = self.touches.as_ref().map_or(0, Vec::len);
                    self.copy_aggregate(self.registers[to], self.get(result.slot), wanted.ty)?;
                    let edge = caller.code.edge_at(caller.pc.saturating_sub(1));
                    for touch in self.touches.iter_mut().flat_map(|touches| touches.iter_mut().skip(before)) {
                        (touch.procedure, touch.edge) = (caller.procedure, edge);
                    }
                }
                _ => return Err(self.unsupported("a result whose address is taken")),
            }
        }
        if let (None, Some(Some(wanted))) = (result, wanted) {
            self.draw_missing_result(caller.base + wanted.slot as usize, wanted)?;
        }
        while self.stack_objects.len() > caller.objects {
            if let Some(address) = self.stack_objects.pop() {
                self.memory.release(address);
            }
        }
        self.registers.truncate(self.base);
        self.suspended.pop();
        (self.code, self.procedure, self.pc, self.base) =
            (caller.code, caller.procedure, caller.pc, caller.base);
        self.activation = caller.activation;
        Ok(())
    }
}
