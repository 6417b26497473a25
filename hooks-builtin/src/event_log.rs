//! Every event, in order, in memory.
