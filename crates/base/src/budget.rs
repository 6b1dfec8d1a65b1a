//! Budgets: how a long computation learns that it must stop.
//!
//! A [`Budget`] is a flag shared between the engines, which poll it, and the code that watches the clock
//! and the memory (the command line), who raises it. Engines therefore never look at a clock. It also says how
//! large the stacks of their threads may be.
//!
//! Budgets of a team ([`Budget::parts`]) know of each other: while one member has something that is as good as a
//! verdict, the others give way ([`Budget::go_alone`]). They wait where they poll, and not for ever. How long a member went
//! alone is what certificates take ([`Budget::time_alone`]).

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// Why a computation was told to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stop {
    /// The time limit was reached.
    Time,
    /// The memory limit was reached.
    Memory,
    /// The user interrupted it.
    Interrupt,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stop::Time => "time limit reached",
            Stop::Memory => "memory limit reached",
            Stop::Interrupt => "interrupted",
        })
    }
}

impl std::error::Error for Stop {}

/// A stop flag, cheap to clone and to poll. The default budget never runs out.
#[derive(Debug, Clone, Default)]
pub struct Budget {
    state: Arc<AtomicU8>,
    /// The budget that this one is a part of.
    whole: Option<Arc<Budget>>,
    /// How large a stack may be.
    stacks: Option<usize>,
    /// Tells the time, if there is a clock.
    clock: Option<fn() -> Duration>,
    /// Who else is in the team.
    member: Option<Arc<Member>>,
}

/// How long somebody who gives way sleeps before looking again.
const NAP: Duration = Duration::from_millis(2);

/// A member of a team.
#[derive(Debug)]
struct Member {
    number: usize,
    team: Arc<Team>,
    /// How often it slept.
    naps: AtomicUsize,
    /// How long it went alone, or wanted to, in microseconds.
    alone: AtomicU64,
}

/// What the members of a team share.
#[derive(Debug)]
struct Team {
    /// When it began, and what tells the time; without a clock nobody gives way.
    began: Option<(Duration, fn() -> Duration)>,
    /// The member that goes alone; nobody if it is 0.
    alone: AtomicUsize,
    /// How often each of the others sleeps in all, at most: as long as the team had been at work when a member went
    /// alone. What takes longer than the search before it may have no end, and the others may know better.
    patience: AtomicUsize,
}

/// As long as this lives, the other members of the team give way.
#[derive(Debug)]
#[must_use = "the others give way only as long as it lives"]
pub struct Alone {
    member: Option<Arc<Member>>,
    /// Whether no other member goes alone.
    is_first: bool,
    /// When it began, if there is a clock.
    began: Option<Duration>,
}

impl Drop for Alone {
    fn drop(&mut self) {
        let Some(member) = &self.member else { return };
        if self.is_first {
            member.team.alone.store(0, Ordering::Relaxed);
        }
        if let (Some(began), Some((_, clock))) = (self.began, member.team.began) {
            let micros = clock().saturating_sub(began).as_micros();
            member.alone.fetch_add(u64::try_from(micros).unwrap_or(u64::MAX), Ordering::Relaxed);
        }
    }
}

impl Budget {
    /// A budget that lasts until [`Budget::stop`] is called on a clone of it.
    pub fn unlimited() -> Self {
        Budget::default()
    }

    /// A part of this budget: it is spent when this one is, and can be stopped by itself.
    pub fn part(&self) -> Self {
        Budget {
            state: Arc::default(),
            whole: Some(Arc::new(self.clone())),
            stacks: self.stacks,
            clock: self.clock,
            member: None,
        }
    }

    /// Parts of this budget for the members of a team.
    pub fn parts(&self, count: usize) -> Vec<Self> {
        let (alone, patience) = Default::default();
        let team = Arc::new(Team { began: self.clock.map(|clock| (clock(), clock)), alone, patience });
        let member = |number| {
            let (naps, alone) = Default::default();
            Member { number, team: team.clone(), naps, alone }
        };
        (1..=count).map(|number| Budget { member: Some(Arc::new(member(number))), ..self.part() }).collect()
    }

    /// Lets the other members of the team give way, unless one of them goes alone already.
    pub fn go_alone(&self) -> Alone {
        let is_first = |member: &Arc<Member>| {
            let Team { began, alone, patience } = &*member.team;
            let nobody = alone.compare_exchange(0, member.number, Ordering::Relaxed, Ordering::Relaxed);
            if nobody.is_ok() {
                let elapsed = began.map_or(Duration::ZERO, |(began, clock)| clock().saturating_sub(began));
                let naps = elapsed.as_millis() / NAP.as_millis();
                patience.store(usize::try_from(naps).unwrap_or(usize::MAX), Ordering::Relaxed);
            }
            nobody.is_ok()
        };
        let member = self.member.clone();
        let began = member.as_ref().and_then(|member| member.team.began).map(|(_, clock)| clock());
        Alone { is_first: member.as_ref().is_some_and(is_first), member, began }
    }

    /// How long this member of a team went alone; no time at all without a clock.
    pub fn time_alone(&self) -> Duration {
        let micros = self.member.as_ref().map_or(0, |member| member.alone.load(Ordering::Relaxed));
        Duration::from_micros(micros)
    }

    /// The same budget, with stacks of no more than so many bytes, if there is a limit.
    pub fn with_stacks(self, most: Option<usize>) -> Self {
        Budget { stacks: most, ..self }
    }

    /// The same budget, with a clock.
    pub fn with_clock(self, clock: fn() -> Duration) -> Self {
        Budget { clock: Some(clock), ..self }
    }

    /// How large to make the stack of a thread that wants so many bytes.
    pub fn stack(&self, wanted: usize) -> usize {
        self.stacks.map_or(wanted, |most| wanted.min(most))
    }

    /// Tells every holder to stop. The first reason given stays.
    pub fn stop(&self, reason: Stop) {
        let code = match reason {
            Stop::Time => 1,
            Stop::Memory => 2,
            Stop::Interrupt => 3,
        };
        // A lost race means that another reason came first, which is the one to report.
        let _ = self.state.compare_exchange(0, code, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// `Err` with the reason once the budget is spent. Waits as long as another member of the team goes alone.
    pub fn check(&self) -> Result<(), Stop> {
        self.spent()?;
        while self.member.as_ref().is_some_and(|member| member.gives_way()) {
            std::thread::sleep(NAP);
            self.spent()?;
        }
        Ok(())
    }

    fn spent(&self) -> Result<(), Stop> {
        match self.state.load(Ordering::Relaxed) {
            0 => self.whole.as_ref().map_or(Ok(()), |whole| whole.check()),
            1 => Err(Stop::Time),
            2 => Err(Stop::Memory),
            _ => Err(Stop::Interrupt),
        }
    }
}

impl Member {
    /// Whether another member goes alone, and this one has patience left.
    fn gives_way(&self) -> bool {
        let Team { alone, patience, .. } = &*self.team;
        let alone = alone.load(Ordering::Relaxed);
        let patience = patience.load(Ordering::Relaxed);
        alone != 0 && alone != self.number && self.naps.fetch_add(1, Ordering::Relaxed) < patience
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_others_give_way_as_long_as_one_goes_alone() {
        let whole = Budget::unlimited();
        let parts = whole.parts(2);
        let [one, other] = &parts[..] else { panic!("two members") };
        let alone = one.go_alone();
        one.member.as_ref().expect("a member").team.patience.store(usize::MAX, Ordering::Relaxed);
        assert_eq!(one.check(), Ok(()));
        let passed = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                // Parts of a member wait with it.
                assert_eq!(other.part().check(), Ok(()));
                passed.store(1, Ordering::SeqCst);
            });
            std::thread::sleep(20 * NAP);
            assert_eq!(passed.load(Ordering::SeqCst), 0);
            drop(alone);
        });
        assert_eq!(passed.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn who_gives_way_is_stopped_and_has_no_endless_patience() {
        let parts = Budget::unlimited().parts(3);
        let [one, other, third] = &parts[..] else { panic!("three members") };
        let _alone = one.go_alone();
        // Somebody else who goes alone takes the place of nobody.
        one.member.as_ref().expect("a member").team.patience.store(1000, Ordering::Relaxed);
        drop(other.go_alone());
        assert!(third.member.as_ref().is_some_and(|member| member.gives_way()));
        other.stop(Stop::Interrupt);
        assert_eq!(other.check(), Err(Stop::Interrupt));
        let member = third.member.as_ref().expect("a member");
        member.naps.store(1000, Ordering::Relaxed);
        assert_eq!(third.check(), Ok(()));
    }

    #[test]
    fn the_time_of_going_alone_adds_up() {
        // A clock that goes on by a millisecond whenever somebody looks.
        static CLOCK: AtomicU64 = AtomicU64::new(0);
        let clock = || Duration::from_millis(CLOCK.fetch_add(1, Ordering::Relaxed));
        let parts = Budget::unlimited().with_clock(clock).parts(2);
        assert_eq!(parts[0].time_alone(), Duration::ZERO);
        drop(parts[0].go_alone());
        let once = parts[0].time_alone();
        assert!(once > Duration::ZERO);
        let alone = parts[0].go_alone();
        // Who has to share it takes its time, too.
        drop(parts[1].go_alone());
        drop(alone);
        assert!(parts[0].time_alone() > once && parts[1].time_alone() > Duration::ZERO);
        assert_eq!(Budget::unlimited().time_alone(), Duration::ZERO);
    }

    #[test]
    fn first_reason_stays() {
        let budget = Budget::unlimited();
        let watcher = budget.clone();
        assert_eq!(budget.check(), Ok(()));
        watcher.stop(Stop::Memory);
        watcher.stop(Stop::Time);
        assert_eq!(budget.check(), Err(Stop::Memory));
    }

    #[test]
    fn stacks_are_as_large_as_wanted_or_as_there_is_room_for() {
        assert_eq!(Budget::unlimited().stack(1 << 30), 1 << 30);
        let small = Budget::unlimited().with_stacks(Some(1 << 20)).part();
        assert_eq!((small.stack(1 << 30), small.stack(1 << 10)), (1 << 20, 1 << 10));
    }

    #[test]
    fn a_part_is_spent_with_the_whole_but_not_the_other_way_round() {
        let whole = Budget::unlimited();
        let (one, other) = (whole.part(), whole.part());
        one.stop(Stop::Interrupt);
        assert_eq!(one.check(), Err(Stop::Interrupt));
        assert_eq!((other.check(), whole.check()), (Ok(()), Ok(())));
        whole.stop(Stop::Time);
        assert_eq!((one.check(), other.check()), (Err(Stop::Interrupt), Err(Stop::Time)));
    }
}
