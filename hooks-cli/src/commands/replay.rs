//! `hooks replay` shows which decisions of the past would change.

use std::path::PathBuf;
use std::process::ExitCode;

use hooks_runtime::{Replay, Replayed, Suggestion};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::file::{self, FormatArgs};
use crate::paint::{self, BAD, BOLD, DIM, GOOD, Visible, WARN, painted, say};
use crate::{Done, Failure};

/// The past, and the hooks to ask about it.
#[derive(Debug, clap::Args)]
pub(crate) struct ReplayArgs {
    /// Files of records, session files, and folders of them.
    #[arg(required = true, value_name = "FILE")]
    past: Vec<PathBuf>,
    /// The file of the hooks to ask; by default the hooks.toml here or in a folder above.
    #[arg(long, value_name = "FILE")]
    with: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArgs,
    /// Only events since this day, as `2026-01-31`, or this time, as `2026-01-31T08:00:00Z`.
    #[arg(long, value_name = "DATE", value_parser = since)]
    since: Option<Timestamp>,
    /// How many examples to show of each change.
    #[arg(long, value_name = "N", default_value_t = 3)]
    examples: usize,
    /// Print what the security policy would have to allow so that harmless calls pass that it blocks, as TOML.
    #[arg(long)]
    suggest: bool,
}

/// Reads a time, or the beginning of a day here.
fn since(text: &str) -> Result<Timestamp, String> {
    let day = || text.parse::<Date>().ok()?.to_zoned(TimeZone::system()).ok();
    text.parse()
        .ok()
        .or_else(|| day().map(|day| day.timestamp()))
        .ok_or_else(|| "write a day, such as 2026-01-31".to_owned())
}

pub(crate) fn run(args: &ReplayArgs, json: bool) -> Done {
    let file = file::find(args.with.clone())?;
    let loaded = file::block_on(Replay::new(file::builder(&file, args.format)))?;
    let mut replay = loaded.map_err(Failure::found)?.examples(args.examples);
    if let Some(since) = args.since {
        replay = replay.since(since);
    }
    if args.suggest {
        replay = replay.suggesting();
    }
    let replayed = replay.ask(&args.past).map_err(Failure::usage)?;
    if replayed.asked == 0 {
        let since = args.since.map_or("", |_| " since that time");
        file::warn_all(&replayed.unread);
        return Err(Failure::usage(format!(
            "nothing was asked, because no event was found{since}: name a file that `hooks run --records FILE` has written, or a \
             folder with sessions, such as ~/.claude/projects"
        )));
    }
    if args.suggest && replayed.suggestion.is_none() {
        file::warn(
            "nothing is suggested, because the file has no `[hooks.builtin.security_policy]`",
        );
    }
    if json {
        paint::json(&serde_json::to_value(&replayed).map_err(Failure::found)?);
    } else {
        file::print_notices(replay.runtime());
        match &replayed.suggestion {
            Some(suggestion) => suggest(suggestion),
            None => show(&replayed),
        }
    }
    Ok(ExitCode::from(u8::from(replayed.changed > 0)))
}

fn show(replayed: &Replayed) {
    for group in &replayed.groups {
        let hook = match &*group.hook {
            "" => "(another hook)",
            hook => hook,
        };
        let style = if group.now == "continue" { GOOD } else { BAD };
        let change = format!("{} → {}", group.before, group.now);
        let (change, hook) = (painted(style, change), painted(BOLD, Visible(hook)));
        say!("{:>7}  {change}  {hook}", group.count);
        for example in &group.examples {
            let at = example.at.map(|at| at.strftime("%F %T").to_string());
            let at = painted(DIM, at.unwrap_or_default());
            let subject = example.subject.as_deref().unwrap_or_default();
            let said = format!(
                "{} {subject}  {}  {}",
                example.event,
                example.text,
                example.reason.as_deref().unwrap_or_default()
            );
            let session = painted(DIM, Visible(&example.session_id));
            let said = said.replace('\n', " ");
            say!("         {at}  {}  {session}", Visible(said.trim_end()));
        }
    }
    let sessions = replayed.sessions;
    let idle = replayed.hooks.iter().filter(|hook| hook.events == 0);
    for hook in idle {
        let why = if hook.had_events {
            format!("would have run in 0 of {sessions} sessions: does its matcher fit?")
        } else {
            format!("is for events that these {sessions} sessions do not have")
        };
        let style = if hook.had_events { WARN } else { DIM };
        say!("{:>7}  {}  {why}", 0, painted(style, Visible(&hook.hook)));
    }
    for hook in replayed.hooks.iter().filter(|hook| hook.events > 0) {
        let (name, ran) = (painted(BOLD, Visible(&hook.hook)), hook.sessions);
        let failed = match hook.failed {
            0 => String::new(),
            failed => painted(WARN, format!(", and would have failed {failed} times")),
        };
        say!(
            "{:>7}  {name}  would have run in {ran} of {sessions} sessions{failed}",
            hook.events
        );
    }
    for left_out in &replayed.left_out {
        let why = painted(WARN, "not asked");
        say!("{:>7}  {why}  {}", left_out.count, Visible(&left_out.hook));
    }
    for unread in &replayed.unread {
        file::warn(unread);
    }
    let more = replayed.unread_count - replayed.unread.len() as u64;
    if more > 0 {
        file::warn(&format!("{more} more could not be read"));
    }
    if replayed.elsewhere > 0 {
        let why = "decided by a hook of the agent's own code, which is not here";
        say!(
            "{:>7}  {}  {why}",
            replayed.elsewhere,
            painted(WARN, "not asked")
        );
    }
    let (changed, asked) = (replayed.changed, replayed.asked);
    say!("{changed} of {asked} decisions would change");
}

/// Prints a suggestion as TOML, whose comments count the calls.
fn suggest(suggestion: &Suggestion) {
    let (passing, blocked) = (suggestion.passing, suggestion.blocked);
    say!(
        "# {passing} of {blocked} calls that ran, and that the security policy blocks, would pass:"
    );
    for line in &suggestion.lines {
        say!(
            "# {:>5}  {}  {}",
            line.count,
            line.key,
            Visible(&line.value)
        );
    }
    if !suggestion.toml.is_empty() {
        say!("{}", paint::lines(suggestion.toml.trim_end()));
    }
}
