//! Comparing what the encoder says with what the run holds.

use super::*;

impl Shadow<'_> {
    /// Compares all that is alive and visible: not only what the last step wrote, but also what it should
    /// have written.
    pub(super) fn compare(&mut self, view: &View<'_, '_>) -> Result<(), String> {
        let program = self.subject.program;
        let procedure = &program.procedures[self.procedure()];
        let own = procedure.formals.iter().chain(&procedure.locals).chain(&procedure.result);
        for &var in own.chain(&program.globals) {
            if !self.subject.alias.in_memory(var) {
                let frame = self.state.frame();
                let cell = self.coder().register(frame, var);
                self.compare_scalar(view, cell)?;
            }
        }
        for region in self.subject.regions.regions().ids() {
            if self.elements[region.index()].is_none() {
                self.compare_scalar(view, Cell::Region(region))?;
            }
        }
        for kind in self.encoder.heap_kinds() {
            let alive = (Cell::Live(kind), self.heap_of(view, kind));
            let count = (Cell::Tally(Tally::Alive, kind), self.count_of(view, kind));
            for (cell, expected) in [alive, count] {
                let term = self.current(cell);
                let found = self.evaluate(term);
                self.agree(cell, None, &found, &expected)?;
            }
        }
        let mut arrays: FxHashMap<RegionId, Value> = FxHashMap::default();
        for (region, address, expected) in self.actual(view).contents(None) {
            let cell = Cell::Region(region);
            let array = arrays.entry(region).or_insert_with(|| {
                let term = self.current(cell);
                self.evaluate(term)
            });
            let index = Value::bv(address.into(), self.pointer_bits());
            let found = array.element(&index).expect("an array").clone();
            self.agree(cell, Some(address), &found, &expected)?;
            self.bytes += self.elements[region.index()].map_or(0, bytes_of);
        }
        Ok(())
    }

    /// Compares a cell of one scalar.
    pub(super) fn compare_scalar(&mut self, view: &View<'_, '_>, cell: Cell) -> Result<(), String> {
        let term = self.current(cell);
        let sort = self.encoder.terms.sort(term);
        if let Some(expected) = self.actual_scalar(view, cell, sort) {
            let found = self.evaluate(term);
            self.agree(cell, None, &found, &expected)?;
            if matches!(cell, Cell::Region(_)) {
                self.bytes += bytes_of(sort);
            }
        }
        Ok(())
    }

    /// The term that a cell holds now.
    pub(super) fn current(&mut self, cell: Cell) -> Term {
        self.encoder.on(self.subject).get(&self.state, cell)
    }

    fn agree(&mut self, cell: Cell, at: Option<u64>, found: &Value, expected: &Value) -> Result<(), String> {
        if found == expected {
            return Ok(());
        }
        let name = self.coder().cell_name(cell);
        let at = at.map(|at| format!(" at {at:#x}")).unwrap_or_default();
        let kind = match cell {
            Cell::Region(region) => format!(" {:?}", self.subject.regions.region(region)),
            _ => String::new(),
        };
        Err(format!("{name}{at} is {} to the encoder and {} in the run{kind}", short(found), short(expected)))
    }
}

/// The number of bytes of a scalar.
fn bytes_of(sort: Sort) -> u64 {
    match sort {
        Sort::Bool => 1,
        Sort::Int => 16,
        Sort::BitVec(width) => u64::from(width.div_ceil(8)),
        Sort::Array(..) => 0,
    }
}

pub(super) fn short(value: &Value) -> String {
    let text = value.to_string();
    if text.len() > 300 { format!("{}…", text.chars().take(300).collect::<String>()) } else { text }
}
