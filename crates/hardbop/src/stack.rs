//! A thread with a big stack.
//!
//! Recursive-descent parsers, ours and third-party, recurse as deep as their input nests. The stack
//! is only reserved, not used, so a generous size costs nothing until it is needed. Whatever
//! overflows even this ends the process, which [`crate::worker`] turns into a message.

use std::io;
use std::thread;

use crate::room;

/// Bytes of address space reserved for the stack that commands run on.
pub const STACK_BYTES: usize = 512 << 20;

/// Runs `work` on a thread with [`STACK_BYTES`] of stack, or with what there is room for.
///
/// `Err` means that `work` panicked.
pub fn on_big_stack<T: Send>(work: impl FnOnce() -> T + Send) -> thread::Result<T> {
    let mut work = Some(work);
    let most = room::stack(STACK_BYTES);
    // Where there is no room to begin, all that is said is that there is none: a thread would take what that needs.
    let sizes =
        if room::limit().is_some_and(|limit| limit < room::LEAST) { vec![] } else { vec![most, most / 8] };
    for bytes in sizes {
        match spawn_and_join(bytes, &mut work) {
            Ok(result) => return result,
            // There is less than it seemed: try a smaller one.
            Err(_) => continue,
        }
    }
    let work = work.take();
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| match work {
        Some(work) => work(),
        None => unreachable!("work is only taken by a thread that started"),
    }))
}

/// `Err` if no thread could be started; `work` is then still there.
fn spawn_and_join<T: Send, W: FnOnce() -> T + Send>(
    bytes: usize,
    work: &mut Option<W>,
) -> io::Result<thread::Result<T>> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("work".to_owned()).stack_size(bytes);
        let handle = thread.spawn_scoped(scope, || match work.take() {
            Some(work) => work(),
            None => unreachable!("work is only taken by a thread that started"),
        })?;
        Ok(handle.join())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(n: u64) -> u64 {
        let frame = std::hint::black_box([n; 64]);
        if n == 0 { 0 } else { 1 + depth(frame[0] - 1) }
    }

    #[test]
    fn has_room_for_deep_recursion() {
        assert_eq!(on_big_stack(|| depth(200_000)).unwrap(), 200_000);
    }

    #[test]
    fn hands_a_panic_back() {
        assert!(on_big_stack(|| panic!("expected by this test")).is_err());
    }
}
