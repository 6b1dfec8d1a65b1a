//! Facts about all heap objects that are alive: "each node is pending", "what a node points to is null or alive".
//!
//! They are looked for like facts about elements ([`crate::elements`]), about a watched address: of each heap object of a kind that is alive
//! ([`Cell::Live`]) something holds. What may hold is seen from the comparisons that the program makes with members of nodes and from what it
//! writes to them, with the address of the node replaced by the watched one. It may hold of all nodes, of all but those that some pointers
//! point to, of these alone, or while a condition on the state holds. What holds of a node may hold of the one behind it, too: "behind a 2
//! comes a 2, or the node that `p` points to".
//!
//! How nodes hang together is said by their numbers alone ([`crate::tallies`]). A node is known to be alive because the program accesses it.

use hardbop_alias::ObjectId;
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
use crate::tallies::{About, tally_claims};

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Detail {
    /// What may hold of all nodes.
    Plain,
    /// How they are ordered by how many there were, if they are counted.
    Heights,
    /// How they are ordered by when they were made.
    Numbers,
    /// What may hold of some, and of what they point to.
    Full,
    /// What may hold of what some point to, other than what holds of these.
    Segments,
}

/// What may be said of nodes of a kind.
struct NodeHints {
    kind: ObjectId,
    /// The watched address, and that a node is alive there.
    watched: Term,
    alive: Term,
    /// Where nodes are alive, of this kind and of the others.
    live: Term,
    others: Vec<Term>,
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
    let encoder = &search.system.encoder;
    let counts = matches!(detail, Detail::Heights | Detail::Numbers);
    if !encoder.tracks_heap() || counts && !encoder.tallies_heap() {
        return Ok(vec![Vec::new(); cuts]);
    }
    let kinds = search.system.encoder.heap_kinds();
    let hints: Vec<NodeHints> =
        kinds.into_iter().map(|kind| NodeHints::of(&mut search.system, kind)).collect();
    let mut candidates = Vec::new();
    for (cut, known) in known.iter().enumerate() {
        let pointers = pointers(&search.system, cut, counts);
        let numbers = if counts { numbers(&search.system, cut) } else { Vec::new() };
        let mut of_cut = Vec::new();
        for hints in &hints {
            of_cut.extend(hints.candidates(&mut search.system, detail, &pointers, &numbers));
        }
        let terms = &search.system.encoder.terms;
        let mut seen: FxHashSet<Term> = known.iter().copied().collect();
        of_cut.retain(|&t| terms.as_bool(t).is_none() && seen.insert(t));
        of_cut.truncate(MAX_CANDIDATES);
        candidates.push(of_cut);
    }
    let found = houdini(search, candidates, known)?;
    let terms = &mut search.system.encoder.terms;
    Ok(found.into_iter().map(|facts| without_weaker(terms, facts)).collect())
}

/// Facts without those that say "this or that" where another one says "this".
fn without_weaker(terms: &mut Terms, facts: Vec<Term>) -> Vec<Term> {
    let mut denied: Vec<FxHashSet<Term>> = Vec::new();
    for &fact in &facts {
        let wrong = terms.not(fact);
        denied.push(match terms.node(wrong) {
            Node::And(members) => members.iter().copied().collect(),
            _ => FxHashSet::from_iter([wrong]),
        });
    }
    let is_weaker =
        |i: usize| denied.iter().any(|other| other.len() < denied[i].len() && other.is_subset(&denied[i]));
    (0..facts.len()).filter(|&i| !is_weaker(i)).map(|i| facts[i]).collect()
}

/// The pointers of the state that a segment reads where it starts, or later ones too.
fn pointers(system: &System<'_>, cut: usize, later: bool) -> Vec<Term> {
    scalars(system, cut, later, |ty| matches!(ty, Type::Pointer(_)))
}

/// The numbers of the state that a segment or a later one reads where it starts.
fn numbers(system: &System<'_>, cut: usize) -> Vec<Term> {
    scalars(system, cut, true, |ty| matches!(ty, Type::Machine { .. }))
}

/// The values of some types that a segment reads where it starts, or later ones too.
fn scalars(system: &System<'_>, cut: usize, later: bool, is_wanted: impl Fn(&Type) -> bool) -> Vec<Term> {
    let (encoder, subject) = (&system.encoder, system.subject);
    let mut cuts = vec![cut];
    let mut next = 0;
    while let Some(&at) = cuts.get(next).filter(|_| later) {
        next += 1;
        for exit in &system.segments[at + 1].exits {
            if !cuts.contains(&exit.to) {
                cuts.push(exit.to);
            }
        }
    }
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    for at in cuts {
        let read = encoder.terms.symbols_of(&system.segments[at + 1].roots());
        found.extend(read.into_iter().filter(|&symbol| seen.insert(symbol)));
    }
    found.retain(|&symbol| {
        let ty = match encoder.cell_of(symbol) {
            Some(Cell::Global(var) | Cell::Local(_, var)) => Some(subject.program.variables[var].ty),
            Some(Cell::Region(region)) => subject.regions.region(region).scalar,
            _ => None,
        };
        matches!(encoder.terms.sort(symbol), Sort::BitVec(_))
            && ty.is_some_and(|ty| is_wanted(subject.program.ty(ty)))
    });
    found.truncate(MAX_GUARDS);
    found
}

impl NodeHints {
    fn of(system: &mut System<'_>, kind: ObjectId) -> NodeHints {
        let System { subject, encoder, segments, .. } = system;
        let subject = *subject;
        let width = u32::from(subject.program.data_model.pointer_bits());
        let watched = encoder.watched(WATCHED, width);
        let mut others = encoder.heap_kinds();
        others.retain(|&other| other != kind);
        let others = others.into_iter().map(|kind| encoder.on(subject).initial(Cell::Live(kind))).collect();
        let live = encoder.on(subject).initial(Cell::Live(kind));
        let alive = encoder.terms.select(live, watched);
        let mut hints = NodeHints {
            kind,
            watched,
            alive,
            live,
            others,
            atoms: Vec::new(),
            links: Vec::new(),
            variables: Vec::new(),
            conditions: Vec::new(),
        };
        let places = Places::of(encoder, subject, kind);
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

    fn candidates(
        &self,
        system: &mut System<'_>,
        detail: Detail,
        pointers: &[Term],
        numbers: &[Term],
    ) -> Vec<Term> {
        let System { subject, encoder, .. } = system;
        if matches!(detail, Detail::Heights | Detail::Numbers) {
            let NodeHints { kind, watched, alive, ref links, .. } = *self;
            let about = About { kind, watched, alive, links, pointers, numbers };
            let mut found = tally_claims(encoder, *subject, &about, detail == Detail::Numbers);
            // That what is pointed to is alive may rest on that, and that on it.
            let terms = &mut encoder.terms;
            let (null, dead) = (terms.bv(0, terms.width(watched)), terms.not(alive));
            for &target in pointers.iter().chain(links) {
                let (is_null, is_alive) = (terms.eq(target, null), terms.select(self.live, target));
                let claim = terms.or(&[is_null, is_alive]);
                found.push(if links.contains(&target) { terms.or(&[dead, claim]) } else { claim });
            }
            return found;
        }
        let mut found = Vec::new();
        let terms = &mut encoder.terms;
        let null = terms.bv(0, terms.width(self.watched));
        if detail == Detail::Segments {
            return self.segments(terms, pointers, null);
        }
        for &pointer in pointers {
            let is_null = terms.eq(pointer, null);
            let alive = terms.select(self.live, pointer);
            found.extend([terms.not(is_null), alive, terms.or(&[is_null, alive])]);
            // A node of any kind.
            let any = self.any_alive(terms, pointer);
            found.extend([any, terms.or(&[is_null, any])]);
        }
        let claims = self.claims(terms, detail, null);
        let guards = match detail {
            Detail::Plain => Vec::new(),
            _ => self.guards(terms, pointers),
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

    /// That a node of any kind is alive at an address.
    fn any_alive(&self, terms: &mut Terms, address: Term) -> Term {
        let all: Vec<Term> =
            self.others.iter().chain([&self.live]).map(|&live| terms.select(live, address)).collect();
        terms.or(&all)
    }

    /// What may hold of the node behind one of which something holds, unless one of them is where a pointer points to; and what may hold
    /// of all nodes but one while a condition holds.
    fn segments(&self, terms: &mut Terms, pointers: &[Term], null: Term) -> Vec<Term> {
        let mut found = Vec::new();
        let dead = terms.not(self.alive);
        let none = terms.bool(false);
        let mut others = vec![none];
        for &pointer in pointers {
            others.push(terms.eq(self.watched, pointer));
        }
        for &condition in &self.conditions {
            for condition in [condition, terms.not(condition)] {
                for &other in &others {
                    found.extend(self.atoms.iter().map(|&atom| terms.or(&[dead, condition, other, atom])));
                }
            }
        }
        for &link in &self.links {
            let is_null = terms.eq(link, null);
            let mut ends = vec![none];
            ends.extend(pointers.iter().map(|&pointer| terms.eq(link, pointer)));
            for (&other, &end) in others.iter().flat_map(|other| ends.iter().map(move |end| (other, end))) {
                for &first in &self.atoms {
                    let is_other = terms.not(first);
                    for &second in &self.atoms {
                        let next = terms.substitute(second, &FxHashMap::from_iter([(self.watched, link)]));
                        found.push(terms.or(&[dead, other, is_other, is_null, end, next]));
                    }
                }
            }
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
            for &other in &self.others {
                let alive = terms.select(other, link);
                found.extend([alive, terms.or(&[is_null, alive])]);
            }
            if detail == Detail::Plain {
                continue;
            }
            for &claim in &plain {
                let next = terms.substitute(claim, &FxHashMap::from_iter([(self.watched, link)]));
                found.push(terms.or(&[is_null, next]));
            }
        }
        for (i, &a) in plain.iter().enumerate().filter(|_| detail > Detail::Plain) {
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
    fn of(encoder: &mut Encoder, subject: Subject<'_>, kind: ObjectId) -> Places {
        let mut places = Places::default();
        for (region, known) in subject.regions.regions().iter() {
            let mut coder = encoder.on(subject);
            let Some(offset) = coder.place_in_nodes(region, kind) else { continue };
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
