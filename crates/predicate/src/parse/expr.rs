//! Expressions: operators by their precedence, names, members and constants.

use super::*;

/// Expressions.
impl Parser<'_, '_> {
    /// `a ? b : c`, or what binds tighter.
    pub(super) fn choice(&mut self) -> Parse<Operand> {
        if !self.enter(MAX_RECURSION) {
            return Err(self.error_here(format!("the predicate is nested more than {MAX_NESTING} deep")));
        }
        let condition = self.operators()?;
        let span = self.here();
        let result = if self.eat("?") {
            let then = self.choice()?;
            self.expect(":")?;
            let otherwise = self.choice()?;
            self.apply(span, [condition, then, otherwise], |t, [c, a, b]| t.choice(c, a, b))
        } else {
            Ok(condition)
        };
        self.leave();
        result
    }

    /// Binary operators, by precedence, with a stack of those that wait for their right operand.
    fn operators(&mut self) -> Parse<Operand> {
        let mut waiting: Vec<(Operand, Operator, u8, Span)> = Vec::new();
        let mut operand = self.prefix()?;
        loop {
            let next = match self.token.kind {
                Kind::Punct(punct) => binary_operator(punct),
                _ => None,
            };
            let strength = next.map_or(0, |(_, strength)| strength);
            while let Some((left, op, _, span)) = waiting.pop_if(|(_, _, waits, _)| *waits >= strength) {
                operand = self.apply(span, [left, operand], |t, [a, b]| t.binary(op, a, b))?;
            }
            let Some((op, strength)) = next else { return Ok(operand) };
            waiting.push((operand, op, strength, self.here()));
            self.advance();
            operand = self.prefix()?;
        }
    }

    /// Prefix operators and conversions, and what they apply to.
    fn prefix(&mut self) -> Parse<Operand> {
        let mut prefixes = Vec::new();
        let mut operand = loop {
            let span = self.here();
            let prefix = match self.token.kind {
                Kind::Punct("-") => Prefix::Operator(UnaryOp::Neg),
                Kind::Punct("~") => Prefix::Operator(UnaryOp::BitNot),
                Kind::Punct("!") => Prefix::Operator(UnaryOp::Not),
                Kind::Punct("+") => Prefix::Plus,
                Kind::Punct("*") => Prefix::Deref,
                Kind::Punct("&") => Prefix::Address,
                Kind::Punct("(") if self.type_follows() => {
                    self.advance();
                    let ty = self.ty()?;
                    self.expect(")")?;
                    prefixes.push((Prefix::Cast(ty), span));
                    continue;
                }
                Kind::Word("sizeof") => {
                    self.advance();
                    if self.at("(") && self.type_follows() {
                        break self.size_of_type(span)?;
                    }
                    prefixes.push((Prefix::SizeOf, span));
                    continue;
                }
                _ => break self.postfix()?,
            };
            self.advance();
            prefixes.push((prefix, span));
        };
        while let Some((prefix, span)) = prefixes.pop() {
            operand = self.apply(span, [operand], |t, [value]| match prefix {
                Prefix::Operator(UnaryOp::Not) => t.not(value),
                Prefix::Operator(op) => t.unary(op, value),
                Prefix::Plus => t.plus(value),
                Prefix::Deref => t.deref(value),
                Prefix::Address => t.address_of(value),
                Prefix::Cast(ty) => t.cast(value, ty),
                Prefix::SizeOf => t.size_of_value(value),
            })?;
        }
        Ok(operand)
    }

    fn size_of_type(&mut self, span: Span) -> Parse<Operand> {
        self.advance();
        let ty = self.ty()?;
        self.expect(")")?;
        self.apply(span, [], |t, []| t.size_of_type(ty))
    }

    /// Something with members and indices behind it.
    fn postfix(&mut self) -> Parse<Operand> {
        let mut operand = self.primary()?;
        loop {
            let span = self.here();
            if self.eat("->") {
                operand = self.apply(span, [operand], |t, [value]| t.deref(value))?;
                operand = self.member(operand)?;
            } else if self.eat(".") {
                operand = self.member(operand)?;
            } else if self.eat("[") {
                let index = self.choice()?;
                self.expect("]")?;
                operand = self.apply(span, [operand, index], |t, [a, b]| t.subscript(a, b))?;
            } else if self.at("(") {
                return Err(self.error(span, "a predicate calls no functions"));
            } else {
                return Ok(operand);
            }
        }
    }

    /// The name or number of a member. It adds no depth: the parts of a place are a list.
    fn member(&mut self, of: Operand) -> Parse<Operand> {
        let span = self.here();
        let made = if self.at("#") {
            // Digits only: `1.` in `.#1.#2` is no number of C.
            let end = self.token.end;
            let digits = self.step_over(end, |rest| rest.run(|b| b.is_ascii_digit()));
            let Ok(number) = digits.parse() else {
                self.go_to(end);
                return Err(self.unexpected("the number of a member"));
            };
            self.apply(span, [of], |t, [value]| t.numbered_member(value, number))?
        } else {
            let name = self.name("the name of a member")?;
            self.apply(span, [of], |t, [value]| t.member(value, &name.text))?
        };
        Ok(Operand { depth: of.depth, ..made })
    }

    fn primary(&mut self) -> Parse<Operand> {
        let span = self.here();
        match self.token.kind {
            Kind::Punct("(") => {
                self.advance();
                let inner = self.choice()?;
                self.expect(")")?;
                return Ok(inner);
            }
            Kind::Punct("@") => return self.exact(),
            Kind::Punct("::") => {
                self.advance();
                return self.variable(true);
            }
            Kind::Quoted(_) => return self.variable(false),
            Kind::Word("NULL") => {
                self.advance();
                return self.apply(span, [], |t, []| Ok(t.null()));
            }
            Kind::Word(word @ ("true" | "false")) => {
                self.advance();
                return self.apply(span, [], |t, []| Ok(t.boolean(word == "true")));
            }
            Kind::Word("return") => return self.result(),
            Kind::Word(word) if crate::scope::is_word(word) => return self.variable(false),
            Kind::Int(literal) => {
                self.advance();
                let shape = literal.shape(self.program.data_model);
                return self.apply(span, [], |t, []| Ok(t.integer(literal.value, shape)));
            }
            Kind::Float(digits, single) => {
                self.advance();
                return self.apply(span, [], |t, []| t.float(digits, single));
            }
            _ => {}
        }
        Err(self.unexpected("an expression"))
    }

    /// `@( … )`: an expression in the text form of the program representation.
    fn exact(&mut self) -> Parse<Operand> {
        self.advance();
        let start = self.token.start;
        let procedure = self.names.scope().procedure();
        match ir::text::parse_group(self.program, procedure, self.cursor.file, self.cursor.text, start) {
            Ok((expr, end)) => {
                self.go_to(end);
                Ok(Operand { value: Some(self.typing().exact(expr)), depth: 1 })
            }
            Err(errors) => Err(self.absorb(errors)),
        }
    }

    /// `return`: the result of the procedure.
    fn result(&mut self) -> Parse<Operand> {
        let span = self.here();
        self.advance();
        let result = match self.names.scope().procedure() {
            Some(id) => self.program.procedures[id].result.ok_or("the procedure has no result"),
            None => Err("`return` is the result of a procedure; write `proc NAME:` before its predicates"),
        };
        let value = match result {
            Ok(var) => Some(Value::Place(self.program.var_place(var))),
            Err(why) => {
                self.error(span, why);
                None
            }
        };
        Ok(Operand { value, depth: 1 })
    }
}

/// A prefix operator.
#[derive(Debug, Clone, Copy)]
enum Prefix {
    Operator(UnaryOp),
    Plus,
    Deref,
    Address,
    Cast(CType),
    SizeOf,
}

/// Names.
impl Parser<'_, '_> {
    /// A variable, or a procedure as its address.
    fn variable(&mut self, global: bool) -> Parse<Operand> {
        let span = self.here();
        let name = self.name("a name")?;
        let name = name.spelling();
        let found = if global { self.names.find_global(name) } else { self.names.find(name) };
        let value = match found {
            Lookup::One(Entity::Variable(var)) => Some(Value::Place(self.program.var_place(var))),
            Lookup::One(Entity::Procedure(id)) => {
                let address = self.program.function_address(id);
                Some(self.typing().exact(address))
            }
            Lookup::Several(all) => {
                let candidates = all.into_iter().map(|entity| match entity {
                    Entity::Variable(id) => {
                        (self.program.variables[id].name.as_str(), self.program.variables[id].span)
                    }
                    Entity::Procedure(id) => {
                        (self.program.procedures[id].name.as_str(), self.program.procedures[id].span)
                    }
                });
                let message = self.ambiguous(name.text(), candidates);
                self.error(span, message);
                None
            }
            Lookup::Nothing => {
                let message = self.unknown(name.text());
                self.error(span, message);
                None
            }
        };
        Ok(Operand { value, depth: 1 })
    }

    /// Lists what a name could mean, and how to say it.
    pub(crate) fn ambiguous<'n>(
        &self,
        name: &str,
        candidates: impl Iterator<Item = (&'n str, Span)>,
    ) -> String {
        let mut message = format!("`{name}` is ambiguous; write");
        for (i, (candidate, span)) in candidates.enumerate() {
            let plain = candidate.contains('$') && crate::scope::is_word(candidate);
            let spelling = if plain { candidate.to_owned() } else { quoted(candidate) };
            message.push_str(if i > 0 { ", or" } else { "" });
            message.push_str(&format!(" `{spelling}`"));
            if !span.is_none() {
                message.push_str(&format!(" for the one of {}", self.program.files.origin(span)));
            }
        }
        message
    }

    /// Says why a name means nothing here.
    fn unknown(&self, name: &str) -> String {
        let within = |id: ir::ProcId| {
            let p = &self.program.procedures[id];
            p.formals.iter().chain(&p.locals).any(|&var| self.program.variables[var].name == name)
        };
        if let Some(procedure) = self.names.scope().procedure() {
            let array = format!("{name}$address");
            let p = &self.program.procedures[procedure];
            if p.locals.iter().any(|&var| self.program.variables[var].name == array) {
                return format!(
                    "`{name}` is a variable-length array; `{array}` is the address of its first element"
                );
            }
        } else if let Some(id) = self.program.procedures.ids().find(|&id| within(id)) {
            let owner = &self.program.procedures[id].name;
            return format!("`{name}` is not a global; for the one of `{owner}` write `proc {owner}:`");
        }
        let statics = format!("${name}");
        let global = |id: &&ir::VarId| self.program.variables[**id].name.ends_with(&statics);
        if let Some(&id) = self.program.globals.iter().find(global) {
            let hint = &self.program.variables[id].name;
            return format!("`{name}` is not known here; did you mean the static variable `{hint}`?");
        }
        format!(
            "`{name}` is not known here: it is no variable of this scope that the program uses, and macros, \
             enumerators and typedef names are not known in predicates"
        )
    }
}
