//! Experiments on a Slurm cluster: `posenc submit`, and the tasks that it submits.

pub(super) mod submit;
pub(super) mod task;
