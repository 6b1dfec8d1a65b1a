//! Runs the body of a target as the command line runs its commands, and tells findings from what is
//! handled.
//!
//! libFuzzer takes every panic for a finding. Panics of the third-party C front end are none as long as
//! `hardbop-syntax` caught them, so they are only listed, once per place. All others abort.

use std::collections::BTreeSet;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::panic::PanicHookInfo;
use std::sync::{LazyLock, Mutex};

/// The stack that the command line gives its commands.
const STACK_BYTES: usize = 512 << 20;

/// Where to put each input before it is run. A stack overflow leaves nothing else behind.
static LAST_INPUT: LazyLock<Option<File>> =
    LazyLock::new(|| File::create(std::env::var_os("HARDBOP_FUZZ_LAST_INPUT")?).ok());

/// The places in the front end that have panicked so far.
static HANDLED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Puts our panic hook before that of libFuzzer.
pub fn start() {
    let abort = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !is_handled(panic) {
            abort(panic);
        }
    }));
}

/// Runs `body` on this thread, for those whose recursion is bounded.
pub fn run(data: &[u8], body: impl FnOnce(&[u8])) {
    keep(data);
    body(data);
}

/// Runs `body` on a big stack.
pub fn run_on_big_stack(data: &[u8], body: impl FnOnce(&[u8]) + Send) {
    keep(data);
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
        let thread = thread.spawn_scoped(scope, || body(data)).expect("a thread");
        thread.join().expect("a panic to abort");
    });
}

/// Puts the input where it can be found if nothing else is.
fn keep(data: &[u8]) {
    if let Some(file) = &*LAST_INPUT {
        // If it cannot be written there is nothing to do about it, and fuzzing is still of use.
        let _ = file.write_all_at(data, 0).and_then(|()| file.set_len(data.len() as u64));
    }
}

/// Whether a panic is the front end's own. Our code runs on the front end's thread too, hence it is the
/// place that counts, and that our conversion of the typed tree is not what led there.
fn is_handled(panic: &PanicHookInfo<'_>) -> bool {
    let Some(place) = panic.location().filter(|place| place.file().contains("/rucc-")) else { return false };
    let place = format!("{}:{}", short(place.file()), place.line());
    let Ok(mut handled) = HANDLED.lock() else { return false };
    if handled.contains(&place) {
        return true;
    }
    // Slow, hence only once per place.
    let trace = std::backtrace::Backtrace::force_capture().to_string();
    if trace.contains("hardbop_syntax::convert::") {
        return false;
    }
    eprintln!("handled: the C front end panicked at {place}");
    handled.insert(place)
}

/// A path without the folder that the package lies in.
fn short(path: &str) -> &str {
    path.find("/rucc-").map_or(path, |start| &path[start + 1..])
}
