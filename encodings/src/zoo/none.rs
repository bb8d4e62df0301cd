//! No position at all: the control that every comparison needs.

use crate::prelude::*;

/// It has no options.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {}

impl Configure for Config {
    const INFO: EncodingInfo = EncodingInfo {
        name: "none",
        summary: "no position information; the trunk cannot distinguish squares",
        source: "control; NoPE, Haviv et al. 2022 (arXiv 2203.16634)",
        example: "none",
    };

    fn declare(&self, _: &mut Scope<'_>, _: Dims, _: &Tokens) -> Result<Box<dyn Encoding>, EncodingError> {
        Ok(Box::new(Nothing))
    }

    fn examples() -> Vec<Self> {
        vec![Self {}]
    }
}

#[derive(Debug)]
struct Nothing;

impl Encoding for Nothing {
    fn injection_points(&self) -> InjectionPoints {
        InjectionPoints::NONE
    }

    fn guarantees(&self) -> Guarantees {
        Guarantees::ALL
    }
}
