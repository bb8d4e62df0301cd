//! Published runs, and what strangers may have put into them, in one binary.

#[path = "../../../report/tests/all/by_hand.rs"]
pub mod by_hand;
pub mod damage;
mod published;
