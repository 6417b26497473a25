//! What one request and one connection may cost the daemon.

use std::num::{NonZeroU32, NonZeroUsize};
use std::time::Duration;

/// The length of the longest body of a request over the network, in bytes.
pub const BODY: usize = 1 << 20;

/// The length of the longest set of hooks that is sent as a whole, in bytes: each hook costs much more than its text.
pub const SET: usize = 512 << 10;

/// The length of the longest body over the socket, in bytes. A program with more does the work itself.
pub const SOCKET_BODY: usize = 16 << 20;

/// The length of the longest head of a request, in bytes.
pub const HEAD: usize = 64 << 10;

/// How long a client may take for the head of a request, and may be idle before it.
pub const HEAD_TIME: Duration = Duration::from_mins(1);

/// How long a client may take for the body of a request.
pub const BODY_TIME: Duration = Duration::from_secs(10);

/// How long a client may take nothing of what it is sent.
pub const WRITE_TIME: Duration = Duration::from_secs(30);

/// How long a client of `/ws` may take for its `connect`.
pub const CONNECT_TIME: Duration = Duration::from_secs(10);

/// The length of the longest event that is read of a stranger, in bytes: enough to refuse it in the words of its event.
pub const STRANGER: usize = 64 << 10;

/// How many requests to the API, and over `/ws`, a token may send in a second: the default of
/// [`ServerBuilder::rate`](crate::ServerBuilder::rate).
pub const RATE: NonZeroU32 = NonZeroU32::new(200).unwrap();

/// How many seconds' requests a token may send at once.
pub const BURST: NonZeroU32 = NonZeroU32::new(2).unwrap();

/// How many connections of one token stay open at once: streams, live pages and WebSockets. A bundle that an agent waits for
/// counts for nothing.
pub const STAYING: usize = 32;

/// How many callers are remembered for when the store is away.
pub const REMEMBERED: NonZeroUsize = NonZeroUsize::new(65_536).unwrap();

/// How many connections are open at once, with those of [`SPARE`]. A further one waits until another is closed.
pub const CONNECTIONS: usize = 16 << 10;

/// How many of them are kept free: when all others are open, only agents and questions for the health are answered on
/// these, once each.
pub const SPARE: usize = 1 << 10;

/// How long a client may take for the head of its request where [`SPARE`] is all that is left.
pub const SPARE_HEAD: Duration = Duration::from_secs(2);

/// How many connections one address has open at once, where IPv6 counts the first 64 bits: a further one is closed. Addresses of
/// this machine have no such limit. Behind a [trusted proxy](crate::ServerBuilder::trusted_proxies), the requests of an address
/// are counted that are answered at once, and a further one is refused.
pub const OF_ADDRESS: usize = 1 << 10;

/// How many clients with one token wait for a bundle at once: a quarter of all connections.
pub const WAITING: usize = 4 << 10;

/// How long a client may take for the head of its request when the daemon ends.
pub const LAST_HEAD: Duration = Duration::from_secs(1);

/// How long requests have to end after the first signal, and after the time in which proxies learn of it.
pub const GRACE: Duration = Duration::from_secs(30);

/// How long the hooks of all tenants together have to end after that, and then the store to take what they did.
pub const LAST_WORK: Duration = Duration::from_secs(15);
