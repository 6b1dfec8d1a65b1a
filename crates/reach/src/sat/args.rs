//! Arguments of function terms: boolean functions of the initial values, compared as diagrams (§2.0).
//!
//! Beside the constants and the functions there is one more argument, [`Arg::ANY`]: a value that was
//! chosen but not looked at yet. A term with it stands for the conjunction of the two terms with
//! `false` and `true` in its place; the choice is made where the value is read. The paper chooses at
//! once, by jumping to one block per value, which costs two to the number of chosen variables.

use oxidd::bdd::{BDDFunction, BDDManagerRef};
use oxidd::util::AllocResult;
use oxidd::{BooleanFunction, Function, HasLevel, Manager, ManagerRef, VarNo};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Halt;
use super::circuit::{Circuit, Lit};
use crate::manager::new_manager;

/// An argument: equal arguments are equal functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Arg(u32);

impl Arg {
    pub const FALSE: Arg = Arg(0);
    pub const TRUE: Arg = Arg(1);
    /// Not chosen yet.
    pub const ANY: Arg = Arg(u32::MAX);

    pub fn constant(value: bool) -> Arg {
        if value { Arg::TRUE } else { Arg::FALSE }
    }

    pub fn is_constant(self) -> bool {
        self == Arg::FALSE || self == Arg::TRUE
    }
}

struct Entry {
    function: BDDFunction,
    /// How many initial values it depends on.
    support: usize,
}

/// All arguments of a run.
pub(super) struct Args {
    manager: BDDManagerRef,
    capacity: usize,
    entries: Vec<Entry>,
    ids: FxHashMap<BDDFunction, Arg>,
    /// The initial values by themselves.
    initial: Vec<Arg>,
    gates: FxHashMap<BDDFunction, Lit>,
}

impl Args {
    /// Functions of so many initial values, in at most so many nodes.
    pub fn new(initial: usize, capacity: usize) -> Result<Self, Halt> {
        let cache = (capacity / 4).clamp(1 << 8, 1 << 14);
        let manager = new_manager(capacity.max(initial + 2), cache).map_err(Halt::Stopped)?;
        let count = VarNo::try_from(initial).map_err(|_| Halt::Nodes(capacity))?;
        manager.with_manager_exclusive(|manager| {
            manager.add_vars(count);
        });
        let (no, yes) =
            manager.with_manager_shared(|manager| (BDDFunction::f(manager), BDDFunction::t(manager)));
        let mut args = Args {
            manager,
            capacity,
            entries: Vec::new(),
            ids: FxHashMap::default(),
            initial: Vec::new(),
            gates: FxHashMap::default(),
        };
        args.gates.insert(no.clone(), Lit::FALSE);
        args.gates.insert(yes.clone(), Lit::TRUE);
        args.intern(no);
        args.intern(yes);
        for variable in 0..count {
            let function = args.manager.with_manager_shared(|manager| BDDFunction::var(manager, variable));
            let function = function.map_err(|_| Halt::Nodes(capacity))?;
            let arg = args.intern(function);
            args.initial.push(arg);
        }
        Ok(args)
    }

    pub fn initial(&self, number: u32) -> Arg {
        self.initial[number as usize]
    }

    pub fn constant(&self, value: bool) -> BDDFunction {
        self.entries[usize::from(value)].function.clone()
    }

    /// The function; nothing for [`Arg::ANY`].
    pub fn function(&self, arg: Arg) -> Option<&BDDFunction> {
        self.entries.get(arg.0 as usize).map(|entry| &entry.function)
    }

    /// The argument that is this function.
    pub fn intern(&mut self, function: BDDFunction) -> Arg {
        if let Some(&arg) = self.ids.get(&function) {
            return arg;
        }
        let arg = Arg(self.entries.len() as u32);
        let support = support(&function);
        self.ids.insert(function.clone(), arg);
        self.entries.push(Entry { function, support });
        arg
    }

    /// How many initial values the argument depends on.
    pub fn support(&self, arg: Arg) -> usize {
        self.entries.get(arg.0 as usize).map_or(0, |entry| entry.support)
    }

    /// The value for given initial values; nothing for [`Arg::ANY`].
    pub fn eval(&self, arg: Arg, initial: &[bool]) -> Option<bool> {
        let values = initial.iter().enumerate().map(|(variable, &value)| (variable as VarNo, value));
        Some(self.function(arg)?.eval(values))
    }

    /// Runs an operation on diagrams; if nodes run out, once more without garbage.
    pub fn attempt(&self, operation: impl Fn() -> AllocResult<BDDFunction>) -> Result<BDDFunction, Halt> {
        if let Ok(function) = operation() {
            return Ok(function);
        }
        self.manager.with_manager_shared(|manager| manager.gc());
        operation().map_err(|_| Halt::Nodes(self.capacity))
    }

    /// The argument as part of a condition; nothing for [`Arg::ANY`].
    pub fn gate(&mut self, arg: Arg, circuit: &mut Circuit) -> Option<Lit> {
        let root = self.function(arg)?.clone();
        let mut stack = vec![root.clone()];
        while let Some(function) = stack.last() {
            if self.gates.contains_key(function) {
                stack.pop();
                continue;
            }
            // Constants are in the table from the start, so there are cofactors.
            let (variable, (high, low)) = (top(function)?, function.cofactors()?);
            match (self.gates.get(&high), self.gates.get(&low)) {
                (Some(&high), Some(&low)) => {
                    let lit = circuit.mux(circuit.input(variable), high, low);
                    self.gates.insert(function.clone(), lit);
                    stack.pop();
                }
                (None, _) => stack.push(high),
                (_, None) => stack.push(low),
            }
        }
        self.gates.get(&root).copied()
    }

    /// The function as text over names of the initial values.
    pub fn text(&self, arg: Arg, names: &dyn Fn(u32) -> String) -> String {
        match self.function(arg) {
            Some(function) => text(function, names, false),
            None => "*".to_owned(),
        }
    }
}

/// The variable that a function which is not constant tests first.
fn top(function: &BDDFunction) -> Option<u32> {
    function.with_manager_shared(|manager, edge| match manager.get_node(edge) {
        oxidd::Node::Inner(node) => Some(manager.level_to_var(node.level())),
        oxidd::Node::Terminal(_) => None,
    })
}

/// How many variables a function depends on.
// Functions are compared and hashed by their node, which stays the same while they live.
#[allow(clippy::mutable_key_type)]
fn support(function: &BDDFunction) -> usize {
    let mut seen = FxHashSet::default();
    let mut variables = FxHashSet::default();
    let mut stack = vec![function.clone()];
    while let Some(function) = stack.pop() {
        if let (Some(variable), Some((high, low))) = (top(&function), function.cofactors())
            && seen.insert(function)
        {
            variables.insert(variable);
            stack.extend([high, low]);
        }
    }
    variables.len()
}

fn text(function: &BDDFunction, names: &dyn Fn(u32) -> String, nested: bool) -> String {
    let (Some(variable), Some((high, low))) = (top(function), function.cofactors()) else {
        return function.valid().to_string();
    };
    let name = names(variable);
    let text = if high.valid() && !low.satisfiable() {
        return name;
    } else if low.valid() && !high.satisfiable() {
        return format!("¬{name}");
    } else if !low.satisfiable() {
        format!("{name} ∧ {}", text(&high, names, true))
    } else if !high.satisfiable() {
        format!("¬{name} ∧ {}", text(&low, names, true))
    } else if high.valid() {
        format!("{name} ∨ {}", text(&low, names, true))
    } else if low.valid() {
        format!("¬{name} ∨ {}", text(&high, names, true))
    } else {
        format!("{name} ? {} : {}", text(&high, names, true), text(&low, names, true))
    };
    if nested { format!("({text})") } else { text }
}
