//! What `ulimit -v` leaves: how much address space there is, and what that means for stacks.
//!
//! Stacks are only reserved, but a reservation counts where the address space is limited, and a thread that
//! gets no stack is not started. So they get a share of what there is. Workers in little room get the same limit
//! for the libraries that start threads of their own, by their environment ([`variables`]).

use rustix::process::{Resource, getrlimit};

/// The least address space, in bytes, in which it is worth while to begin: the executable and its libraries, some
/// stacks, and something to work with.
pub const LEAST: u64 = 150 << 20;

/// The part of the address space that a single stack may take.
const SHARES: u64 = 16;

/// The least that a stack gets all the same.
const LEAST_STACK: usize = 2 << 20;

/// The limit of this process, in bytes, if it has one.
pub fn limit() -> Option<u64> {
    getrlimit(Resource::As).current
}

/// How large a stack may be, if stacks are limited at all.
pub fn stack_limit() -> Option<usize> {
    limit().map(|limit| usize::try_from(limit / SHARES).unwrap_or(usize::MAX).max(LEAST_STACK))
}

/// A stack of the size that is wanted, or of what there is room for.
pub fn stack(wanted: usize) -> usize {
    stack_limit().map_or(wanted, |limit| wanted.min(limit))
}

/// Stack of the threads of decision diagrams where there is no limit.
const DIAGRAM_STACK: usize = 1 << 30;

/// What the environment of a process says that has to work in little room: nothing where there is no limit.
///
/// A backtrace takes much memory, and when that runs out while one is made, the standard library waits for itself.
pub fn variables() -> Vec<(&'static str, String)> {
    let Some(stack) = stack_limit() else { return Vec::new() };
    vec![
        ("OXIDD_STACK_SIZE", stack.min(DIAGRAM_STACK).to_string()),
        ("MALLOC_ARENA_MAX", "1".to_owned()),
        ("RUST_BACKTRACE", "0".to_owned()),
        ("RUST_LIB_BACKTRACE", "0".to_owned()),
    ]
}

/// Whether this process has come so close to its limit that whatever went wrong was probably for lack of room: an
/// eighth is left, or less than what a thread takes.
pub fn is_short() -> bool {
    let Some(limit) = limit() else { return false };
    let peak = crate::limits::peak_address_space().unwrap_or(0);
    limit.saturating_sub(peak) < (limit / 8).max(2 * LEAST_STACK as u64 + stack_limit().unwrap_or(0) as u64)
}
