//! The daemon of hooks: one process that stays, and judges the events of many agents.
//!
//! A process for each event loads its file each time and forgets everything: rate limits, caches, budgets, how often a
//! hook has failed. A daemon keeps all of it. Agents reach it through **doors**, and all doors lead to the same dispatch:
//!
//! | door | for |
//! | --- | --- |
//! | a Unix socket | `hooks run`, which asks there, and otherwise does the work itself, with the same answer |
//! | `POST /hooks/claude` | Claude Code's handler type `http` |
//! | `POST /hooks/NAME` | the events of any other agent that [`hooks_runtime::bridge`] knows; `?event=` names the event if the input does not |
//! | `/api/v1` | people and nodes, on a [store](ServerBuilder::store); [`openapi`] documents it |
//! | `/ws` | clients of GoClaw |
//! | `/healthz`, `/readyz`, `/metrics` | monitoring |
//!
//! ```
//! use hooks_runtime::Runtime;
//! use hooks_runtime::bridge::LeftToAgent;
//! use hooks_server::{Server, Shutdown};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let hooks = Runtime::builder()
//!     .text("[[hooks.on]]\nevent = 'BeforeToolCall'\ntools = ['Bash']\nblock = 'no shell here'")
//!     .approver(LeftToAgent)
//!     .build()
//!     .await?;
//! let server = Server::builder().hooks(hooks).listen("127.0.0.1:0".parse()?).bind().await?;
//! println!("listening on {:?}", server.address());
//! let shutdown = Shutdown::new();
//! # shutdown.soft();
//! server.run(&shutdown).await;
//! # Ok(())
//! # }
//! ```
//!
//! # What a door never does
//!
//! - It lets nothing pass that it cannot judge: an event that it cannot read is refused, in the agent's own words.
//! - It answers no stranger. The socket is for the user who started the daemon; an address is for this machine, or with a
//!   store for callers with a token, and the tenant is the token's.
//! - It does not wait for slow clients: a request has [limits] of size and time.

#![forbid(unsafe_code)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod api;
mod connections;
mod console;
mod door;
mod edge;
mod goclaw;
mod health;
mod lanes;
pub mod limits;
mod metrics;
mod page;
mod peer;
mod program;
mod server;
mod shared;
mod shutdown;
mod socket;
mod websocket;

pub use self::api::openapi;
pub use self::program::{Answer, Declined, Program};
pub use self::server::{Ended, Server, ServerBuilder, ServerError};
pub use self::shutdown::Shutdown;
