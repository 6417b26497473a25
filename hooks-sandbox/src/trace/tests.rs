//! Programs that do what is hard to trace.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::call::watched as calls;
use super::{Seen, Traced};
use crate::Attempt::{self, Connect, Listen, Read, Run, Write};

/// Runs a script of a shell in a folder.
fn sh(folder: &Path, script: &str) -> io::Result<(ExitStatus, Vec<Seen>)> {
    run(folder, "sh", script)
}

/// Runs a script of Python in a folder, with `call(number, …)` for system calls.
fn python(folder: &Path, script: &str) -> io::Result<(ExitStatus, Vec<Seen>)> {
    let head = "import ctypes, os, socket, subprocess, threading\ncall = ctypes.CDLL(None, use_errno=True).syscall\n";
    run(folder, "/usr/bin/env", &format!("{head}{script}"))
}

fn run(folder: &Path, program: &str, script: &str) -> io::Result<(ExitStatus, Vec<Seen>)> {
    let mut traced = Traced::new(program);
    if program != "sh" {
        traced.command().arg("python3");
    }
    traced.command().args(["-c", script]).current_dir(folder);
    traced.run()
}

fn temporary() -> (TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    (folder, path)
}

/// What was tried with a name in a folder, and whether it worked.
fn of(seen: &[Seen], folder: &Path, name: &str) -> Vec<(Attempt, Option<i32>)> {
    let target = folder.join(name);
    let seen = seen.iter().filter(|seen| Path::new(&seen.target) == target);
    seen.map(|seen| (seen.attempt, seen.error)).collect()
}

#[test]
fn each_line_of_the_table_has_its_form_and_its_place() {
    let lines = include_str!("calls.txt").lines();
    let lines: Vec<_> = lines.filter(|line| !line.starts_with('#')).collect();
    assert!(lines.is_sorted());
    assert_eq!(
        calls().count(),
        lines.len(),
        "each is a call of this architecture"
    );
    for line in lines {
        for deed in line.split_ascii_whitespace().skip(1) {
            let (what, place) = deed.split_once(':').unwrap();
            assert!(
                ["write", "run", "open", "open*", "connect", "listen"].contains(&what),
                "{line}"
            );
            let is_argument = |text: &str| text.is_empty() || matches!(text.parse(), Ok(0..=3));
            assert!(place.split('/').all(is_argument), "{line}");
        }
    }
}

#[test]
fn what_a_program_and_its_children_do_is_seen_in_order() {
    let (_kept, folder) = temporary();
    let (ended, seen) = sh(&folder, "echo a > one; (mkdir sub; cd sub; cat ../one; mv ../one ./two; ln -s x link; cat none); exit 7").unwrap();
    assert_eq!(ended.code(), Some(7));
    assert_eq!(
        of(&seen, &folder, "one"),
        [(Write, None), (Read, None), (Write, None)]
    );
    assert_eq!(of(&seen, &folder, "sub"), [(Write, None)]);
    assert_eq!(of(&seen, &folder, "sub/two"), [(Write, None)]);
    assert_eq!(of(&seen, &folder, "sub/link"), [(Write, None)]);
    assert_eq!(of(&seen, &folder, "sub/none"), [(Read, Some(2))]);
    let ran = |name: &str| {
        seen.iter()
            .any(|seen| seen.attempt == Run && seen.error.is_none() && seen.target.ends_with(name))
    };
    assert!(ran("/sh") && ran("/mkdir") && ran("/cat"));
}

#[test]
fn each_form_of_a_call_is_seen() {
    let (_kept, folder) = temporary();
    let script = r"
open('a', 'w').close()
at = os.open('.', os.O_RDONLY)
os.mkdir('d', dir_fd=at)
os.rename('a', 'b', src_dir_fd=at, dst_dir_fd=at)
os.chmod(os.open('b', os.O_RDONLY), 0o600)
how = (ctypes.c_uint64 * 3)(os.O_WRONLY, 0, 0)
assert call(437, at, b'b', how, 24) > 0
assert call(2, b'c', os.O_RDWR | os.O_CREAT, 0o600) > 0
os.truncate('c', 0)
os.utime('c')
os.rmdir('d')
os.unlink('c')
tcp = socket.create_server(('127.0.0.1', 0)); port = tcp.getsockname()[1]
socket.create_connection(('127.0.0.1', port))
six = socket.socket(socket.AF_INET6)
try: six.connect(('::1', 9))
except OSError: pass
unix = socket.socket(socket.AF_UNIX); unix.bind('s')
abstract = socket.socket(socket.AF_UNIX); abstract.bind('\0abstract')
open('port', 'w').write(str(port))
";
    let (ended, seen) = python(&folder, script).unwrap();
    assert!(ended.success());
    assert_eq!(of(&seen, &folder, "d"), [(Write, None); 2]);
    assert_eq!(of(&seen, &folder, "a"), [(Write, None); 2]);
    assert_eq!(
        of(&seen, &folder, "b"),
        [(Write, None), (Read, None), (Write, None), (Write, None)]
    );
    assert_eq!(of(&seen, &folder, "c"), [(Write, None); 4]);
    let port = std::fs::read_to_string(folder.join("port")).unwrap();
    for (attempt, target) in [
        (Listen, "127.0.0.1:0"),
        (Connect, &format!("127.0.0.1:{port}")),
        (Connect, "[::1]:9"),
        (Listen, "s"),
        (Listen, "@abstract"),
    ] {
        assert!(
            seen.iter()
                .any(|seen| seen.attempt == attempt && seen.target == target),
            "{target}"
        );
    }
}

#[test]
fn signals_arrive_and_end_what_they_end() {
    let (_kept, folder) = temporary();
    let (ended, _) = sh(
        &folder,
        "trap 'echo got > got' USR1; kill -USR1 $$; kill -KILL $$",
    )
    .unwrap();
    assert_eq!(ended.signal(), Some(9));
    assert!(folder.join("got").exists());
}

#[test]
fn a_halted_process_stands_still_until_it_may_go_on() {
    let (_kept, folder) = temporary();
    let script = r"
sh -c 'kill -STOP $$; echo on > on' & child=$!
until grep -q '^State:.[Tt]' /proc/$child/status; do :; done
sleep 0.1
test -e on && exit 1
kill -CONT $child
wait $child && test -e on";
    let (ended, _) = sh(&folder, script).unwrap();
    assert_eq!(ended.code(), Some(0));
}

#[test]
fn all_threads_of_a_halted_process_go_on() {
    let (_kept, folder) = temporary();
    let script = r"
child = subprocess.Popen(['python3', '-c', '''
import threading, os, signal, time
def work(name):
    time.sleep(0.3)
    open(name, 'w').close()
all = [threading.Thread(target=work, args=(str(name),)) for name in range(8)]
for one in all: one.start()
os.kill(os.getpid(), signal.SIGSTOP)
for one in all: one.join()
'''])
os.waitpid(child.pid, os.WUNTRACED)
os.kill(child.pid, 18)
assert child.wait(60) == 0";
    let (ended, _) = python(&folder, script).unwrap();
    assert_eq!(ended.code(), Some(0));
    assert!((0..8).all(|name| folder.join(name.to_string()).exists()));
}

#[test]
fn a_thread_may_become_another_program() {
    let (_kept, folder) = temporary();
    let script = r"
threading.Thread(target=lambda: threading.Event().wait(), daemon=True).start()
become = lambda: os.execvp('sh', ['sh', '-c', 'echo a > became; exit 3'])
threading.Thread(target=become).start()
threading.Event().wait()";
    let (ended, seen) = python(&folder, script).unwrap();
    assert_eq!(ended.code(), Some(3));
    assert_eq!(of(&seen, &folder, "became"), [(Write, None)]);
    assert!(
        seen.iter().any(|seen| seen.attempt == Run
            && seen.target.ends_with("/sh")
            && seen.error.is_none())
    );
}

#[test]
fn a_process_may_start_another_one_in_its_own_memory() {
    let (_kept, folder) = temporary();
    // `posix_spawn` borrows the memory until the child is another program (vfork).
    let script = "os.waitpid(os.posix_spawnp('touch', ['touch', 'a'], os.environ), 0)";
    let (ended, seen) = python(&folder, script).unwrap();
    assert!(ended.success());
    assert_eq!(of(&seen, &folder, "a"), [(Write, None)]);
}

#[test]
fn what_outlives_the_program_is_ended() {
    let (_kept, folder) = temporary();
    let (ended, _) = sh(&folder, "setsid sh -c 'echo $$ > pid.new; mv pid.new pid; sleep 1000' & until test -e pid; do :; done").unwrap();
    assert!(ended.success());
    let pid = std::fs::read_to_string(folder.join("pid")).unwrap();
    let status = format!("/proc/{}/status", pid.trim());
    let is_dead =
        || std::fs::read_to_string(&status).map_or(true, |status| status.contains("State:\tZ"));
    let begun = Instant::now();
    while !is_dead() {
        assert!(
            begun.elapsed() < Duration::from_mins(1),
            "the process lives on"
        );
        std::thread::yield_now();
    }
}

#[test]
fn a_program_that_uses_real_time_signals_says_so() {
    let (_kept, folder) = temporary();
    let error = sh(&folder, "kill -40 $$; echo late > late").unwrap_err();
    assert!(error.to_string().contains("number 40"), "{error}");
    assert!(!folder.join("late").exists());
}

#[test]
fn a_program_that_misbehaves_harms_only_itself() {
    let (_kept, folder) = temporary();
    let script = r"
import mmap
page = mmap.mmap(-1, 2 * mmap.PAGESIZE)
start = ctypes.addressof(ctypes.c_char.from_buffer(page))
end = start + 2 * mmap.PAGESIZE
libc = ctypes.CDLL(None)
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
libc.munmap(start + mmap.PAGESIZE, mmap.PAGESIZE)
edge = ctypes.c_void_p(start + mmap.PAGESIZE - 3)
ctypes.memset(edge, 1, 3)
nothing = [ctypes.c_void_p(0), ctypes.c_void_p(1), ctypes.c_void_p(2**64 - 1), edge]
for number in [2, 21, 42, 49, 59, 76, 82, 83, 85, 86, 87, 88, 90, 92, 132, 188]:
    for at in nothing: call(number, at, at, at)
for number in [257, 258, 263, 264, 265, 266, 268, 280, 316, 322, 437]:
    for at in nothing: call(number, -100, at, at, at, 0); call(number, 999, at, at, at, 0); call(number, 2**31, b'x', at, at, 0)
for length in [0, 1, 2, 3, 8, 2**63]:
    call(42, 0, edge, length); call(49, 0, edge, length); call(42, 0, b'\2\0\0', length); call(42, 0, b'\n\0\0\0\0', length)
call(10**6); call(-1); call(2**31)
call(257, -100, b'x' * 5000, 0); call(257, -100, b'\xff\n', 0)
open('done', 'w').close()";
    let (ended, seen) = python(&folder, script).unwrap();
    assert!(ended.success(), "{ended}");
    assert_eq!(of(&seen, &folder, "done"), [(Write, None)]);
}

#[test]
fn many_processes_at_once_are_followed() {
    let (_kept, folder) = temporary();
    let script = "for a in $(seq 50); do (for b in 1 2 3; do echo > $a.$b; done) & done; wait";
    let (ended, seen) = sh(&folder, script).unwrap();
    assert!(ended.success());
    let written = seen.iter().filter(|seen| {
        seen.attempt == Write
            && seen.target.starts_with(folder.to_str().unwrap())
            && seen.error.is_none()
    });
    assert_eq!(written.count(), 150);
}
