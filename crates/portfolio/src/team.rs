//! Engines side by side: each in a thread with a part of the budget; the first verdict stops the others.
//!
//! The first of the team works in the thread of the caller, and its reason counts if no engine has a
//! verdict. An engine that finds that loops are unrolled again and again rings a bell, and the engines that wait for it begin.
//! An engine that has a proof asks the others to give way until it is certified ([`Budget::go_alone`]). An
//! engine that panics is a defect, which is reported; the verdict of another engine still counts. So is a certificate that was
//! refused, which would otherwise be lost in a team.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::ScopedJoinHandle;
use std::time::Duration;

use hardbop_base::{Budget, Stop};
use hardbop_slice::Ground;
use hardbop_verdict::{CheckOutcome, EngineStatus, Member, Reason, Verdict};

use crate::nothing;

/// A place in a team. Each has a thread of its own; the first leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seat {
    /// The engine.
    pub name: &'static str,
    /// When it begins.
    pub begins: Begins,
    /// Whether it wakes the engines that wait, when loops are hard for it.
    pub rings: bool,
}

/// Who decides by default.
pub const FORWARD: [Seat; 4] = [
    Seat { name: "slam", begins: Begins::AtOnce, rings: true },
    Seat { name: "unroll", begins: Begins::AtOnce, rings: true },
    Seat { name: "leap", begins: Begins::WhenRung, rings: false },
    Seat { name: "pdr", begins: Begins::WhenStuck, rings: false },
];

/// How long the engines that wait for the first let it try alone: what it decides easily has its proof, in every run.
const HEAD_START: Duration = Duration::from_secs(1);

/// Who decides with `--engine wp`.
pub const BACKWARD: [Seat; 2] = [
    Seat { name: "wp", begins: Begins::AtOnce, rings: true },
    Seat { name: "leap", begins: Begins::WhenRung, rings: false },
];

/// Who decides with `--engine pdr`.
pub const PUSHING: [Seat; 1] = [Seat { name: "pdr", begins: Begins::AtOnce, rings: false }];

/// Who decides with `--engine unroll`.
pub const UNROLLING: [Seat; 1] = [Seat { name: "unroll", begins: Begins::AtOnce, rings: false }];

/// When an engine begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begins {
    /// With the others.
    AtOnce,
    /// When another one finds that loops are hard, or ends without a verdict.
    WhenRung,
    /// When the first does, or has tried for some time.
    WhenStuck,
}

impl Begins {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Begins::AtOnce => "at once",
            Begins::WhenRung => "when loops are hard",
            Begins::WhenStuck => "when loops are hard for the first, or after a second",
        }
    }
}

/// The engines of a team, and what they did.
pub(crate) struct Team {
    seats: &'static [Seat],
    did: Vec<(&'static str, EngineStatus)>,
    /// What is wrong with engines, if there is a verdict without them.
    defects: Vec<String>,
    /// What certificates refused.
    refused: Vec<String>,
    /// How long the certificate of the verdict took.
    certifying: Duration,
}

impl Team {
    pub(crate) fn new(seats: &'static [Seat]) -> Self {
        let (did, defects, refused) = Default::default();
        Team { seats, did, defects, refused, certifying: Duration::ZERO }
    }

    fn seat(&self, name: &str) -> Option<&'static Seat> {
        self.seats.iter().find(|seat| seat.name == name)
    }

    /// Says in the outcome who did what.
    pub(crate) fn report(self, outcome: &mut CheckOutcome) {
        outcome.team.clear();
        for seat in self.seats {
            let did = self.did.iter().find(|(name, _)| *name == seat.name).map(|&(_, did)| did);
            outcome.team.extend(did.map(|did| Member { engine: seat.name, begins: seat.begins.text(), did }));
        }
        outcome.defects.extend(self.defects);
        outcome.refused.extend(self.refused);
        outcome.certifying = self.certifying;
    }
}

/// What an engine works on.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// The program, and what is left of it.
    pub ground: Ground<'a>,
    /// When to stop.
    pub budget: &'a Budget,
    /// To be called when loops are hard for this engine.
    pub ring: &'a dyn Fn(),
}

/// A method of deciding programs.
pub trait Engine {
    /// Its name in the team.
    fn name(&self) -> &'static str;

    /// Decides a program, with a verdict that was certified; nothing if others may go on.
    fn decide(&mut self, task: &Task<'_>) -> Result<Option<Verdict>, Reason>;

    /// Whether the others need not go on after this.
    fn ends_the_search(&self, _: &Task<'_>, found: &Result<Option<Verdict>, Reason>) -> bool {
        matches!(found, Ok(Some(_)))
    }
}

/// An engine that waits to be called.
struct Waiting {
    rung: Receiver<()>,
    /// After which time it begins in any case.
    most: Option<Duration>,
}

impl Waiting {
    /// Whether it has to begin, once that is known; if not, the others have ended.
    fn is_called(&self) -> bool {
        match self.most {
            None => self.rung.recv().is_ok(),
            Some(most) => self.rung.recv_timeout(most) != Err(RecvTimeoutError::Disconnected),
        }
    }
}

/// Room for nested calls.
const STACK: usize = 1 << 28;

/// Lets a team decide.
pub(crate) fn together(
    lead: &mut dyn Engine,
    others: Vec<Box<dyn Engine + Send>>,
    ground: Ground<'_>,
    budget: &Budget,
    team: &mut Team,
) -> Result<Verdict, Reason> {
    let budgets: Vec<Budget> = budget.parts(others.len() + 1);
    let stop_others = |own: usize| {
        let others = budgets.iter().enumerate().filter(|(i, _)| *i != own);
        others.for_each(|(_, budget)| budget.stop(Stop::Interrupt));
    };
    std::thread::scope(|scope| {
        let (mut bells, mut threads) = (Vec::new(), Vec::new());
        let (names, engines): (Vec<_>, Vec<_>) =
            others.into_iter().map(|engine| (engine.name(), engine)).unzip();
        let waiting: Vec<Option<Waiting>> = names
            .iter()
            .map(|name| {
                let begins = team.seat(name).map_or(Begins::AtOnce, |seat| seat.begins);
                (begins != Begins::AtOnce).then(|| {
                    let (bell, rung) = mpsc::channel();
                    bells.push((begins, bell));
                    Waiting { rung, most: (begins == Begins::WhenStuck).then_some(HEAD_START) }
                })
            })
            .collect();
        for (i, (mut engine, waiting)) in engines.into_iter().zip(waiting).enumerate() {
            let (bells, budget, stop_others) = (bells.clone(), &budgets[i + 1], &stop_others);
            let rings = team.seat(names[i]).is_some_and(|seat| seat.rings);
            let work = move || {
                if let Some(waiting) = waiting {
                    // As long as it holds a bell itself, it would wait for ever.
                    drop(bells);
                    if !waiting.is_called() {
                        return None;
                    }
                    let task = Task { ground, budget, ring: &|| {} };
                    return Some(decided(&mut *engine, &task, || stop_others(i + 1)));
                }
                let heard = bells.iter().filter(|(begins, _)| rings && *begins == Begins::WhenRung);
                let ring = || heard.clone().for_each(|(_, bell)| _ = bell.send(()));
                let task = Task { ground, budget, ring: &ring };
                Some(decided(&mut *engine, &task, || stop_others(i + 1)))
            };
            // If no thread can be started, there is one engine less.
            let thread =
                std::thread::Builder::new().stack_size(budget.stack(STACK)).spawn_scoped(scope, work);
            threads.extend(thread.ok().map(|thread| (names[i], budget, thread)));
        }
        let ring = || bells.iter().for_each(|(_, bell)| _ = bell.send(()));
        let task = Task { ground, budget: &budgets[0], ring: &ring };
        let found = catch_unwind(AssertUnwindSafe(|| lead.decide(&task)));
        match &found {
            Ok(found) if lead.ends_the_search(&task, found) => stop_others(0),
            _ => ring(),
        }
        drop(bells);
        let mut answers = vec![Answer { name: lead.name(), budget: &budgets[0], found: found.map(Some) }];
        answers.extend(threads.into_iter().map(|(name, budget, thread)| {
            let found = ScopedJoinHandle::join(thread);
            Answer { name, budget, found }
        }));
        first_verdict(answers, team)
    })
}

/// What an engine of the background says; its verdict stops the others.
fn decided(
    engine: &mut dyn Engine,
    task: &Task<'_>,
    stop_others: impl Fn(),
) -> Result<Option<Verdict>, Reason> {
    let found = engine.decide(task);
    if let Ok(Some(_)) = found {
        stop_others();
    }
    found
}

type Panicked<T> = Result<T, Box<dyn Any + Send>>;

/// What an engine did.
struct Answer<'a> {
    name: &'static str,
    budget: &'a Budget,
    /// What it said, unless it was not called, or panicked.
    found: Panicked<Option<Result<Option<Verdict>, Reason>>>,
}

/// The verdict that counts; if there is none, the reason of the first engine. A defect counts only if there is none.
fn first_verdict(answers: Vec<Answer<'_>>, team: &mut Team) -> Result<Verdict, Reason> {
    let mut reason = None;
    let mut panics = Vec::new();
    let mut decided = None;
    for (place, Answer { name, budget, found }) in answers.into_iter().enumerate() {
        let did = match found {
            Ok(None) => EngineStatus::NotCalled,
            Ok(Some(Ok(Some(verdict)))) if decided.is_none() => {
                team.certifying = budget.time_alone();
                decided = Some(verdict);
                EngineStatus::Decided
            }
            Ok(Some(Ok(_))) => EngineStatus::Ended,
            Ok(Some(Err(why))) => {
                let is_refused = matches!(why, Reason::Certificate(_));
                if is_refused {
                    team.refused.push(format!("{name}: {why}"));
                }
                if place == 0 {
                    reason = Some(why);
                }
                if is_refused { EngineStatus::Refused } else { EngineStatus::Ended }
            }
            Err(defect) => {
                panics.push((name, defect));
                EngineStatus::Panicked
            }
        };
        team.did.push((name, did));
    }
    match (decided, panics.is_empty()) {
        (Some(verdict), _) => {
            team.defects.extend(panics.iter().map(|(name, defect)| format!("{name}: {}", said(&**defect))));
            Ok(verdict)
        }
        (None, true) => Err(reason.unwrap_or_else(nothing)),
        (None, false) => resume_unwind(panics.remove(0).1),
    }
}

/// What a panic says.
fn said(defect: &(dyn Any + Send)) -> String {
    let text = defect.downcast_ref::<String>().map(String::as_str).or(defect.downcast_ref::<&str>().copied());
    text.unwrap_or("an engine panicked").to_owned()
}

#[cfg(test)]
mod tests {
    use hardbop_alias::Alias;
    use hardbop_ir::testing::{Size, random_program};

    use hardbop_slice::Slice;

    use super::*;

    /// An engine that does what its name says.
    struct Fake(&'static str, fn(&Task<'_>) -> Result<Option<Verdict>, Reason>);

    impl Engine for Fake {
        fn name(&self) -> &'static str {
            self.0
        }

        fn decide(&mut self, task: &Task<'_>) -> Result<Option<Verdict>, Reason> {
            (self.1)(task)
        }
    }

    /// A verdict that can be told from others by its text.
    fn verdict(text: &str) -> Result<Option<Verdict>, Reason> {
        Ok(Some(Verdict::Unknown(Reason::Unfit(text.to_owned()))))
    }

    fn wait(task: &Task<'_>) -> Result<Option<Verdict>, Reason> {
        loop {
            task.budget.check()?;
            std::thread::yield_now();
        }
    }

    fn run(lead: Fake, others: Vec<Fake>) -> (String, Vec<String>) {
        let (found, team) = run_team(lead, others);
        (found, team.defects)
    }

    fn run_team(lead: Fake, others: Vec<Fake>) -> (String, Team) {
        let program = random_program(1, Size::default());
        let alias = Alias::of(&program, &Budget::unlimited()).expect("time enough");
        let (mut lead, mut team) = (lead, Team::new(&FORWARD));
        let others = others.into_iter().map(|fake| Box::new(fake) as Box<dyn Engine + Send>).collect();
        let ground = Ground { whole: &program, alias: &alias, slice: &Slice::whole(&program, &alias) };
        let found = together(&mut lead, others, ground, &Budget::unlimited(), &mut team);
        let text = match found {
            Ok(Verdict::Unknown(reason)) | Err(reason) => reason.to_string(),
            Ok(_) => "another verdict".to_owned(),
        };
        (text, team)
    }

    #[test]
    fn the_first_verdict_stops_the_others() {
        let (found, defects) = run(Fake("slam", wait), vec![Fake("unroll", |_| verdict("by unrolling"))]);
        assert!(found.contains("by unrolling") && defects.is_empty(), "{found} {defects:?}");
        let (found, _) = run(Fake("slam", |_| verdict("by slam")), vec![Fake("unroll", wait)]);
        assert!(found.contains("by slam"), "{found}");
    }

    #[test]
    fn who_waits_for_the_bell_begins_when_it_rings() {
        let leaps = || Fake("leap", |_| verdict("by leaping"));
        let rings: fn(&Task<'_>) -> Result<Option<Verdict>, Reason> = |task| {
            (task.ring)();
            wait(task)
        };
        let (found, _) = run(Fake("slam", rings), vec![leaps()]);
        assert!(found.contains("by leaping"), "{found}");
        let (found, _) = run(Fake("slam", wait), vec![Fake("unroll", rings), leaps()]);
        assert!(found.contains("by leaping"), "{found}");
        // It is woken when the first gives up.
        let (found, _) = run(Fake("slam", |_| Err(Reason::NoProgress("none".into()))), vec![leaps()]);
        assert!(found.contains("by leaping"), "{found}");
        let (found, _) = run(Fake("slam", |_| verdict("by slam")), vec![leaps()]);
        assert!(found.contains("by slam"), "{found}");
    }

    #[test]
    fn who_waits_for_the_first_hears_no_other_bell() {
        let pushes = || Fake("pdr", |_| verdict("by pushing"));
        let rings: fn(&Task<'_>) -> Result<Option<Verdict>, Reason> = |task| {
            (task.ring)();
            Ok(None)
        };
        let (found, _) = run(Fake("slam", rings), vec![pushes()]);
        assert!(found.contains("by pushing"), "{found}");
        let late: fn(&Task<'_>) -> Result<Option<Verdict>, Reason> = |_| {
            std::thread::sleep(std::time::Duration::from_millis(50));
            verdict("by slam")
        };
        let (found, _) = run(Fake("slam", late), vec![Fake("unroll", rings), pushes()]);
        assert!(found.contains("by slam"), "{found}");
        // It does not wait for ever.
        let (found, _) = run(Fake("slam", wait), vec![pushes()]);
        assert!(found.contains("by pushing"), "{found}");
    }

    #[test]
    fn a_panic_takes_no_verdict_away() {
        let (found, defects) =
            run(Fake("slam", |_| panic!("a defect")), vec![Fake("unroll", |_| verdict("by unrolling"))]);
        assert!(found.contains("by unrolling"), "{found}");
        assert_eq!(defects, ["slam: a defect"]);
        let (found, defects) =
            run(Fake("slam", |_| verdict("by slam")), vec![Fake("unroll", |_| panic!("a defect"))]);
        assert!(found.contains("by slam"), "{found}");
        assert_eq!(defects, ["unroll: a defect"]);
    }

    #[test]
    fn a_certificate_that_is_refused_is_told_whoever_decides() {
        let refused: fn(&Task<'_>) -> Result<Option<Verdict>, Reason> =
            |_| Err(Reason::Certificate("it does not hold".into()));
        let (found, team) =
            run_team(Fake("slam", refused), vec![Fake("unroll", |_| verdict("by unrolling"))]);
        assert!(found.contains("by unrolling"), "{found}");
        assert_eq!(team.did, [("slam", EngineStatus::Refused), ("unroll", EngineStatus::Decided)]);
        let (found, team) = run_team(Fake("slam", |_| Ok(None)), vec![Fake("unroll", refused)]);
        assert!(!found.contains("does not hold"), "{found}");
        assert_eq!(team.refused, ["unroll: the certificate was refused: it does not hold"]);
    }

    #[test]
    #[should_panic(expected = "a defect")]
    fn a_panic_without_a_verdict_is_a_defect() {
        run(Fake("slam", |_| Ok(None)), vec![Fake("unroll", |_| panic!("a defect"))]);
    }
}
