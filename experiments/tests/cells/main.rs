//! Training cells: the same bits every time, through kills, damage and full disks; and what they log.

mod bench_cli;
mod metrics;
mod pairing;
mod resume;
mod saving;
mod support;
mod tensorboard;
mod training;
