//! Publication of a run folder: self-contained, checksummed, without paths or names of the machine.
//!
//! ```text
//! run folder ─ collect (scrub) ─▶ files ─ write ─▶ folder or .tar.zst ─ read (listing) ─▶ verify
//!                                                                └─▶ run folder (unpacked) ─▶ compare_report, rerun
//! ```
//! `BLAKE3SUMS` lists every other file with its hash, in the format of `b3sum --check`; the hash of that list
//! identifies the bundle.

pub mod archive;
pub mod author;
pub mod collect;
pub mod compare_report;
mod describe;
mod error;
mod leftovers;
mod listing;
mod names;
pub mod predictions;
pub mod read;
pub mod rerun;
pub mod scrub;
pub mod unpacked;
pub mod verify;
pub mod write;

pub use author::{Author, Publication};
pub use collect::{Contents, collect};
pub use names::{CELLS, METADATA, PACKED, SUMS, is_safe};
pub use read::Limits;
pub use unpacked::{Unpacked, UnpackedPart};
pub use verify::{Verified, unpack};
pub use write::write;
