//! The boolean program as text, with the source line of each step as a comment.

use std::fmt::Write;

use hardbop_base::Span;
use hardbop_bp::ast::{Item, Stmt};
use hardbop_ir::Program;

use crate::{Abstraction, Origin};

/// The text of a boolean program. `line` gives the source text of a line of the program, if there
/// is any; each step carries the lines that it stands for.
pub fn print(abstraction: &Abstraction, program: &Program, line: &dyn Fn(Span) -> Option<String>) -> String {
    let mut out = String::new();
    let printer = Printer { abstraction, program, line };
    for (i, item) in abstraction.program.items.iter().enumerate() {
        match item {
            Item::Procedure(procedure) => {
                if i > 0 {
                    out.push('\n');
                }
                let formals: Vec<&str> = procedure.formals.iter().map(|name| name.text.as_str()).collect();
                let (results, name) = (procedure.results, &procedure.name);
                let _ = writeln!(out, "{results} {name}({}) begin", formals.join(", "));
                let mut last = None;
                for stmt in &procedure.body {
                    printer.comment(&mut out, stmt, &mut last);
                    let _ = writeln!(out, "  {stmt}");
                }
                out.push_str("end\n");
            }
            Item::Decl(decl) => {
                let names: Vec<&str> = decl.names.iter().map(|name| name.text.as_str()).collect();
                let _ = writeln!(out, "decl {};", names.join(", "));
            }
            Item::Block(_) => unreachable!("abstraction makes procedures"),
        }
    }
    out
}

struct Printer<'a> {
    abstraction: &'a Abstraction,
    program: &'a Program,
    line: &'a dyn Fn(Span) -> Option<String>,
}

impl Printer<'_> {
    /// The source lines of a step, once for all of its statements.
    fn comment(&self, out: &mut String, stmt: &Stmt, last: &mut Option<Origin>) {
        let origin = stmt.tag.and_then(|tag| self.abstraction.back.origin(tag));
        let Some((procedure, origin)) = origin else { return };
        let edges = match origin {
            Origin::Edges(edges) | Origin::Guard(edges) => &edges[..],
            Origin::Call(edge) => std::slice::from_ref(edge),
            Origin::Nothing | Origin::Failure(_) | Origin::Return => return,
        };
        let guarded = matches!((last.as_ref(), origin), (Some(Origin::Guard(a)), Origin::Edges(b)) if a == b);
        *last = Some(origin.clone());
        if guarded {
            return;
        }
        let mut shown: Option<Span> = None;
        for &edge in edges {
            let span = self.program.procedures[*procedure].edges[edge].span;
            let repeated = shown.is_some_and(|s| s.file == span.file && s.line == span.line);
            if span.is_none() || repeated {
                continue;
            }
            shown = Some(span);
            if let Some(text) = (self.line)(span) {
                let place = self.program.files.origin(span);
                let _ = writeln!(out, "  // {place}: {}", text.trim());
            }
        }
    }
}
