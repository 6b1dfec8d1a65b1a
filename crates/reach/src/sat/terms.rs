//! Function terms: a block of an inlined program with its arguments (the paper's pairs ⟨b, u⟩).

use hardbop_bp::{Flow, LocId, VarId};
use rustc_hash::FxHashMap;

use super::Arguments;
use super::args::{Arg, Args};
use super::circuit::Lit;
use super::inline::{ContextId, Contexts};
use super::relevance::Relevance;
use super::stamp::Hop;

/// A function term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct TermId(u32);

impl TermId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A block: a location in a copy of its procedure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct BlockId(u32);

/// A block and what its arguments stand for.
#[derive(Debug)]
pub(super) struct Block {
    pub context: ContextId,
    pub location: LocId,
    /// Per argument, the initial value of its variable; nothing for locals of callees.
    pub initial: Vec<Option<u32>>,
}

/// The right-hand side of an equation: not `wrong`, and each link's term wherever its guard holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Equation {
    /// Where the block itself goes wrong.
    pub wrong: Lit,
    pub links: Vec<Link>,
}

/// A term that an equation mentions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Link {
    pub guard: Lit,
    pub term: TermId,
    pub hop: Hop,
}

#[derive(Debug)]
struct Term {
    block: BlockId,
    args: Box<[Arg]>,
    equation: Option<Equation>,
}

/// All terms and blocks of a run.
#[derive(Debug, Default)]
pub(super) struct Terms {
    terms: Vec<Term>,
    ids: FxHashMap<(BlockId, Box<[Arg]>), TermId>,
    blocks: Vec<Block>,
    block_ids: FxHashMap<(ContextId, LocId), BlockId>,
    /// The initial values that are arguments of the first block, numbered in this order.
    initial: Vec<VarId>,
    numbers: FxHashMap<VarId, u32>,
}

impl Terms {
    pub fn new(initial: Vec<VarId>) -> Self {
        let numbers = initial.iter().enumerate().map(|(i, variable)| (*variable, i as u32)).collect();
        Terms { initial, numbers, ..Terms::default() }
    }

    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// The variables whose initial values are symbolic.
    pub fn initial(&self) -> &[VarId] {
        &self.initial
    }

    /// The number of a variable's initial value, if that is symbolic.
    pub fn number(&self, variable: VarId) -> Option<u32> {
        self.numbers.get(&variable).copied()
    }

    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    pub fn block_of(&self, term: TermId) -> &Block {
        &self.blocks[self.terms[term.index()].block.0 as usize]
    }

    pub fn args(&self, term: TermId) -> &[Arg] {
        &self.terms[term.index()].args
    }

    /// The equation, once it was made.
    pub fn equation(&self, term: TermId) -> Option<&Equation> {
        self.terms[term.index()].equation.as_ref()
    }

    pub fn set_equation(&mut self, term: TermId, equation: Equation) {
        self.terms[term.index()].equation = Some(equation);
    }

    /// The term of a block with these arguments.
    pub fn intern(&mut self, block: BlockId, args: Box<[Arg]>) -> TermId {
        if let Some(&term) = self.ids.get(&(block, args.clone())) {
            return term;
        }
        let term = TermId(self.terms.len() as u32);
        self.ids.insert((block, args.clone()), term);
        self.terms.push(Term { block, args, equation: None });
        term
    }

    /// The same block with one argument replaced.
    pub fn replace(&mut self, term: TermId, position: usize, arg: Arg) -> TermId {
        let Term { block, args, .. } = &self.terms[term.index()];
        let (block, mut args) = (*block, args.clone());
        args[position] = arg;
        self.intern(block, args)
    }

    /// The block of a location in a copy of its procedure.
    pub fn block(
        &mut self,
        flow: &Flow,
        relevance: &Relevance,
        contexts: &Contexts,
        context: ContextId,
        location: LocId,
    ) -> BlockId {
        if let Some(&block) = self.block_ids.get(&(context, location)) {
            return block;
        }
        let number = |variable: &VarId| self.number(*variable);
        let own = |context: ContextId, variable: &VarId| {
            if context == ContextId::MAIN { number(variable) } else { None }
        };
        let mut initial: Vec<Option<u32>> = relevance.globals(location).iter().map(number).collect();
        initial.extend(relevance.locals(location).iter().map(|local| own(context, local)));
        let mut kept = Vec::new();
        let mut inner = context;
        while let (Some((caller, _)), Some(call)) = (contexts.caller(inner), contexts.call(inner)) {
            let locals: Vec<_> = relevance.kept(flow, call).map(|local| own(caller, &local)).collect();
            kept.push(locals);
            inner = caller;
        }
        initial.extend(kept.into_iter().rev().flatten());
        let block = BlockId(self.blocks.len() as u32);
        self.blocks.push(Block { context, location, initial });
        self.block_ids.insert((context, location), block);
        block
    }

    /// The arguments that the heuristic finds too complicated to be kept symbolic.
    pub fn complicated<'a>(
        &'a self,
        term: TermId,
        args: &'a Args,
        arguments: Arguments,
    ) -> impl Iterator<Item = usize> + 'a {
        let initial = &self.block_of(term).initial;
        let list = self.args(term).iter().zip(initial).enumerate();
        list.filter(move |(_, (arg, initial))| match arguments {
            _ if arg.is_constant() || **arg == Arg::ANY => false,
            Arguments::Symbolic => false,
            Arguments::AtMost(count) => args.support(**arg) > count,
            Arguments::Initial => initial.map(|number| args.initial(number)) != Some(**arg),
            Arguments::Explicit => true,
        })
        .map(|(position, _)| position)
    }
}
