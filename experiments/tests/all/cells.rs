//! Cells that `posenc` trains in a process: through kills and full disks, and what it says of them.

mod bench_cli;
mod positions;
mod ranks;
mod resume;
mod tables;
