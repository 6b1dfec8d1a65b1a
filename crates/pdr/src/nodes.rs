//! Facts about all heap objects that are alive: "each node is pending", "what a node points to is null or alive".
//!
//! They are looked for like facts about elements ([`crate::elements`]), about a watched address: of each heap object that is alive
//! ([`Cell::Live`]) something holds. What may hold is seen from the comparisons that the program makes with members of nodes and from what it
//! writes to them, with the address of the node replaced by the watched one. It may hold of all nodes, of all but those that some pointers
//! point to, of these alone, or while a condition on the state holds. What holds of a node may hold of the one behind it, too.
//!
//! Nothing is said about how nodes hang together. A node is known to be alive because the program accesses it.

use hardbop_ir::Type;
use hardbop_logic::{Node, Scalar, Sort, Term, Terms};
use hardbop_semantics::{Cell, Encoder, Meaning, Object, Subject};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::asker::Silent;
use crate::cube::is_of_state;
use crate::elements::about_elements;
use crate::facts::{Candidates, houdini};
use crate::search::Search;
use crate::system::{Segment, System};

/// The number of the watched address, other than those of watched indices.
const WATCHED: u32 = 16;
/// Conditions on nodes that are looked at.
const MAX_ATOMS: usize = 48;
/// Candidates of one cut point.
const MAX_CANDIDATES: usize = 1200;
/// Numbers that a member is compared with, for it to be one of them.
const MAX_NUMBERS: usize = 8;
/// Pointers, and conditions on the state, that tell nodes apart.
const MAX_GUARDS: usize = 8;

/// How much is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// What may hold of all nodes.
    Plain,
    /// What may hold of some, and of what they point to.
    Full,
}

/// What may be said of nodes.
struct NodeHints {
    /// The watched address, and that a node is alive there.
    watched: Term,
    alive: Term,
    live: Term,
    atoms: Vec<Term>,
    /// What a node points to.
    links: Vec<Term>,
    /// Variables that pointers may point to instead of nodes.
    variables: Vec<Term>,
    /// Conditions on the state without memory.
    conditions: Vec<Term>,
}

/// The facts about nodes that hold at each cut point, whenever other facts hold.
pub(crate) fn node_facts(
    search: &mut Search<'_>,
    detail: Detail,
    known: &Candidates,
) -> Result<Candidates, Silent> {
    let cuts = search.system.cuts.len();
    if !search.system.encoder.tracks_heap() {
        return Ok(vec![Vec::new(); cuts]);
    }
    let hints = NodeHints::of(&mut search.system);
    let mut candidates = Vec::new();
    for (cut, known) in known.iter().enumerate() {
        let pointers = pointers(&search.system, cut);
        let mut of_cut = hints.candidates(&mut search.system.encoder.terms, detail, &pointers);
        of_cut.retain(|t| !known.contains(t));
        let terms = &search.system.encoder.terms;
        let mut seen = FxHashSet::default();
        of_cut.retain(|&t| terms.as_bool(t).is_none() && seen.insert(t));
        of_cut.truncate(MAX_CANDIDATES);
        candidates.push(of_cut);
    }
    houdini(search, candidates, known)
}

/// The pointers of the state that a segment reads where it starts.
fn pointers(system: &System<'_>, cut: usize) -> Vec<Term> {
    let (encoder, subject) = (&system.encoder, system.subject);
    let mut found = encoder.terms.symbols_of(&system.segments[cut + 1].roots());
    found.retain(|&symbol| {
        let ty = match encoder.cell_of(symbol) {
            Some(Cell::Global(var) | Cell::Local(_, var)) => Some(subject.program.variables[var].ty),
            Some(Cell::Region(region)) => subject.regions.region(region).scalar,
            _ => None,
        };
        matches!(encoder.terms.sort(symbol), Sort::BitVec(_))
            && ty.is_some_and(|ty| matches!(subject.program.ty(ty), Type::Pointer(_)))
    });
    found.truncate(MAX_GUARDS);
    found
}

impl NodeHints {
    fn of(system: &mut System<'_>) -> NodeHints {
        let System { subject, encoder, segments, .. } = system;
        let subject = *subject;
        let width = u32::from(subject.program.data_model.pointer_bits());
        let watched = encoder.watched(WATCHED, width);
        let live = encoder.on(subject).initial(Cell::Live);
        let alive = encoder.terms.select(live, watched);
        let mut hints = NodeHints {
            watched,
            alive,
            live,
            atoms: Vec::new(),
            links: Vec::new(),
            variables: Vec::new(),
            conditions: Vec::new(),
        };
        let places = Places::of(encoder, subject);
        for segment in segments.iter() {
            hints.add_segment(encoder, &places, segment);
        }
        for &(region, offset) in &places.pointers {
            let index = add(&mut encoder.terms, watched, offset);
            hints.links.push(encoder.terms.select(region, index));
        }
        let mut seen = FxHashSet::default();
        hints.atoms.retain(|&atom| seen.insert(atom));
        hints.atoms.truncate(MAX_ATOMS);
        hints.add_numbers(&mut encoder.terms);
        let mut seen = FxHashSet::default();
        hints.conditions.retain(|&condition| seen.insert(condition));
        hints.conditions.truncate(MAX_GUARDS);
        hints.variables.sort_unstable();
        hints.variables.dedup();
        hints.variables.truncate(MAX_GUARDS);
        hints
    }

    fn add_segment(&mut self, encoder: &mut Encoder, places: &Places, segment: &Segment) {
        for t in encoder.terms.subterms(&segment.roots()) {
            if let Some(Meaning::Address(Object::Variable(..))) = encoder.meaning_of(t) {
                self.variables.push(t);
            }
            for condition in about_elements(encoder, t) {
                self.add(encoder, places, condition);
            }
            let is_comparison =
                matches!(encoder.terms.node(t), Node::Eq(..) | Node::BvUle(..) | Node::BvSle(..));
            let is_state = |symbol: Term| {
                matches!(encoder.meaning_of(symbol), Some(Meaning::Cell(Cell::Global(_) | Cell::Local(..))))
            };
            if is_comparison && encoder.terms.symbols(t).into_iter().all(is_state) {
                self.conditions.push(t);
            }
        }
    }

    /// Adds a condition on nodes, for each node that it is about.
    fn add(&mut self, encoder: &mut Encoder, places: &Places, condition: Term) {
        let mut nodes = Vec::new();
        for t in encoder.terms.subterms(&[condition]) {
            if let Node::Select(array, index) = *encoder.terms.node(t)
                && let Some(&offset) = places.offsets.get(&array)
            {
                nodes.push((subtract(&mut encoder.terms, index, offset), index, offset));
            }
        }
        for (node, index, offset) in nodes {
            let at = add(&mut encoder.terms, self.watched, offset);
            for map in [(node, self.watched), (index, at)] {
                let atom = encoder.terms.substitute(condition, &FxHashMap::from_iter([map]));
                let is_known = |symbol| symbol == self.watched || is_of_state(encoder, symbol);
                if encoder.terms.as_bool(atom).is_none()
                    && encoder.terms.symbols(atom).into_iter().all(is_known)
                {
                    self.atoms.push(atom);
                }
            }
        }
    }

    /// A member may be one of several numbers.
    fn add_numbers(&mut self, terms: &mut Terms) {
        let mut members: FxHashMap<Term, Vec<Term>> = FxHashMap::default();
        for &atom in &self.atoms {
            if let Node::Eq(a, b) = *terms.node(atom) {
                match (terms.node(a).is_constant(), terms.node(b).is_constant()) {
                    (false, true) => members.entry(a).or_default().push(atom),
                    (true, false) => members.entry(b).or_default().push(atom),
                    _ => {}
                }
            }
        }
        let mut members: Vec<_> = members.into_iter().collect();
        members.sort_unstable();
        for (_, equal) in members {
            if !(2..=MAX_NUMBERS).contains(&equal.len()) {
                continue;
            }
            for (i, &a) in equal.iter().enumerate() {
                for &b in &equal[i + 1..] {
                    self.atoms.push(terms.or(&[a, b]));
                }
            }
            self.atoms.push(terms.or(&equal));
        }
    }

    fn candidates(&self, terms: &mut Terms, detail: Detail, pointers: &[Term]) -> Vec<Term> {
        let mut found = Vec::new();
        let width = terms.width(self.watched);
        let null = terms.bv(0, width);
        for &pointer in pointers {
            let is_null = terms.eq(pointer, null);
            let alive = terms.select(self.live, pointer);
            found.extend([terms.not(is_null), alive, terms.or(&[is_null, alive])]);
        }
        let claims = self.claims(terms, detail, null);
        let guards = match detail {
            Detail::Plain => Vec::new(),
            Detail::Full => self.guards(terms, pointers),
        };
        let dead = terms.not(self.alive);
        for &claim in &claims {
            found.push(terms.or(&[dead, claim]));
        }
        for guard in guards {
            let other = terms.not(guard);
            found.extend(claims.iter().map(|&claim| terms.or(&[dead, other, claim])));
        }
        found
    }

    /// What may hold of a node.
    fn claims(&self, terms: &mut Terms, detail: Detail, null: Term) -> Vec<Term> {
        let mut found = Vec::new();
        for &atom in &self.atoms {
            found.extend([atom, terms.not(atom)]);
        }
        let plain = found.clone();
        for &link in &self.links {
            let is_null = terms.eq(link, null);
            let alive = terms.select(self.live, link);
            found.extend([terms.not(is_null), is_null, alive, terms.or(&[is_null, alive])]);
            for &variable in &self.variables {
                let is_variable = terms.eq(link, variable);
                found.push(terms.or(&[alive, is_variable]));
            }
            if detail == Detail::Plain {
                continue;
            }
            for &claim in &plain {
                let next = terms.substitute(claim, &FxHashMap::from_iter([(self.watched, link)]));
                found.push(terms.or(&[is_null, next]));
            }
        }
        for (i, &a) in plain.iter().enumerate().filter(|_| detail == Detail::Full) {
            for &b in &plain[i + 1..] {
                if found.len() < MAX_CANDIDATES / 4 {
                    found.push(terms.or(&[a, b]));
                }
            }
        }
        found
    }

    /// Which nodes something may hold of, other than all, and when.
    fn guards(&self, terms: &mut Terms, pointers: &[Term]) -> Vec<Term> {
        let mut found = Vec::new();
        for (i, &pointer) in pointers.iter().enumerate() {
            let same = terms.eq(self.watched, pointer);
            let other = terms.not(same);
            found.extend([other, same]);
            for &second in &pointers[..i] {
                let different = terms.ne(self.watched, second);
                found.push(terms.and(&[other, different]));
            }
        }
        for &condition in &self.conditions {
            found.extend([condition, terms.not(condition)]);
        }
        found
    }
}

/// Where members lie in nodes.
#[derive(Default)]
struct Places {
    /// For the region that has a member.
    offsets: FxHashMap<Term, u64>,
    /// The members that are pointers.
    pointers: Vec<(Term, u64)>,
}

impl Places {
    fn of(encoder: &mut Encoder, subject: Subject<'_>) -> Places {
        let mut places = Places::default();
        for (region, known) in subject.regions.regions().iter() {
            let mut coder = encoder.on(subject);
            let Some(offset) = coder.place_in_nodes(region) else { continue };
            let symbol = coder.initial(Cell::Region(region));
            if !matches!(encoder.terms.sort(symbol), Sort::Array(_, Scalar::BitVec(_) | Scalar::Bool)) {
                continue;
            }
            places.offsets.insert(symbol, offset);
            let is_pointer = |ty| matches!(subject.program.ty(ty), Type::Pointer(_));
            if known.scalar.is_some_and(is_pointer) {
                places.pointers.push((symbol, offset));
            }
        }
        places
    }
}

fn add(terms: &mut Terms, address: Term, offset: u64) -> Term {
    let offset = terms.bv(offset.into(), terms.width(address));
    terms.bv_add(address, offset)
}

fn subtract(terms: &mut Terms, address: Term, offset: u64) -> Term {
    let offset = terms.bv(offset.into(), terms.width(address));
    terms.bv_sub(address, offset)
}
