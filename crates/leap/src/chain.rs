//! Must-reachability along a path of abstract states (§4): each loop on it is leaped, and the pieces are glued.
//!
//! Ports along a path are those of Lemma 1. Forwards, from the first state on, each state gets the entry port
//! that the strongest postcondition of what leads to it gives, and Theorem 1 carries "reached from the
//! first" across its loop. Backwards, from the last state on, each gets the exit port from where what comes after it
//! is reached, and Theorem 2 carries "leads to the last" across its loop. Where the two meet in a may-transition,
//! the last state is reached from the first: the one flip of footnote 3. All must⁺ and all must⁻ are its
//! extreme cases.

use hardbop_base::Stop;
use hardbop_logic::Term;

use crate::choice::{LeapStep, steps};
use crate::cross::{Crossed, Crossing, Direction, cross};
use crate::invariant::bounds;
use crate::inverse::{post, preceded};
use crate::query::Query;
use crate::set::Set;
use crate::simplify::simplified;
use crate::system::System;

/// One state of a path, with what is known of it.
#[derive(Debug, Clone, Default)]
pub struct Link {
    /// The abstract state.
    pub state: Set,
    /// Whether it may lead to itself.
    pub is_loop: bool,
    /// Those of its states that are reached from the first state of the path, if its loop was crossed so.
    pub reached: Option<Set>,
    /// Those from which the last state of the path is reached, if its loop was crossed so.
    pub leads: Option<Set>,
    /// How its loop was crossed by Theorem 1.
    pub backward: Option<Crossing>,
    /// How its loop was crossed by Theorem 2.
    pub forward: Option<Crossing>,
    /// Steps to the part of the next state that leads to the last.
    pub exits: Vec<LeapStep>,
}

impl Link {
    /// How its loop was crossed, if it was.
    pub fn crossing(&self) -> Option<&Crossing> {
        let forward = self.forward.as_ref().filter(|crossing| crossing.second_holds());
        let backward = self.backward.as_ref().filter(|crossing| crossing.first_holds());
        forward.or(backward).or(self.forward.as_ref()).or(self.backward.as_ref())
    }
}

/// A path with what is known of it.
#[derive(Debug, Clone, Default)]
pub struct Chain {
    /// Its states.
    pub links: Vec<Link>,
    /// Where must⁻ ends and must⁺ begins: the last state of the path is reached from the first. 0 is must⁺ all the
    /// way; the number of the last state is must⁻ all the way.
    pub flip: Option<usize>,
}

/// Studies a path.
pub fn follow(
    query: &mut Query<'_>,
    system: &System,
    relevant: &[Term],
    path: &[Set],
    thorough: bool,
) -> Result<Chain, Stop> {
    let mut links: Vec<Link> = Vec::new();
    for state in path {
        let is_loop = !steps(query, system, relevant, (state, state), false)?.is_empty();
        links.push(Link { state: state.clone(), is_loop, ..Link::default() });
    }
    let entries = forward_ports(query, system, relevant, &links)?;
    lead_on(query, system, relevant, &mut links, &entries, thorough)?;
    links[0].reached = Some(links[0].state.clone());
    let mut chain = Chain { links, flip: None };
    if chain.meets(query, 0)? {
        chain.flip = Some(0);
        return Ok(chain);
    }
    reach(query, system, relevant, &mut chain.links, thorough)?;
    let last = chain.links.len() - 1;
    for at in 1..=last {
        if chain.meets(query, at)? {
            chain.flip = Some(at);
            break;
        }
    }
    Ok(chain)
}

/// For each state of a path, where it is entered, from above: what comes out of a loop is within the bounds that
/// hold where it is entered and that it keeps.
fn forward_ports(
    query: &mut Query<'_>,
    system: &System,
    relevant: &[Term],
    links: &[Link],
) -> Result<Vec<Set>, Stop> {
    let mut entries = vec![links[0].state.clone()];
    for (i, pair) in links.windows(2).enumerate() {
        let (here, there) = (&pair[0].state, &pair[1].state);
        let mut known = entries[i].clone();
        if pair[0].is_loop {
            let inner = steps(query, system, relevant, (here, here), false)?;
            known = bounds(query, system, &inner, &entries[i], here, relevant)?;
            known = known.and(&mut query.encoder.terms, here);
        }
        let mut entry = Set::new();
        for step in steps(query, system, relevant, (&known, there), true)? {
            let depth = system.nodes[step.target].stack.len();
            let (after, _) = post(query, &step, &known, depth);
            entry.add(&mut query.encoder.terms, step.target, after);
        }
        let entry = entry.and(&mut query.encoder.terms, there);
        entries.push(simplified(query, &entry)?);
    }
    Ok(entries)
}

/// From the last state to the first: what leads to the last.
fn lead_on(
    query: &mut Query<'_>,
    system: &System,
    relevant: &[Term],
    links: &mut [Link],
    entries: &[Set],
    thorough: bool,
) -> Result<(), Stop> {
    let last = links.len() - 1;
    links[last].leads = Some(links[last].state.clone());
    for i in (0..last).rev() {
        let Some(target) = links[i + 1].leads.clone() else { break };
        let a = links[i].state.clone();
        let exits = steps(query, system, relevant, (&a, &target), true)?;
        if !links[i].is_loop {
            let mut leads = Set::new();
            for exit in &exits {
                let pre = exit.pre(query, &target);
                leads.add(&mut query.encoder.terms, exit.source, pre);
            }
            let leads = leads.and(&mut query.encoder.terms, &a);
            let leads = simplified(query, &leads)?;
            if leads.is_inhabited(query)? != Some(true) {
                break;
            }
            links[i].leads = Some(leads);
            links[i].exits = exits;
            continue;
        }
        let crossed = Crossed { a: &a, e: &entries[i], target: &target, relevant, thorough };
        let found = cross(query, system, &crossed, Direction::Forward)?;
        if let Some(crossing) = &found {
            if crossing.second_holds() {
                links[i].leads = Some(without_turns(query, crossing));
            }
            links[i].exits.clone_from(&crossing.exits);
        }
        links[i].forward = found;
        if links[i].leads.is_none() {
            break;
        }
    }
    Ok(())
}

/// The entry port as the program knows it: turns are zero there.
fn without_turns(query: &mut Query<'_>, crossing: &Crossing) -> Set {
    let zero = query.small(0);
    let map = crossing.turns.iter().map(|&turn| (turn, zero)).collect();
    let mut set = Set::new();
    for (node, condition) in crossing.e.iter() {
        let condition = query.encoder.terms.substitute(condition, &map);
        set.add(&mut query.encoder.terms, node, condition);
    }
    set
}

/// From the first state to the last: what is reached from the first.
fn reach(
    query: &mut Query<'_>,
    system: &System,
    relevant: &[Term],
    links: &mut [Link],
    thorough: bool,
) -> Result<(), Stop> {
    for i in 1..links.len() {
        let Some(before) = links[i - 1].reached.clone() else { break };
        let a = links[i].state.clone();
        let mut entry = Set::new();
        for step in steps(query, system, relevant, (&before, &a), true)? {
            let depth = system.nodes[step.target].stack.len();
            for after in preceded(query, &step, &before, depth) {
                entry.add(&mut query.encoder.terms, step.target, after);
            }
        }
        let entry = entry.and(&mut query.encoder.terms, &a);
        let entry = simplified(query, &entry)?;
        if entry.is_inhabited(query)? != Some(true) {
            break;
        }
        if !links[i].is_loop || i + 1 == links.len() {
            links[i].reached = Some(entry);
            continue;
        }
        let target = links[i + 1].state.clone();
        let crossed = Crossed { a: &a, e: &entry, target: &target, relevant, thorough };
        let found = cross(query, system, &crossed, Direction::Backward)?;
        if let Some(crossing) = &found
            && crossing.first_holds()
            && crossing.turns.is_empty()
        {
            links[i].reached = Some(crossing.x.clone());
        }
        links[i].backward = found;
        if links[i].reached.is_none() {
            break;
        }
    }
    Ok(())
}

impl Chain {
    /// Whether some state that is reached from the first has a transition to one that leads to the last.
    fn meets(&self, query: &mut Query<'_>, at: usize) -> Result<bool, Stop> {
        let link = &self.links[at];
        let Some(reached) = &link.reached else { return Ok(false) };
        if at + 1 == self.links.len() {
            return Ok(reached.is_inhabited(query)? == Some(true));
        }
        let Some(target) = &self.links[at + 1].leads else { return Ok(false) };
        if at == 0 && link.is_loop {
            let Some(leads) = &link.leads else { return Ok(false) };
            let both = reached.and(&mut query.encoder.terms, leads);
            return Ok(both.is_inhabited(query)? == Some(true));
        }
        let mut before = Set::new();
        for exit in &link.exits {
            let pre = exit.pre(query, target);
            before.add(&mut query.encoder.terms, exit.source, pre);
        }
        let both = reached.and(&mut query.encoder.terms, &before);
        Ok(both.is_inhabited(query)? == Some(true))
    }
}
