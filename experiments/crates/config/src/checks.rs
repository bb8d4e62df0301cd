//! Checks of an experiment: what is refused, and what is only warned of.

pub(crate) mod all_errors;
pub(crate) mod no_effect;
pub(crate) mod primary;
pub(crate) mod seeds;
pub(crate) mod targets;
pub(crate) mod warnings;
