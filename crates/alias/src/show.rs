//! A report for people.

use std::fmt::Write;

use hardbop_ir::{ProcId, Program, Statement, VarId};

use crate::grid::Grid;
use crate::location::{AccessBytes, Location, Space};
use crate::object::{ObjectId, ObjectKind};
use crate::query::Alias;
use crate::region::{Effects, RegionId, RegionKind, Regions};

/// Everything that is known of a program: where its variables and its memory point, its regions, and who
/// calls whom and touches what.
pub fn show(program: &Program, alias: &Alias, regions: &Regions) -> String {
    let report = Report { program, alias, space: Space::new(program.data_model.pointer_bits()) };
    let mut out = String::new();
    report.points_to(&mut out);
    report.regions(regions, &mut out);
    report.procedures(regions, &mut out);
    out
}

struct Report<'a> {
    program: &'a Program,
    alias: &'a Alias,
    space: Space,
}

impl Report<'_> {
    fn name(&self, object: ObjectId) -> String {
        self.alias.objects().name(self.program, object)
    }

    fn location(&self, at: Location) -> String {
        let name = self.name(at.object);
        if !at.grid.is_empty() {
            let (row, grid) = at.grid.without_outermost();
            let start = self.location(Location { grid: Grid::NONE, ..at });
            let rows = [row, grid.inner].into_iter().filter(|row| !row.is_empty());
            let shown = rows.map(|row| format!("+(0..{})*{}", row.extent / row.grain, row.grain));
            return shown.fold(start, |shown, row| shown + &row);
        }
        match (at.offset, at.stride, self.alias.objects()[at.object].kind) {
            (_, _, ObjectKind::World) | (0, 0, _) => name,
            (_, 1, _) => format!("{name}+?"),
            (offset, 0, _) => format!("{name}{:+}", self.space.signed(offset)),
            (0, stride, _) => format!("{name}+{stride}i"),
            (offset, stride, _) => format!("{name}+{offset}+{stride}i"),
        }
    }

    fn locations(&self, all: &[Location]) -> String {
        all.iter().map(|&at| self.location(at)).collect::<Vec<_>>().join(", ")
    }

    fn cell(&self, object: ObjectId, cell: AccessBytes) -> String {
        format!("{}:{}", self.location(cell.location(object)), cell.width)
    }

    fn variable(&self, var: VarId) -> String {
        let name = &self.program.variables[var].name;
        match self.alias.objects().owner(var) {
            Some(procedure) => format!("{}::{name}", self.program.procedures[procedure].name),
            None => name.clone(),
        }
    }

    fn points_to(&self, out: &mut String) {
        out.push_str("points to:\n");
        for (var, facts) in self.program.variables.ids().zip(&self.alias.solution.registers) {
            if !facts.is_empty() {
                let _ = writeln!(out, "  {} -> {}", self.variable(var), self.locations(facts));
            }
        }
        for ((object, _), cells) in self.alias.objects().iter().zip(&self.alias.solution.contents) {
            for (cell, facts) in cells.iter().filter(|(_, facts)| !facts.is_empty()) {
                let _ = writeln!(out, "  [{}] -> {}", self.cell(object, *cell), self.locations(facts));
            }
        }
    }

    fn regions(&self, regions: &Regions, out: &mut String) {
        out.push_str("regions:\n");
        for (id, region) in regions.regions().iter() {
            let kind = match region.kind {
                RegionKind::Bytes => "bytes".into(),
                RegionKind::Typed(width) => match region.scalar {
                    Some(ty) => self.program.show_type(ty),
                    None => format!("{width} bytes each"),
                },
            };
            let cells: Vec<String> =
                region.cells.iter().map(|&(object, cell)| self.cell(object, cell)).collect();
            let never = if region.is_written { "" } else { ", never written" };
            let _ = writeln!(out, "  {} ({kind}{never}): {}", region_name(id), cells.join(", "));
        }
    }

    fn procedures(&self, regions: &Regions, out: &mut String) {
        out.push_str("procedures:\n");
        let reached = |&procedure: &ProcId| self.alias.calls().is_reached(procedure);
        for procedure in self.program.procedures.ids().filter(reached) {
            let p = &self.program.procedures[procedure];
            let recursive = if self.alias.calls().is_recursive(procedure) { " (recursive)" } else { "" };
            let _ = writeln!(out, "  {}{recursive}", p.name);
            for (edge, e) in p.edges.iter() {
                if let Statement::Call { .. } = e.statement {
                    let callees = self.alias.callees(procedure, edge).iter();
                    let mut names: Vec<&str> =
                        callees.map(|&callee| self.program.procedures[callee].name.as_str()).collect();
                    if self.alias.calls().may_call_unknown(procedure, edge) {
                        names.push("?");
                    }
                    let statement = self.program.show_statement(&e.statement);
                    let _ = writeln!(out, "    {statement}: calls {}", or_nothing(&names.join(", ")));
                }
                for bulk in regions.bulks(procedure, edge) {
                    let leaves: Vec<String> = bulk.leaves.iter().map(leaf).collect();
                    let statement = self.program.show_statement(&e.statement);
                    let _ =
                        writeln!(out, "    {statement}: {:?} {}", bulk.kind, or_nothing(&leaves.join(", ")));
                }
            }
            let _ = writeln!(out, "    writes {}", self.effects(regions.modified(procedure)));
            let _ = writeln!(out, "    reads {}", self.effects(regions.read(procedure)));
        }
    }

    fn effects(&self, effects: &Effects) -> String {
        let registers = effects.registers.iter().map(|&var| self.variable(var));
        let regions = effects.regions.iter().map(|&id| region_name(id));
        or_nothing(&registers.chain(regions).collect::<Vec<_>>().join(", ")).to_owned()
    }
}

fn leaf(leaf: &crate::region::Leaf) -> String {
    let region = |id: Option<RegionId>| id.map_or("-".into(), region_name);
    let stride = if leaf.stride == 0 { String::new() } else { format!("+{}i", leaf.stride) };
    format!("{}{stride}:{} {}<-{}", leaf.offset, leaf.width, region(leaf.target), region(leaf.source))
}

fn region_name(id: RegionId) -> String {
    format!("R{}", id.index())
}

fn or_nothing(text: &str) -> &str {
    if text.is_empty() { "nothing" } else { text }
}
