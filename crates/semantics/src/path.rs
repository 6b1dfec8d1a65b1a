//! Paths: the execution of one sequence of edges across procedures.
//!
//! Each activation has a frame of its own, so that the locals of two activations of one procedure,
//! nested or one after the other, are different cells.

use hardbop_ir::{EdgeId, ProcId};
use hardbop_logic::Term;

use crate::coder::Coder;
use crate::fresh::Fresh;
use crate::state::{Frame, State};
use crate::statement::End;

/// A step of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PathStep {
    /// An edge of the current procedure; a call is executed as a whole, with whatever it may change.
    Edge(EdgeId),
    /// The call on an edge starts an activation of this procedure.
    Enter(EdgeId, ProcId),
    /// The current activation returns to its caller.
    Leave,
}

/// An arbitrary value that a path took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draw {
    /// The procedure of the edge.
    pub procedure: ProcId,
    /// The edge that drew it.
    pub edge: EdgeId,
    /// The symbol for it.
    pub value: Term,
}

/// A path being executed.
pub struct Walk {
    /// The state reached.
    pub state: State,
    /// What a run along the path satisfies, with the number of the step that asks for it.
    pub conditions: Vec<(usize, Term)>,
    /// The arbitrary values that edges of the path drew, in order.
    pub draws: Vec<Draw>,
    /// Storage that holds what nobody wrote, with the activation where it came into being, in order; only
    /// if the encoder records it.
    pub fresh: Vec<(Frame, Fresh)>,
    /// Where it is.
    stack: Vec<Activation>,
    /// The procedures of all activations so far, by frame.
    entered: Vec<ProcId>,
    frames: u32,
    steps: usize,
}

#[derive(Debug, Clone, Copy)]
struct Activation {
    procedure: ProcId,
    frame: Frame,
    /// The edge that calls the next activation.
    call: Option<EdgeId>,
}

impl Walk {
    /// At the start of the program's entry, with its globals initialised.
    pub fn from_start(coder: &mut Coder<'_>, entry: ProcId) -> Self {
        Walk::from_start_up_to(usize::MAX, coder, entry).0
    }

    /// The same, where nothing is known of regions with more initial values than so many, and whether there are such.
    pub fn from_start_up_to(most: usize, coder: &mut Coder<'_>, entry: ProcId) -> (Self, bool) {
        let mut walk = Walk::new(entry);
        let mut conditions = Vec::new();
        let left_out = coder.initialise_up_to(most, &mut walk.state, &mut conditions);
        coder.enter(&mut walk.state, entry);
        walk.conditions.extend(conditions.into_iter().map(|condition| (0, condition)));
        walk.note_fresh(coder);
        (walk, left_out)
    }

    /// Somewhere in a procedure, in any state.
    pub fn new(procedure: ProcId) -> Self {
        let frame = Frame::ONLY;
        Walk {
            state: State::new(frame),
            conditions: Vec::new(),
            draws: Vec::new(),
            fresh: Vec::new(),
            stack: vec![Activation { procedure, frame, call: None }],
            entered: vec![procedure],
            frames: 0,
            steps: 0,
        }
    }

    /// In any state after some steps from the start of a procedure. The current activation has
    /// the frame [`Frame::ONLY`], those that wait for it have others.
    pub fn suspended(entry: ProcId, steps: &[PathStep]) -> Self {
        let mut walk = Walk::new(entry);
        for &step in steps {
            match step {
                PathStep::Edge(_) => {}
                PathStep::Enter(edge, procedure) => {
                    walk.stack.last_mut().expect("a path is somewhere").call = Some(edge);
                    walk.stack.push(Activation { procedure, frame: Frame::ONLY, call: None });
                }
                PathStep::Leave if walk.stack.len() > 1 => {
                    walk.stack.pop();
                }
                PathStep::Leave => {}
            }
        }
        let last = walk.stack.len() - 1;
        for (i, activation) in walk.stack[..last].iter_mut().enumerate() {
            activation.frame = Frame(i as u32 + 1);
        }
        walk.frames = last as u32;
        walk
    }

    /// All activations so far, in the order in which they were entered: their frames and procedures. Only for
    /// walks from the start.
    pub fn activations(&self) -> impl Iterator<Item = (Frame, ProcId)> + '_ {
        self.entered.iter().enumerate().map(|(n, &procedure)| (Frame(n as u32), procedure))
    }

    /// The current procedure.
    pub fn procedure(&self) -> ProcId {
        self.stack.last().expect("a path is somewhere").procedure
    }

    /// The frame of the current activation.
    pub fn frame(&self) -> Frame {
        self.state.frame()
    }

    /// Takes a step. A step that the path cannot take leaves it where it is and is reported as
    /// [`End::Stops`].
    pub fn step(&mut self, coder: &mut Coder<'_>, step: PathStep) -> End {
        let mut conditions = Vec::new();
        let end = match step {
            PathStep::Edge(edge) => {
                let procedure = self.procedure();
                let before = coder.encoder.drawn();
                let end = coder.execute(&mut self.state, procedure, edge, &mut conditions);
                let values = coder.asked_for(procedure, edge, before);
                self.draws.extend(values.into_iter().map(|value| Draw { procedure, edge, value }));
                end
            }
            PathStep::Enter(edge, callee) => self.enter(coder, edge, callee, &mut conditions),
            PathStep::Leave => self.leave(coder, &mut conditions),
        };
        self.conditions.extend(conditions.into_iter().map(|condition| (self.steps, condition)));
        self.steps += 1;
        self.note_fresh(coder);
        end
    }

    /// Takes a step without what it does: only where the path is changes. For steps that nothing depends on.
    pub fn pass(&mut self, step: PathStep) {
        match step {
            PathStep::Edge(_) => {}
            PathStep::Enter(edge, callee) => self.activate(edge, callee),
            PathStep::Leave => {
                if let [.., caller, _] = self.stack[..] {
                    self.stack.pop();
                    self.state.enter(caller.frame);
                }
            }
        }
        self.steps += 1;
    }

    /// The call on an edge starts an activation.
    fn activate(&mut self, edge: EdgeId, callee: ProcId) {
        self.frames += 1;
        self.entered.push(callee);
        let frame = Frame(self.frames);
        if let Some(caller) = self.stack.last_mut() {
            caller.call = Some(edge);
        }
        self.stack.push(Activation { procedure: callee, frame, call: None });
        self.state.enter(frame);
    }

    fn note_fresh(&mut self, coder: &mut Coder<'_>) {
        let frame = self.state.frame();
        self.fresh.extend(coder.encoder.take_fresh().into_iter().map(|fresh| (frame, fresh)));
    }

    fn enter(
        &mut self,
        coder: &mut Coder<'_>,
        edge: EdgeId,
        callee: ProcId,
        conditions: &mut Vec<Term>,
    ) -> End {
        let (procedure, frame) = (self.procedure(), Frame(self.frames + 1));
        coder.require_callee(&self.state, procedure, edge, callee, conditions);
        coder.pass_arguments(&mut self.state, (procedure, edge), callee, frame, conditions);
        self.activate(edge, callee);
        coder.enter(&mut self.state, callee);
        End::Continues
    }

    fn leave(&mut self, coder: &mut Coder<'_>, conditions: &mut Vec<Term>) -> End {
        let [.., caller, callee] = self.stack[..] else { return End::Stops };
        self.stack.pop();
        self.state.enter(caller.frame);
        let Some(edge) = caller.call else { return End::Stops };
        coder.take_result(
            &mut self.state,
            (caller.procedure, edge),
            callee.procedure,
            callee.frame,
            conditions,
        );
        End::Continues
    }
}
