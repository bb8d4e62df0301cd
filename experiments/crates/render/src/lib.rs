//! Pages and papers whose numbers come from bundles and run folders: `posenc render`.
//!
//! ```text
//! page.md.jinja ─ renderer ─▶ page.md      {{ row("study-encodings", "chess", "shaw").mean | fixed(3) }}
//!                    │
//!                    └─ functions ─ library ─▶ the report of each bundle, read once
//! ```
//! No function computes a statistic: each hands out what crate `report` has computed, in objects with fields.
//! [`undeclared`] finds the numbers that a template types instead of asking for them.

mod across_grids;
mod fields;
mod find;
mod functions;
mod gaps;
mod grids;
mod library;
mod renderer;
mod rows;
mod scaling;
mod syntax;
mod times;
mod typed_numbers;

pub use renderer::{Rendered, Renderer};
pub use syntax::EXTENSION;
pub use typed_numbers::undeclared;
