//! What the agent tells the person who runs it: a story, or JSON lines.
//!
//! The story goes to standard output, in colour on a terminal. With `--json` standard output holds one
//! JSON object a call and nothing else, and what is left of the story goes to standard error: the plan,
//! the malformed lines, the summary.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use hooks_core::Cancel;
use hooks_core::plan::Plan;
use serde_json::Value;
use yansi::{Color, Condition, Paint, Style};

use super::journal::{self, Did, Entry};
use super::outcome::{CallReport, JsonCall, Verdict};

const TITLE: Style = Style::new().bold();
const DIM: Style = Style::new().dim();
const GOOD: Style = Color::Green.foreground();
const CHANGED: Style = Color::Yellow.foreground();
const BAD: Style = Color::Red.foreground();
const ANSWERED: Style = Color::Cyan.foreground();

/// Where the report goes, and what the summary needs.
pub(crate) struct Report {
    story: Box<dyn Write + Send>,
    /// Where JSON lines go, if they are wanted.
    json: Option<Box<dyn Write + Send>>,
    /// The script's line that the model has answered with; `None` if a hook answered in its place.
    line: Option<usize>,
    /// What the model has said, and its line, until it is known whether that is the agent's message.
    said: Option<(Option<usize>, String)>,
    turns: u32,
    verdicts: Vec<&'static str>,
    in_hooks: Vec<Duration>,
    malformed: usize,
    skipped: usize,
}

impl Report {
    pub(crate) fn new(json: bool) -> Self {
        let terminal = if json {
            io::stderr().is_terminal()
        } else {
            io::stdout().is_terminal()
        };
        yansi::whenever(Condition::cached(
            terminal && Condition::clicolor() && Condition::no_color(),
        ));
        if json {
            Report::to(Box::new(io::stderr()), Some(Box::new(io::stdout())))
        } else {
            Report::to(Box::new(io::stdout()), None)
        }
    }

    pub(crate) fn to(story: Box<dyn Write + Send>, json: Option<Box<dyn Write + Send>>) -> Self {
        Report {
            story,
            json,
            line: None,
            said: None,
            turns: 0,
            verdicts: Vec::new(),
            in_hooks: Vec::new(),
            malformed: 0,
            skipped: 0,
        }
    }

    pub(crate) fn plan(&mut self, plan: &Plan) -> io::Result<()> {
        write!(self.story, "{plan}")
    }

    /// A turn begins.
    pub(crate) fn turn(&mut self, message: &str) -> io::Result<()> {
        self.turns += 1;
        self.said = None;
        if self.json.is_some() {
            return Ok(());
        }
        writeln!(
            self.story,
            "\n{}\nuser: {}",
            format_args!("turn {}", self.turns).paint(TITLE),
            tame(message)
        )
    }

    /// The model is asked: what it has said before was not its last word.
    pub(crate) fn asked(&mut self) -> io::Result<()> {
        if let Some((line, text)) = self.said.take() {
            self.says(line, &text)?;
        }
        self.decisions(&journal::take())
    }

    /// The model has answered, and perhaps calls a tool.
    pub(crate) fn answered(
        &mut self,
        line: Option<usize>,
        text: &str,
        calls: bool,
    ) -> io::Result<()> {
        self.line = line;
        if calls {
            return self.says(line, text);
        }
        self.said = Some((line, text.into()));
        Ok(())
    }

    fn says(&mut self, line: Option<usize>, text: &str) -> io::Result<()> {
        if self.json.is_some() || text.is_empty() {
            return Ok(());
        }
        writeln!(self.story, "\n{}model: {}", at(line), tame(text))
    }

    /// The agent's message to the user.
    pub(crate) fn message(&mut self, content: &str) -> io::Result<()> {
        self.decisions(&journal::take())?;
        if self.json.is_some() {
            return Ok(());
        }
        writeln!(self.story, "\nagent: {}", tame(content))
    }

    /// What hooks have stopped, other than a call.
    pub(crate) fn stopped(&mut self, what: &str, cancel: &Cancel) -> io::Result<()> {
        self.decisions(&journal::take())?;
        writeln!(
            self.story,
            "\n{}",
            format_args!("{what}: {cancel}").paint(BAD)
        )
    }

    /// What hooks decided.
    pub(crate) fn decisions(&mut self, journal: &[Entry]) -> io::Result<()> {
        if self.json.is_some() {
            return Ok(());
        }
        for Entry {
            event,
            hook,
            did,
            detail,
        } in journal
        {
            let style = match did {
                Did::Continue | Did::Note => DIM,
                Did::Modify => CHANGED,
                Did::Respond => ANSWERED,
                Did::Block | Did::AbortTurn | Did::AbortRun => BAD,
            };
            write!(self.story, "    {:<17} {hook:<13} ", event.paint(DIM))?;
            if detail.is_empty() {
                writeln!(self.story, "{}", did.paint(style))?;
            } else {
                writeln!(self.story, "{:<10} {}", did.paint(style), tame(detail))?;
            }
        }
        Ok(())
    }

    /// A call has come to its end.
    pub(crate) fn call(&mut self, call: &CallReport<'_>) -> io::Result<()> {
        self.verdicts.push(call.verdict.word());
        self.in_hooks.push(call.in_hooks);
        let line = self.line.take();
        if let Some(json) = &mut self.json {
            serde_json::to_writer(&mut *json, &JsonCall::of(call))?;
            writeln!(json)?;
            return json.flush();
        }

        let ((tool, args), (ran, ran_args)) = (call.wish, call.ran);
        writeln!(
            self.story,
            "\n{}{} {}",
            at(line),
            tame(tool).paint(TITLE),
            short(args)
        )?;
        self.decisions(call.journal)?;
        let (word, style) = (call.verdict.word(), style_of(call.verdict));
        write!(self.story, "  {}", word.paint(style))?;
        if let Verdict::Cancelled(cancel) = call.verdict {
            return writeln!(self.story, "  {}", tame(&cancel.to_string()));
        }
        if call.wish != call.ran {
            write!(
                self.story,
                "  {}",
                format_args!("as {ran} {}", short(ran_args)).paint(CHANGED)
            )?;
        }
        writeln!(self.story)?;
        let style = if call.output.is_error {
            BAD
        } else {
            Style::new()
        };
        for line in call.output.content.lines() {
            writeln!(self.story, "  | {}", tame(line).paint(style))?;
        }
        Ok(())
    }

    /// A line of the script that cannot be read.
    pub(crate) fn malformed(&mut self, number: usize, wrong: &str) -> io::Result<()> {
        self.malformed += 1;
        if self.json.is_none() {
            writeln!(self.story)?;
        }
        writeln!(
            self.story,
            "{}",
            format_args!("line {number}: {}", tame(wrong)).paint(BAD)
        )
    }

    /// A line of the script that an abort left out.
    pub(crate) fn skipped(&mut self) {
        self.skipped += 1;
    }

    /// What came of it all, and what the hooks cost.
    ///
    /// # Errors
    ///
    /// It cannot be written; or the script had lines, and none of them could be read.
    pub(crate) fn summary(mut self, events: &[(&str, usize)]) -> io::Result<()> {
        let Report {
            story,
            verdicts,
            in_hooks,
            malformed,
            skipped,
            turns,
            ..
        } = &mut self;
        writeln!(story, "\n{}", "summary".paint(TITLE))?;
        write!(story, "  calls         {}", verdicts.len())?;
        for (word, style) in [
            ("continue", GOOD),
            ("respond", ANSWERED),
            ("block", BAD),
            ("abort", BAD),
        ] {
            let count = verdicts.iter().filter(|verdict| **verdict == word).count();
            write!(story, "  {}", format_args!("{word} {count}").paint(style))?;
        }
        writeln!(story)?;
        writeln!(
            story,
            "  script        {malformed} malformed, {skipped} skipped after an abort"
        )?;
        if let Some((mean, median)) = mean_and_median(in_hooks) {
            writeln!(
                story,
                "  time in hooks mean {:.1} µs, median {:.1} µs a call{}",
                mean.as_secs_f64() * 1e6,
                median.as_secs_f64() * 1e6,
                if cfg!(debug_assertions) {
                    " (unoptimised: try --release)"
                } else {
                    ""
                }
            )?;
        }
        let total: usize = events.iter().map(|(_, count)| count).sum();
        writeln!(story, "  events        {total}")?;
        for (event, count) in events {
            writeln!(
                story,
                "    {}",
                format_args!("{event:<18} {count:>4}").paint(DIM)
            )?;
        }
        story.flush()?;
        if *malformed > 0 && *turns == 0 {
            return Err(io::Error::other("no line of the script can be read"));
        }
        Ok(())
    }
}

/// The place in the script, if there is one.
fn at(line: Option<usize>) -> impl Display {
    std::fmt::from_fn(move |f| match line {
        Some(number) => write!(f, "{} ", format_args!("line {number}").paint(DIM)),
        None => Ok(()),
    })
}

fn style_of(verdict: &Verdict) -> Style {
    match verdict {
        Verdict::Continue => GOOD,
        Verdict::Respond => ANSWERED,
        Verdict::Cancelled(_) => BAD,
    }
}

fn mean_and_median(times: &mut [Duration]) -> Option<(Duration, Duration)> {
    times.sort_unstable();
    let count = u32::try_from(times.len()).ok().filter(|count| *count > 0)?;
    let middle = times.len() / 2;
    let median = if times.len().is_multiple_of(2) {
        (times[middle - 1] + times[middle]) / 2
    } else {
        times[middle]
    };
    Some((times.iter().sum::<Duration>() / count, median))
}

/// Text of others, without what would steer the terminal.
fn tame(text: &str) -> String {
    text.replace(
        |c: char| c.is_control() && c != '\n' && c != '\t',
        "\u{fffd}",
    )
}

/// Arguments on one line, cut off where they get long.
fn short(args: &Value) -> String {
    const WIDTH: usize = 90;

    let text = tame(&args.to_string());
    match text.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        let micros = |times: &[u64]| {
            times
                .iter()
                .copied()
                .map(Duration::from_micros)
                .collect::<Vec<_>>()
        };
        assert_eq!(mean_and_median(&mut micros(&[])), None);
        for (times, mean, median) in [
            (&[7][..], 7, 7),
            (&[9, 1, 2][..], 4, 2),
            (&[10, 1, 2, 3][..], 4, 2),
        ] {
            let (found_mean, found_median) =
                mean_and_median(&mut micros(times)).expect("not empty");
            assert_eq!(found_mean.as_micros(), mean);
            assert_eq!(found_median.as_micros(), median);
        }
    }

    #[test]
    fn nothing_that_is_shown_steers_the_terminal() {
        assert_eq!(tame("a\x1b[31mb\r\n\tc"), "a\u{fffd}[31mb\u{fffd}\n\tc");
    }
}
