//! What the queue promises, with a disk in memory.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::{Progress, QueueLimits, Sink, SinkQueue};

/// Accepts three bytes at a time, and fails while the test says so.
#[derive(Clone, Default)]
struct Disk(Arc<Mutex<(Vec<u8>, bool)>>);

impl Disk {
    fn start(&self, limits: QueueLimits) -> SinkQueue {
        SinkQueue::start(self.clone(), limits).unwrap()
    }

    fn fails(&self, fails: bool) {
        self.0.lock().unwrap().1 = fails;
    }

    fn lines(&self) -> Vec<String> {
        let text = String::from_utf8(self.0.lock().unwrap().0.clone()).unwrap();
        text.lines().map(str::to_owned).collect()
    }
}

impl Sink for Disk {
    const NAME: &'static str = "disk";

    async fn write(&mut self, lines: &[u8]) -> Progress {
        let (written, fails) = &mut *self.0.lock().unwrap();
        if *fails {
            return Progress::Again(Duration::from_hours(1), io::ErrorKind::StorageFull.into());
        }
        if lines.starts_with(b"\"refused\"") {
            return Progress::GivenUp(b"\"refused\"\n".len(), "no".into());
        }
        let bytes = &lines[..lines.len().min(3)];
        written.extend_from_slice(bytes);
        Progress::Taken(bytes.len())
    }

    fn gap(&self, dropped: u64) -> Option<String> {
        Some(format!("{dropped} dropped\n"))
    }
}

/// A queue that waits for room, and for nothing else.
fn limits(bytes: usize) -> QueueLimits {
    QueueLimits {
        bytes,
        wait_for_room: Duration::from_secs(1),
        linger: Duration::from_millis(5),
        ..QueueLimits::default()
    }
}

fn send(queue: &SinkQueue, line: &str) {
    queue.send(|out| serde_json::to_writer(out, line));
}

#[test]
fn what_fails_is_kept_and_written_when_it_works_again() {
    let disk = Disk::default();
    let queue = disk.start(limits(1 << 20));
    send(&queue, "first");
    queue.flush().unwrap();
    disk.fails(true);
    send(&queue, "second");
    let error = queue.flush().unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    assert_eq!(
        queue.last_error().unwrap().kind(),
        io::ErrorKind::StorageFull
    );
    send(&queue, "third");
    disk.fails(false);
    queue.flush().unwrap();
    assert!(queue.last_error().is_none());
    assert_eq!(disk.lines(), [r#""first""#, r#""second""#, r#""third""#]);
    assert_eq!(
        (queue.accepted(), queue.delivered(), queue.dropped()),
        (3, 3, 0)
    );
}

#[test]
fn the_sink_is_told_how_many_lines_are_missing_where_it_goes_on() {
    let disk = Disk::default();
    // There is room for two lines.
    let queue = disk.start(limits(10));
    disk.fails(true);
    send(&queue, "taken");
    queue.flush().unwrap_err();
    for line in ["waits", "lost", "lost"] {
        send(&queue, line);
    }
    assert_eq!(queue.dropped(), 2);
    disk.fails(false);
    queue.flush().unwrap();
    send(&queue, "later");
    queue.shutdown().unwrap();
    assert_eq!(
        disk.lines(),
        [r#""taken""#, r#""waits""#, "2 dropped", r#""later""#]
    );
}

#[test]
fn a_queue_that_is_full_is_delivered_at_once() {
    let disk = Disk::default();
    let queue = disk.start(QueueLimits {
        linger: Duration::from_hours(1),
        ..limits(1)
    });
    for line in ["one", "two", "three"] {
        send(&queue, line);
    }
    assert_eq!(queue.dropped(), 0);
    queue.shutdown().unwrap();
    assert_eq!(disk.lines(), [r#""one""#, r#""two""#, r#""three""#]);
}

#[test]
fn a_queue_of_so_many_lines_drops_those_beyond() {
    let disk = Disk::default();
    disk.fails(true);
    let queue = disk.start(QueueLimits {
        lines: 2,
        wait_for_room: Duration::ZERO,
        ..limits(1 << 20)
    });
    // From here on, the thread waits with one that it has taken.
    send(&queue, "taken");
    queue.flush().unwrap_err();
    for line in ["one", "two", "three"] {
        send(&queue, line);
    }
    assert_eq!((queue.accepted(), queue.dropped()), (4, 1));
}

#[test]
fn after_a_shutdown_no_line_is_taken_and_each_is_counted() {
    let disk = Disk::default();
    let queue = disk.start(QueueLimits {
        linger: Duration::from_hours(1),
        ..limits(1 << 20)
    });
    send(&queue, "in time");
    queue.shutdown().unwrap();
    assert_eq!(disk.lines(), [r#""in time""#]);
    send(&queue, "too late");
    assert_eq!(queue.dropped(), 1);
    queue.shutdown().unwrap();
    queue.flush().unwrap();
    assert_eq!(disk.lines(), [r#""in time""#]);
}

#[test]
fn a_shutdown_on_a_disk_that_fails_says_so_and_counts_what_is_lost() {
    let disk = Disk::default();
    let queue = disk.start(QueueLimits {
        linger: Duration::from_hours(1),
        ..limits(1 << 20)
    });
    disk.fails(true);
    send(&queue, "one");
    send(&queue, "two");
    let error = queue.shutdown().unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    assert_eq!(queue.dropped(), 2);
}

#[test]
fn a_line_that_cannot_be_serialized_or_that_is_refused_breaks_no_other() {
    let disk = Disk::default();
    let queue = disk.start(limits(1 << 20));
    send(&queue, "one");
    queue.send(|out| {
        out.extend_from_slice(b"half");
        Err(serde::ser::Error::custom("no"))
    });
    send(&queue, "refused");
    send(&queue, "two");
    queue.shutdown().unwrap();
    assert_eq!(disk.lines(), [r#""one""#, r#""two""#, "1 dropped"]);
    assert_eq!((queue.delivered(), queue.dropped()), (2, 2));
}
