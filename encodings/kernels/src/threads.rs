//! How work is shared among threads.

/// Does `work` for every unit, each on one of `threads` threads. What a unit computes does not depend on their number.
pub(crate) fn share(units: usize, threads: usize, work: impl Fn(usize) + Sync) {
    let threads = threads.clamp(1, units.max(1));
    let of_thread = |thread: usize| (thread..units).step_by(threads).for_each(&work);
    std::thread::scope(|scope| {
        for thread in 1..threads {
            scope.spawn(move || of_thread(thread));
        }
        of_thread(0);
    });
}
