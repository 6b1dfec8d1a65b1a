//! Budgets that last so many seconds.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use hardbop_base::{Budget, Stop};

/// Does some work with a budget that is spent after some seconds.
pub fn within<T>(seconds: f64, work: impl FnOnce(&Budget) -> T) -> T {
    let budget = Budget::unlimited();
    let watched = budget.clone();
    let (done, wait) = channel::<()>();
    let watchdog = std::thread::spawn(move || {
        if wait.recv_timeout(Duration::from_secs_f64(seconds)) == Err(RecvTimeoutError::Timeout) {
            watched.stop(Stop::Time);
        }
    });
    let result = work(&budget);
    drop(done);
    // It only waits, and the channel is closed.
    let _ = watchdog.join();
    result
}
