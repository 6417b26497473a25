//! What a system call does: the table of calls, and the paths and addresses behind their arguments.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::FileExt as _;
use std::path::{Component, Path, PathBuf};

use nix::errno::Errno;
#[cfg(target_arch = "x86_64")]
use nix::sys::ptrace;
use nix::unistd::Pid;
use rustix::fs::OFlags;
use rustix::net::AddressFamily;
use syscalls::Sysno;

use crate::Attempt;

/// The lines of the table: the name of a call, and what it does.
fn table() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = include_str!("calls.txt").lines();
    lines.filter_map(|line| line.split_once(' ').filter(|(name, _)| *name != "#"))
}

/// Returns the calls of the table, as far as this architecture has them.
pub(super) fn watched() -> impl Iterator<Item = Sysno> {
    table().filter_map(|(name, _)| name.parse().ok())
}

/// A system call of a stopped thread, before the call or after it.
pub(super) struct SystemCall {
    thread: Pid,
    number: u64,
    arguments: [u64; 6],
    /// The error with which it failed. It means nothing before the call.
    pub(super) error: Option<Errno>,
}

impl SystemCall {
    #[cfg(target_arch = "x86_64")]
    pub(super) fn of(thread: Pid) -> nix::Result<SystemCall> {
        let now = ptrace::getregs(thread)?;
        let error = i32::try_from(now.rax.wrapping_neg()).ok();
        Ok(SystemCall {
            thread,
            number: now.orig_rax,
            arguments: [now.rdi, now.rsi, now.rdx, now.r10, now.r8, now.r9],
            error: error
                .filter(|error| (1..4096).contains(error))
                .map(Errno::from_raw),
        })
    }

    #[cfg(not(target_arch = "x86_64"))]
    pub(super) fn of(_: Pid) -> nix::Result<SystemCall> {
        Err(Errno::ENOSYS)
    }

    /// Lets a call fail that the kernel has answered with a signal.
    pub(super) fn fail(&self, error: Errno) -> nix::Result<()> {
        #[cfg(target_arch = "x86_64")]
        {
            let mut now = ptrace::getregs(self.thread)?;
            now.rax = (error as u64).wrapping_neg();
            ptrace::setregs(self.thread, now)?;
        }
        Ok(())
    }

    /// Returns the name of the call, and what it is for where the name does not say it.
    pub(super) fn name(&self) -> String {
        let call = usize::try_from(self.number).ok().and_then(Sysno::new);
        let what = match (call, self.arguments[0], self.arguments[1] & 0xf) {
            (Some(Sysno::socket), 1, _) => " for Unix sockets",
            (Some(Sysno::socket), 2 | 10, 2) => " for UDP",
            (Some(Sysno::socket), 16, _) => " for netlink",
            _ => "",
        };
        call.map_or_else(|| self.number.to_string(), |call| format!("{call}{what}"))
    }

    /// Returns what the call does with what. There is nothing if the table does not have it, or if the program names what
    /// cannot be read.
    pub(super) fn attempts(&self) -> Vec<(Attempt, String)> {
        let name = self.name();
        let known = table().find(|(call, _)| *call == name);
        let deeds = known
            .into_iter()
            .flat_map(|(_, deeds)| deeds.split_ascii_whitespace());
        deeds.filter_map(|deed| self.attempt(deed)).collect()
    }

    fn attempt(&self, deed: &str) -> Option<(Attempt, String)> {
        let (what, place) = deed.split_once(':')?;
        let (folder, name) = place.split_once('/').unwrap_or(("", place));
        let attempt = match what {
            "write" => Attempt::Write,
            "run" => Attempt::Run,
            "connect" => return Some((Attempt::Connect, self.address(name)?)),
            "listen" => return Some((Attempt::Listen, self.address(name)?)),
            _ => {
                let flags = self.argument(name, 1)?;
                let flags = match what {
                    "open*" => self
                        .memory(flags)
                        .first_chunk()
                        .copied()
                        .map(u64::from_ne_bytes)?,
                    _ => flags,
                };
                let changes = OFlags::WRONLY | OFlags::RDWR | OFlags::CREATE | OFlags::TRUNC;
                let changes = OFlags::from_bits_retain(low(flags)).intersects(changes);
                if changes {
                    Attempt::Write
                } else {
                    Attempt::Read
                }
            }
        };
        let path = self.path(folder, name)?;
        Some((attempt, path.to_string_lossy().into_owned()))
    }

    fn argument(&self, number: &str, after: usize) -> Option<u64> {
        let number: usize = number.parse().ok()?;
        self.arguments.get(number + after).copied()
    }

    fn path(&self, folder: &str, name: &str) -> Option<PathBuf> {
        // A call without a path is about the open file itself.
        let bytes = self.argument(name, 0).map_or(vec![0], |at| self.memory(at));
        let end = bytes.iter().position(|byte| *byte == 0)?;
        let name = Path::new(OsStr::from_bytes(&bytes[..end]));
        // A negative number stands for the current folder.
        let open = self.argument(folder, 0).map(|open| low(open).cast_signed());
        let folder = match open {
            Some(open) if open >= 0 => format!("fd/{open}"),
            _ => "cwd".to_owned(),
        };
        let folder = if name.is_absolute() {
            PathBuf::new()
        } else {
            fs::read_link(format!("/proc/{}/{folder}", self.thread)).ok()?
        };
        let mut plain = PathBuf::new();
        for part in folder.join(name).components() {
            match part {
                Component::ParentDir => drop(plain.pop()),
                part => plain.push(part),
            }
        }
        Some(plain)
    }

    /// Returns the socket address in an argument: a host with its port, or a path.
    fn address(&self, number: &str) -> Option<String> {
        let mut bytes = self.memory(self.argument(number, 0)?);
        bytes.truncate(self.argument(number, 1)?.try_into().ok()?);
        let (family, rest) = bytes.split_first_chunk()?;
        let family = AddressFamily::from_raw(u16::from_ne_bytes(*family));
        if family == AddressFamily::UNIX {
            let name = String::from_utf8_lossy(rest);
            return Some(match name.strip_prefix('\0') {
                Some(name) => format!("@{name}"),
                None => name.split('\0').next()?.to_owned(),
            });
        }
        let (port, rest) = rest.split_first_chunk()?;
        let host = match family {
            AddressFamily::INET => Ipv4Addr::from(*rest.first_chunk()?).into(),
            // Four bytes come before it: the flow.
            AddressFamily::INET6 => Ipv6Addr::from(*rest.get(4..)?.first_chunk::<16>()?).into(),
            _ => return None,
        };
        Some(SocketAddr::new(host, u16::from_be_bytes(*port)).to_string())
    }

    /// Returns up to 4096 bytes of the thread's memory: fewer where it ends, and none where there is nothing.
    fn memory(&self, address: u64) -> Vec<u8> {
        let mut bytes = vec![0; 4096];
        let memory = File::open(format!("/proc/{}/mem", self.thread));
        let read = memory.and_then(|memory| memory.read_at(&mut bytes, address));
        bytes.truncate(read.unwrap_or(0));
        bytes
    }
}

/// Returns the half that the kernel reads of an `int`.
fn low(argument: u64) -> u32 {
    (argument & 0xffff_ffff) as u32
}
