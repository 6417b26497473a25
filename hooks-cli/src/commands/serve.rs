//! `hooks serve --stdio`
use crate::{Done, Failure};
use std::path::PathBuf;
pub(crate) fn run(_: Option<PathBuf>) -> Done {
    Err(Failure::usage(""))
}
