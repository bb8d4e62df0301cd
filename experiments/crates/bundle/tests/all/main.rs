//! Published runs, and what strangers may have put into them, in one binary.

pub mod damage;
mod published;
