//! What the macros of `hooks-core` must compile, what they must not, and what the compiler says then.
//!
//! A folder each in `tests/`: `pass/` holds programs that are run, and `fail/` one file a mistake, named
//! for it, with the compiler's message beside it in a `.stderr`.

#[cfg(doctest)]
#[doc = include_str!(concat!(env!("OUT_DIR"), "/macros.md"))]
#[doc = include_str!("../../hooks-macros/README.md")]
struct Macros;
