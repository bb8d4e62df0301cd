//! One build of every library. There is no code here, and none belongs here.
//!
//! Cargo compiles a library once for each set of features that is asked for, and the set is the union over the crates that
//! a command names. So `cargo test -p encodings` after `cargo build` would compile tch again, because some crate that
//! `encodings` does not need asks for one more feature of a library below tch. Every crate that uses libraries depends on
//! this one, which asks for the features of all: whatever a command names, the sets are the same. A test keeps the list complete
//! (`one_set_of_features_serves_every_crate`).
