//! Random programs survive printing and parsing, and satisfy the verifier.

use hardbop_base::{Diagnostics, Id, Sources};
use hardbop_ir::testing::{Random, Size, random_program};
use hardbop_ir::{
    Arbitrary, Callee, ExprId, ExprKind, Halt, Initial, Place, PlaceBase, PlaceId, Program, Projection,
    Statement, Type, TypeId, VarId, text, verify,
};

fn read(text: &str) -> Result<Program, Diagnostics> {
    text::parse(Id::from_usize(0), text)
}

fn rendered(text: &str, diagnostics: &Diagnostics) -> String {
    let mut sources = Sources::new();
    sources.add("program.ir", text);
    diagnostics.render(&sources)
}

#[test]
fn random_programs_come_back() {
    for seed in 0..300 {
        let program = random_program(seed, Size { edges: 40, ..Size::default() });
        let violations: Vec<_> = verify(&program).iter().map(|v| v.show(&program)).collect();
        assert!(violations.is_empty(), "seed {seed}: {violations:#?}");
        let printed = text::print(&program);
        let again = match read(&printed) {
            Ok(program) => program,
            Err(errors) => panic!("seed {seed}:\n{}", rendered(&printed, &errors)),
        };
        assert_eq!(text::print(&again), printed, "seed {seed}");
        assert!(Dump::whole(&program) == Dump::whole(&again), "seed {seed}: the text loses something");
        assert_eq!(verify(&again), [], "seed {seed}");
    }
}

/// Everything that a program says, written down naively: no two different programs look the same.
struct Dump<'p> {
    program: &'p Program,
    out: String,
}

impl Dump<'_> {
    fn whole(program: &Program) -> String {
        let p = program;
        let mut dump = Dump { program, out: format!("{:?} {:?}\n", p.data_model, p.files) };
        for record in p.records.values() {
            dump.add(&(&record.name, record.kind, record.size, record.align, record.span));
            for field in &record.fields {
                dump.add(&(&field.name, field.offset, field.bits));
                dump.ty(field.ty);
            }
        }
        for &global in &p.globals {
            dump.variable(global);
        }
        for procedure in p.procedures.values() {
            dump.add(&(&procedure.name, procedure.span, procedure.external, procedure.entry, procedure.exit));
            dump.add(&procedure.locations);
            for list in [&procedure.formals, &procedure.locals, &procedure.result.into_iter().collect()] {
                dump.add(&list.len());
                list.iter().for_each(|&v| dump.variable(v));
            }
            for edge in procedure.edges.values() {
                dump.add(&(edge.source, edge.target, edge.span));
                dump.statement(&edge.statement);
            }
        }
        dump.add(&(p.entry, &p.assumptions));
        dump.out
    }

    fn add(&mut self, item: &dyn std::fmt::Debug) {
        self.out += &format!("{item:?}\n");
    }

    fn ty(&mut self, id: TypeId) {
        match self.program.ty(id) {
            Type::Pointer(target) => {
                self.out += "pointer ";
                self.ty(*target);
            }
            Type::Array { element, length } => {
                self.out += &format!("array {length} ");
                self.ty(*element);
            }
            Type::Function(function) => {
                self.out += &format!("function {} ", function.formals.len());
                function.formals.iter().for_each(|&ty| self.ty(ty));
                self.ty(function.result);
            }
            simple => self.add(simple),
        }
    }

    fn name(&mut self, id: VarId) {
        let variable = &self.program.variables[id];
        let global = self.program.globals.contains(&id);
        self.add(&(&variable.name, global));
    }

    fn variable(&mut self, id: VarId) {
        let variable = &self.program.variables[id];
        self.add(&(&variable.name, variable.kind, variable.span));
        self.ty(variable.ty);
        match &variable.initial {
            Initial::Arbitrary => self.out += "arbitrary\n",
            Initial::Values(values) => {
                for value in values {
                    self.add(&(value.offset, value.bits));
                    self.expr(value.value);
                }
            }
        }
    }

    fn place(&mut self, id: PlaceId) {
        let place = self.program.place(id);
        self.ty(place.ty);
        match place.base {
            PlaceBase::Var(var) => self.name(var),
            PlaceBase::Deref(pointer) => self.expr(pointer),
        }
        for step in &place.path {
            match *step {
                Projection::Field(field) => self.add(&field),
                Projection::Index(index) => self.expr(index),
            }
        }
        self.out += "end of place\n";
    }

    fn expr(&mut self, id: ExprId) {
        let expr = self.program.expr(id);
        self.ty(expr.ty);
        match &expr.kind {
            ExprKind::Load(place) => {
                self.out += "load ";
                self.place(*place);
            }
            ExprKind::AddressOf(place) => {
                self.out += "address ";
                self.place(*place);
            }
            ExprKind::Unary(op, a) => {
                self.add(op);
                self.expr(*a);
            }
            ExprKind::Binary(op, a, b) => {
                self.add(op);
                self.expr(*a);
                self.expr(*b);
            }
            ExprKind::Cast(a) => {
                self.out += "cast ";
                self.expr(*a);
            }
            ExprKind::If(a, b, c) => {
                self.out += "if ";
                [a, b, c].into_iter().for_each(|&e| self.expr(e));
            }
            simple => self.add(simple),
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Assign(place, value) => {
                self.out += "assign ";
                self.place(*place);
                self.expr(*value);
            }
            Statement::Assume(e) | Statement::Free(e) | Statement::Halt(Halt::Exit(e)) => {
                self.add(&std::mem::discriminant(statement));
                self.expr(*e);
            }
            Statement::Havoc(place, origin) => {
                self.add(origin);
                self.place(*place);
            }
            Statement::Call { result, callee, arguments } => {
                self.out += "call ";
                result.iter().for_each(|&v| self.name(v));
                match callee {
                    Callee::Direct(procedure) => self.add(procedure),
                    Callee::Indirect(pointer) => self.expr(*pointer),
                }
                arguments.iter().for_each(|&e| self.expr(e));
            }
            Statement::Allocate { result, size, kind, may_fail } => {
                self.add(&(kind, may_fail));
                self.name(*result);
                self.expr(*size);
            }
            Statement::Copy { target: a, source: b, length: c }
            | Statement::Fill { target: a, byte: b, length: c } => {
                self.add(&std::mem::discriminant(statement));
                [a, b, c].into_iter().for_each(|&e| self.expr(e));
            }
            Statement::Output { function, arguments } => {
                self.add(function);
                arguments.iter().for_each(|&e| self.expr(e));
            }
            simple => self.add(simple),
        }
    }
}

/// Damaged texts give errors or other programs, never a panic; what does parse prints to a fixpoint
/// if it is sound.
#[test]
fn damaged_text_never_panics() {
    let mut random = Random::new(7);
    let texts: Vec<_> = (0..20)
        .map(|seed| text::print(&random_program(seed, Size { procedures: 2, edges: 8, ..Size::default() })))
        .collect();
    let pieces =
        ["(", ")", "{", "}", "\"", "\\", "@", "-", "99999999999999999999", "L7", "\n", "ü", "*", "fn "];
    let mut parsed = 0;
    for _ in 0..6000 {
        let mut bytes = texts[random.below(texts.len())].clone().into_bytes();
        for _ in 0..1 + random.below(4) {
            damage(&mut random, &mut bytes, &pieces);
        }
        let text = String::from_utf8_lossy(&bytes);
        match read(&text) {
            Err(errors) => assert!(errors.has_errors()),
            Ok(program) => {
                parsed += 1;
                let printed = text::print(&program);
                if verify(&program).is_empty() {
                    let again = read(&printed).unwrap_or_else(|e| panic!("{}", rendered(&printed, &e)));
                    assert_eq!(text::print(&again), printed);
                }
            }
        }
    }
    assert!(parsed > 100, "the damage is too heavy: {parsed}");
}

/// Programs with ids from anywhere are reported and still printed.
#[test]
fn damaged_programs_never_panic() {
    let mut random = Random::new(11);
    let mut reported = 0;
    for seed in 0..300 {
        let mut p = random_program(seed % 10, Size { procedures: 2, edges: 8, ..Size::default() });
        for _ in 0..1 + random.below(3) {
            let procedure = Id::from_usize(random.below(p.procedures.len()));
            let any = |random: &mut Random, len: usize| random.below(len + len / 8 + 2);
            let expr = Id::from_usize(any(&mut random, p.exprs().len()));
            let place = Id::from_usize(any(&mut random, p.places().len()));
            let ty = Id::from_usize(any(&mut random, p.types().len()));
            let var = Id::from_usize(any(&mut random, p.variables.len()));
            let other = p.intern_expr(ExprKind::Load(place), ty);
            let statement = match random.below(4) {
                0 => Statement::Assign(place, expr),
                1 => Statement::Assume(p.intern_expr(ExprKind::If(expr, other, expr), ty)),
                2 => {
                    let path = vec![Projection::Index(expr), Projection::Field(1)];
                    let place = p.intern_place(Place { base: PlaceBase::Deref(other), path, ty });
                    Statement::Havoc(place, Arbitrary::Assembly)
                }
                _ => {
                    let callee = Callee::Indirect(p.intern_expr(ExprKind::Cast(expr), ty));
                    Statement::Call { result: Some(var), callee, arguments: vec![other, expr] }
                }
            };
            let edges = &mut p.procedures[procedure].edges;
            let edge = Id::from_usize(random.below(edges.len()));
            if edges.get(edge).is_some() {
                edges[edge].statement = statement;
            }
            p.globals.push(var);
        }
        reported += verify(&p).len();
        text::print(&p);
    }
    assert!(reported > 300);
}

fn damage(random: &mut Random, bytes: &mut Vec<u8>, pieces: &[&str]) {
    let at = random.below(bytes.len());
    match random.below(5) {
        0 => bytes[at] = random.bits() as u8,
        1 => {
            bytes.remove(at);
        }
        2 => {
            let piece = pieces[random.below(pieces.len())];
            bytes.splice(at..at, piece.bytes());
        }
        3 => {
            let end = (at + random.below(30)).min(bytes.len());
            bytes.drain(at..end);
        }
        _ => {
            let end = (at + random.below(30)).min(bytes.len());
            let copy = bytes[at..end].to_vec();
            let to = random.below(bytes.len());
            bytes.splice(to..to, copy);
        }
    }
}

/// Every expression of random programs, by itself, comes back from its text to the same id.
#[test]
fn single_expressions_come_back() {
    for seed in 0..40 {
        let program = random_program(seed, Size::default());
        for id in program.procedures.ids() {
            for (_, edge) in program.procedures[id].edges.clone().iter() {
                let Statement::Assume(expr) = edge.statement else { continue };
                let printed = format!("x @ {} ->", text::print_group(&program, Some(id), expr));
                let read = text::parse_group(&program, Some(id), Id::from_usize(0), &printed, 4);
                let end = u32::try_from(printed.len() - 2).expect("a short text");
                assert_eq!(read, Ok((expr, end)), "seed {seed}: {printed}");
                assert_eq!(hardbop_ir::verify_exprs(&program, &[(Some(id), expr)]), []);
            }
        }
    }
}

#[test]
fn single_expressions_are_checked() {
    let text = "program 1 LP64\nglobal x: i32 = zero\nglobal y: u8 = zero\n";
    let program = read(text).expect("a program");
    let file = Id::from_usize(0);
    let (expr, _) = text::parse_group(&program, None, file, "(x + y)", 0).expect("an expression");
    let violations = hardbop_ir::verify_exprs(&program, &[(None, expr)]);
    assert_eq!(violations.len(), 1, "{violations:?}");
    let errors = text::parse_group(&program, None, file, "(x + z)", 0).expect_err("an unknown name");
    assert!(rendered("(x + z)", &errors).contains("1:6: error: there is no variable `z`"));
    assert!(text::parse_group(&program, None, file, "x", 0).is_err());
    assert_eq!(program.globals.len(), 2, "the program is still there");
}
