//! How much memory a step took at most, as the system counts it.
//!
//! Linux keeps the high-water mark of what a process has resident, and forgets it on request. What an allocator holds back from
//! the steps before counts too, so the figure is an upper bound for the step. Elsewhere there is none.

use std::fs;

/// Lets the high-water mark begin anew.
pub(super) fn forget_peak() {
    // Where that cannot be done there is no figure either, or one that is too high.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// Bytes resident at most since then.
pub(super) fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}
