//! What the figures rest on, in one program: each program more is one link more.

mod allocations;
mod future_size;
mod pages;
mod programs;
mod same_work;
