//! What the five systems have, said here.

mod clawseed;
mod goclaw;
mod mini_claw_code;
mod picoclaw;
mod zeroclaw;
