//! Reads the lines of a pipe, up to a maximum length.

use tokio::io::{AsyncRead, AsyncReadExt};

/// A line, or what is known about a line that is too long.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ProcessLine {
    Whole(Vec<u8>),
    /// Its `id`, if the object has one at its top level.
    TooLong(Option<u64>),
}

/// Reads lines.
pub(super) struct Lines<R> {
    pipe: R,
    most: usize,
    buffer: Vec<u8>,
    /// The part of the line that is read so far; nothing if the line is too long.
    line: Vec<u8>,
    long: Option<Scan>,
    read: std::ops::Range<usize>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(pipe: R, most: usize) -> Self {
        Lines {
            pipe,
            most,
            buffer: vec![0; 16 * 1024],
            line: Vec::new(),
            long: None,
            read: 0..0,
        }
    }

    /// Reads the next line, without its end. Returns `None` at the end of the pipe.
    ///
    /// You can drop the future and call this again, without losing a line.
    pub(super) async fn next(&mut self) -> Option<ProcessLine> {
        loop {
            let unread = &self.buffer[self.read.clone()];
            let end = unread.iter().position(|byte| *byte == b'\n');
            let part = &unread[..end.unwrap_or(unread.len())];
            match &mut self.long {
                Some(scan) => scan.feed(part),
                None if self.line.len() + part.len() > self.most => {
                    let mut scan = Scan::default();
                    scan.feed(&self.line);
                    scan.feed(part);
                    self.line = Vec::new();
                    self.long = Some(scan);
                }
                None => self.line.extend_from_slice(part),
            }
            if let Some(end) = end {
                self.read.start += end + 1;
                return Some(self.take());
            }
            self.read = 0..0;
            match self.pipe.read(&mut self.buffer).await {
                Ok(bytes @ 1..) => self.read = 0..bytes,
                _ if self.line.is_empty() && self.long.is_none() => return None,
                _ => return Some(self.take()),
            }
        }
    }

    fn take(&mut self) -> ProcessLine {
        match self.long.take() {
            Some(scan) => ProcessLine::TooLong(scan.id),
            None => ProcessLine::Whole(std::mem::take(&mut self.line)),
        }
    }
}

/// Finds `"id": 7` at the top level of an object, at any position, and keeps nothing else.
#[derive(Default)]
struct Scan {
    depth: usize,
    is_text: bool,
    is_escaped: bool,
    /// The last string at the top level, cut.
    text: Vec<u8>,
    /// The digits after `"id":`.
    digits: Option<String>,
    id: Option<u64>,
}

impl Scan {
    fn feed(&mut self, bytes: &[u8]) {
        const LONGEST: usize = 3;
        for byte in bytes {
            if self.is_text {
                match byte {
                    _ if self.is_escaped => self.is_escaped = false,
                    b'\\' => self.is_escaped = true,
                    b'"' => self.is_text = false,
                    _ => {}
                }
                if self.is_text && self.depth == 1 && self.text.len() < LONGEST {
                    self.text.push(*byte);
                }
                continue;
            }
            match byte {
                b'"' => {
                    self.is_text = true;
                    self.text.clear();
                }
                b'{' | b'[' => self.depth += 1,
                b':' if self.depth == 1 && self.text == b"id" => {
                    self.digits = Some(String::new());
                }
                b'0'..=b'9' => {
                    if let Some(digits) = &mut self.digits
                        && digits.len() < 20
                    {
                        digits.push(char::from(*byte));
                    }
                    continue;
                }
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                b' ' | b'\t' => continue,
                _ => {}
            }
            if *byte != b':'
                && let Some(digits) = self.digits.take()
            {
                self.id = digits.parse().ok();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_come_one_by_one_and_a_long_one_leaves_its_id() {
        let long = "x".repeat(100_000);
        let text = format!(
            "{{\"id\":1}}\n\n{{\"jsonrpc\":\"2.0\",\"id\": 12 ,\"result\":\"{long}\"}}\n\
             {{\"result\":{{\"id\":5,\"text\":\"\\\"id\\\":6,{long}\"}},\"id\":7}}\nlast"
        );
        let mut lines = Lines::new(text.as_bytes(), 1000);
        let whole = |text: &str| Some(ProcessLine::Whole(text.as_bytes().to_vec()));
        assert_eq!(lines.next().await, whole("{\"id\":1}"));
        assert_eq!(lines.next().await, whole(""));
        assert_eq!(lines.next().await, Some(ProcessLine::TooLong(Some(12))));
        assert_eq!(lines.next().await, Some(ProcessLine::TooLong(Some(7))));
        assert_eq!(lines.next().await, whole("last"));
        assert_eq!(lines.next().await, None);
    }
}
