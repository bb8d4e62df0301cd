//! The encodings, one a file: options, parameters, injection points and guarantees.

pub mod absolute;
pub mod alibi;
pub mod cls_map;
pub mod continuous_bias;
pub mod cope;
pub mod deberta;
pub mod dynamic_relative;
pub mod fire;
pub mod gab_templates;
pub mod irpe;
pub mod kerple;
pub mod laplacian;
pub mod lepe;
pub mod liere;
pub mod log_buckets;
pub mod low_rank;
pub mod none;
pub mod pope;
pub mod relations;
pub mod relative_bias;
pub mod rope;
pub mod rove;
pub mod shaw;
pub mod smolgen;
pub mod spherical;
pub mod string;
