//! Pages and their templates.

mod pages;
