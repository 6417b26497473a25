//! Runs a program that can do no more than it is given: files, hosts, system calls.
//!
//! ```no_run
//! use hooks_sandbox::Sandbox;
//!
//! // The first line of `main`: your own executable confines programs, so nothing must be installed.
//! hooks_sandbox::enter_if_asked();
//!
//! let sandbox = Sandbox::new().write(".").prepare()?;
//! let status = sandbox.command("make", ["test"]).status()?;
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! # How
//!
//! The *caller* makes the rules, checks them, and starts its own executable again. That is the *supervisor*, which has one
//! thread and stays outside: it makes place-holders and temporary files, hands on signals, and waits. It forks the process
//! *inside*, which takes everything from itself that the rules do not give, and then becomes the program; with namespaces,
//! it forks the program and stays as its first process, into which nothing inside can look. The proxy for hosts is one more
//! process outside. Whatever fails on the way ends all of them.
//!
//! | | with user namespaces | without them |
//! | --- | --- | --- |
//! | files | a file system of its own, with nothing in it but what is allowed; Landlock around it | Landlock |
//! | protected names | mount points, which the kernel neither renames nor removes | nothing new can be made directly in a folder that holds one |
//! | modes, owners, times | of what it may write | of nothing |
//! | processes | it sees and signals its own; all end with it | it signals its own; all end with it |
//! | network | its own, with no other program on it | no connection but to the ports that are allowed; it cannot listen |
//!
//! Either way, the program has no capability, gains no rights, has a session of its own without a terminal, no descriptor
//! but its standard input and outputs, a part of the environment, and only the system calls of a table.
//!
//! # What comes back
//!
//! The supervisor traces the program, and writes a [`Report`] to standard error at its end: a line for each path, host and
//! system call that was refused. The tracer decides nothing, so a program that hides from it gains nothing. The report
//! leaves out what a program reads below a folder that it has open, as `grep -r` does: to look there would cost too much.
//! See [`Sandbox::untraced`] for what tracing costs and where it is in the way.
//!
//! # What it does not do
//!
//! - What you hand over as standard input and outputs, the program may use, and change the mode of.
//! - A hard link that was made before to a protected file leads to it. The sandbox knows names.
//! - [`protected`] has the names that stay as they are. What exists is held in the writable folder and below, without
//!   `node_modules`, `target`, `.venv` and such, in the 4,000 folders that are nearest. What does not exist is held in the
//!   writable folder, and in each repository among those folders. A repository of which only the files are there, and not
//!   its `.git`, is like any other folder.
//! - A folder on the way to what is held is a mount of its own: it cannot be renamed, and what is moved out of it is copied.
//! - Without user namespaces, the proxy of [`Sandbox::domain`] listens on the loopback of the machine, and its other users
//!   reach the same hosts through it.
//! - A host that is allowed by name is trusted with what the program sends it, and with its subdomains if you allow them.
//! - The kernel does not count the processes of root, so there `processes` limits nothing.
#![forbid(unsafe_code)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

pub mod address;
mod confinement;
mod error;
mod explain;
mod found;
mod launcher;
#[cfg(target_os = "linux")]
mod linux;
mod presets;
mod protect;
pub mod protected;
mod proxy;
mod report;
mod rules;
mod sandbox;
#[cfg(any(target_os = "macos", test))]
mod seatbelt;
mod supervisor;
#[cfg(target_os = "linux")]
pub mod trace;

pub use self::confinement::Confinement;
pub use self::error::SandboxError;
pub use self::explain::Explanation;
pub use self::launcher::enter_if_asked;
pub use self::proxy::{HostPattern, NotAPattern};
pub use self::report::{Attempt, Reason, Refused, Report};
pub use self::sandbox::Sandbox;
