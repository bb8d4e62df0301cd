//! Training cells: the same bits every time, through kills, damage and full disks; and what they log.

mod batch_norm;
mod bench_cli;
mod decoder;
mod heads;
mod inspecting;
mod metrics;
mod pairing;
mod phases;
mod pictures;
mod positions;
mod resume;
mod saving;
mod steps;
mod support;
mod tables;
mod tensorboard;
mod training;
mod version;
mod win_rate;
