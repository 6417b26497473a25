//! The ways in. Each judges an event by the same dispatch, and tells its agent the decision in the agent's own words.

pub(crate) mod agent;
pub(crate) mod program;
