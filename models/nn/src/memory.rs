//! How the process' allocator treats memory that was freed.

/// Keeps freed memory for the next step instead of handing it back to the system, in blocks of up to 32 MB. A training
/// step allocates the same large tensors again and again, and to write to a fresh page costs several times as much as
/// to write to one that is there: half a step's page faults, or more, fall away.
///
/// Other allocators than glibc's are left alone.
pub fn keep_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // The most that glibc accepts on 64 bits.
        const LARGEST_KEPT: libc::c_int = 32 << 20;
        // SAFETY: both calls set a number of the allocator and touch nothing else.
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, LARGEST_KEPT);
            libc::mallopt(libc::M_TRIM_THRESHOLD, libc::c_int::MAX);
        }
    }
}
