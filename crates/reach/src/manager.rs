//! Managers of decision diagrams.

use std::panic::catch_unwind;

use hardbop_base::Stop;
use oxidd::bdd::BDDManagerRef;

/// A manager with room for so many nodes and so many remembered results, and a thread of its own.
///
/// The library panics where it gets no thread, which is for lack of address space. Nothing has been made then.
pub(crate) fn new_manager(nodes: usize, cache: usize) -> Result<BDDManagerRef, Stop> {
    catch_unwind(|| oxidd::bdd::new_manager(nodes, cache, 1)).map_err(|_| Stop::Memory)
}
