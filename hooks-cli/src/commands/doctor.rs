//! `hooks doctor` compares a file with what the agents here have registered in their settings.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use hooks_builtin::config::HooksConfig;
use hooks_runtime::{Dialect, HooksCall, Registered, Registration, Runtime};
use serde::Serialize;

use super::check;
use super::init::agents::{self, Agent};
use super::init::settings;
use crate::paint::{self, BAD, BOLD, DIM, GOOD, lines, painted, say};
use crate::{Done, Failure, file};

#[derive(Debug, clap::Args)]
pub(crate) struct DoctorArgs {
    /// The file; by default the hooks.toml here or in a folder above.
    file: Option<PathBuf>,
    /// Only this agent. The exit code is 1, too, if the file is not registered for it.
    #[arg(long = "for", value_name = "AGENT", value_parser = agents::AgentNameParser)]
    agent: Option<Agent>,
}

/// What is so about one agent.
#[derive(Debug, Serialize)]
pub(crate) struct AgentReport {
    agent: &'static str,
    title: &'static str,
    /// The settings that call this file.
    settings: Vec<PathBuf>,
    /// What does not work.
    pub(crate) findings: Vec<String>,
    /// What is worth knowing.
    notes: Vec<String>,
}

pub(crate) fn run(args: DoctorArgs, json: bool) -> Done {
    let path = file::find(args.file)?.path;
    let path = std::path::absolute(path).map_err(Failure::found)?;
    let here = Here::of(path)?;
    let named = args.agent.is_some();
    let own = here.runtime.agents().into_iter().filter_map(agents::of);
    let all = match args.agent {
        Some(agent) => vec![agent],
        None => agents::all().chain(own).collect(),
    };
    let reports = all.into_iter().filter_map(|agent| here.report(agent));
    let mut reports: Vec<AgentReport> = reports.collect();
    let is_told =
        |report: &AgentReport| !(report.settings.is_empty() && report.findings.is_empty());
    if let Some(agent) = args.agent.filter(|_| !reports.iter().any(is_told)) {
        reports = vec![here.unregistered(agent)];
    }
    let has_findings = reports.iter().any(|report| !report.findings.is_empty());
    if json {
        paint::json(&serde_json::to_value(&reports).map_err(Failure::found)?);
        return Ok(ExitCode::from(u8::from(has_findings)));
    }
    if reports.is_empty() {
        say!(
            "no agent here has settings: `hooks init --agent NAME --write` registers {}",
            here.file.display()
        );
    }
    for report in &reports {
        report.show();
    }
    if has_findings && !named {
        anstream::eprintln!(
            "\n`hooks init --agent NAME --write` registers what is missing, and renews what is old"
        );
    }
    Ok(ExitCode::from(u8::from(has_findings)))
}

impl AgentReport {
    fn show(&self) {
        let state = match self.findings.len() {
            0 if self.settings.is_empty() => painted(DIM, "not registered"),
            0 => painted(GOOD, "fine"),
            1 => painted(BAD, "1 finding"),
            many => painted(BAD, format_args!("{many} findings")),
        };
        say!("{}: {state}", painted(BOLD, self.title));
        for finding in &self.findings {
            say!("  {}", lines(finding));
        }
        for note in &self.notes {
            say!("  {}", painted(DIM, lines(note)));
        }
    }
}

/// A file of hooks, and the project in which it is.
pub(crate) struct Here {
    file: PathBuf,
    project: PathBuf,
    runtime: Runtime,
    config: Option<HooksConfig>,
    /// Our events that built-in hooks run on.
    built_in: BTreeSet<String>,
}

impl Here {
    /// Loads a file.
    fn of(file: PathBuf) -> Result<Self, Failure> {
        let builder = file::builder(&file.clone().into(), file::FormatArgs::default());
        let runtime = file::block_on(builder.build())?.map_err(|error| {
            Failure::found(format!(
                "{error}\nwhile the file has a mistake, every event is blocked"
            ))
        })?;
        Ok(Self::with(file, runtime))
    }

    pub(crate) fn with(file: PathBuf, runtime: Runtime) -> Self {
        let mut built_in = BTreeSet::new();
        for row in runtime
            .order()
            .into_iter()
            .filter(|row| row.source.is_empty())
        {
            built_in.extend(row.events);
        }
        Here {
            project: file.parent().unwrap_or(Path::new(".")).to_owned(),
            config: check::config(&file),
            built_in,
            runtime,
            file,
        }
    }

    /// What is so about an agent, if it has settings here.
    pub(crate) fn report(&self, agent: Agent) -> Option<AgentReport> {
        let mut report = AgentReport {
            agent: agent.system.as_str(),
            title: agent.title(),
            settings: Vec::new(),
            findings: Vec::new(),
            notes: Vec::new(),
        };
        let mut calls: Vec<(PathBuf, Registered)> = Vec::new();
        let mut is_here = false;
        for path in agent.system.settings_files(&self.project) {
            let Ok(text) = hooks_runtime::__read_text(&path) else {
                continue;
            };
            is_here |= path.starts_with(&self.project);
            let shown = self.shown(&path);
            if agent.init.is_script() {
                self.script(agent, &path, &text, &mut report);
                continue;
            }
            let settings = match settings::parsed(&text) {
                Ok(settings) => settings,
                Err(error) => {
                    report
                        .findings
                        .push(format!("{shown}: the agent cannot read this file: {error}"));
                    continue;
                }
            };
            for off in agent.init.turned_off(&settings) {
                report
                    .findings
                    .push(format!("{shown}: `{off}` turns all hooks of the agent off"));
            }
            for one in agent.system.registered(&settings) {
                let why = unusable(agent.system, &path, &self.project, &one.command);
                report
                    .findings
                    .extend(why.map(|why| format!("{shown}: {why}")));
                let Some(call) = one
                    .call
                    .as_ref()
                    .filter(|call| call.agent == agent.system.as_str())
                else {
                    continue;
                };
                let filled = agent.system.filled(&one.command, &self.project);
                let call = filled
                    .and_then(|filled| HooksCall::parse(&filled))
                    .unwrap_or_else(|| call.clone());
                if hides_its_code(agent.system, &one.command) {
                    report.findings.push(format!(
                        "{shown}: `{}`: what follows hides its exit code, so it refuses nothing",
                        one.command
                    ));
                }
                match self.other_file(&call) {
                    None => calls.push((path.clone(), one)),
                    Some(other) if other.is_file() => report
                        .notes
                        .push(format!("{shown} calls the hooks of {}", other.display())),
                    Some(_) => {}
                }
            }
        }
        report.notes.dedup();
        report.findings = counted(report.findings);
        report
            .settings
            .extend(calls.iter().map(|(path, _)| path.clone()));
        report.settings.dedup();
        if !report.settings.is_empty() {
            self.compare(agent, &calls, &mut report);
        }
        let says_nothing = report.findings.is_empty() && report.notes.is_empty();
        (is_here || !report.settings.is_empty() || !says_nothing).then_some(report)
    }

    fn unregistered(&self, agent: Agent) -> AgentReport {
        let (title, file) = (agent.title(), self.file.display());
        let name = agent
            .table
            .map_or(agent.system.as_str().into(), Path::to_string_lossy);
        let finding = format!(
            "{file} is not registered: `hooks init --agent {name} --write` puts it into {}",
            self.shown(&agent.init.path(&self.project))
        );
        AgentReport {
            agent: agent.system.as_str(),
            title,
            settings: Vec::new(),
            findings: vec![finding],
            notes: Vec::new(),
        }
    }

    /// What the file needs of an agent.
    fn registration(&self, agent: Agent) -> Registration {
        Registration {
            program: std::env::current_exe().unwrap_or_default(),
            file: self.file.clone(),
            needs: self.runtime.needed(agent.system),
        }
    }

    /// Compares what is registered with what the file needs.
    fn compare(&self, agent: Agent, calls: &[(PathBuf, Registered)], report: &mut AgentReport) {
        let wanted = self.registration(agent);
        let registered: Vec<Registered> = calls.iter().map(|(_, one)| one.clone()).collect();
        if !agent.keeps_a_process() && !agent.init.is_script() {
            for event in wanted.missing(agent.system, &registered, &self.built_in) {
                report.findings.push(format!(
                    "`{event}` is not registered, and the file has hooks for it"
                ));
            }
        }
        let is_own = matches!(agent.system, Dialect::Own(_));
        if is_own && !self.runtime.agents().contains(&agent.system) {
            let (file, title) = (self.file.display(), agent.title());
            report.findings.push(format!(
                "{file} does not name the table of {title}, so every event is blocked: write `[[agents]]` into it"
            ));
        }
        for (nth, (path, one)) in calls.iter().enumerate() {
            let Some(event) = &one.event else { continue };
            let (shown, needed) = (
                self.shown(path),
                wanted.needs.get(event).copied().unwrap_or_default(),
            );
            if let Some(time) = one.timeout.filter(|time| *time < needed) {
                report.findings.push(format!(
                    "{shown}: the agent waits for `{event}` {} s, and the hooks may take {} s",
                    seconds(time),
                    seconds(needed)
                ));
            }
            let is_same = |other: &Registered| {
                other.event.as_ref() == Some(event) && other.matcher == one.matcher
            };
            let mut others = calls.iter().take(nth);
            if let Some((other, _)) = others.find(|(_, other)| is_same(other)) {
                let twice = format!(
                    "`{event}` is registered twice ({} and {shown}): its hooks run twice",
                    self.shown(other)
                );
                report.findings.push(twice);
            }
        }
        for also in &agent.init.also {
            if self.calls_us(&self.project.join(also)) {
                let title = agent.title();
                let twice = format!(
                    "{title} reads {}, too, where this file is registered for another agent: its hooks run twice",
                    also.display()
                );
                report.findings.push(twice);
            }
        }
        if let Some(config) = &self.config {
            report
                .findings
                .extend(check::unknown_tools(config, &self.file, agent));
            if config.builtin.redact.as_on().is_some() {
                report
                    .notes
                    .push(format!("`redact` {}", agent.init.redacts));
            }
        }
        if !agent.init.note.is_empty() {
            report.notes.push(agent.init.note.clone());
        }
    }

    /// Whether settings of another agent call this file.
    fn calls_us(&self, path: &Path) -> bool {
        let text = hooks_runtime::__read_text(path).unwrap_or_default();
        let settings = settings::parsed(&text).unwrap_or_default();
        let all = agents::all().flat_map(|agent| agent.system.registered(&settings));
        all.filter_map(|one| one.call)
            .any(|call| self.other_file(&call).is_none())
    }

    /// A file that is ours as a whole.
    fn script(&self, agent: Agent, path: &Path, text: &str, report: &mut AgentReport) {
        let wanted = self.registration(agent);
        if !text.contains(agent.mark(&wanted).trim_start()) {
            return;
        }
        report.settings.push(path.to_owned());
        let is_new = matches!(wanted.settings(agent.system), Some(hooks_runtime::Settings::Whole(new)) if new == text);
        if !is_new {
            report.findings.push(format!(
                "{}: this version writes another text: `hooks init --write` renews the file",
                self.shown(path)
            ));
        }
    }

    /// The file that a call names, if it is not this one.
    fn other_file(&self, call: &HooksCall) -> Option<PathBuf> {
        let named = self.project.join(call.file.as_deref()?);
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        (real(&named) != real(&self.file)).then_some(named)
    }

    /// A path as a reader knows it.
    fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.project)
            .unwrap_or(path)
            .display()
            .to_string()
    }
}

/// Says of each command in an agent's file why it cannot run, if that can be told.
pub(crate) fn unusable_in(agent: Dialect, file: &Path, text: &str) -> Vec<String> {
    let Ok(settings) = settings::parsed(text) else {
        return Vec::new();
    };
    let is_of = |folder: &&Path| {
        agent
            .settings_files(folder)
            .iter()
            .any(|known| known == file)
    };
    let project = file
        .ancestors()
        .skip(1)
        .find(is_of)
        .or_else(|| file.parent());
    let project = project.unwrap_or(Path::new("."));
    let all = agent.registered(&settings).into_iter();
    let told = all.filter_map(|one| {
        let why = unusable(agent, file, project, &one.command)?;
        Some(format!("{}: {why}", file.display()))
    });
    counted(told.collect())
}

/// What is so for several events, once.
fn counted(findings: Vec<String>) -> Vec<String> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for finding in findings {
        match counts.iter_mut().find(|(known, _)| *known == finding) {
            Some((_, count)) => *count += 1,
            None => counts.push((finding, 1)),
        }
    }
    let all = counts.into_iter().map(|(finding, count)| match count {
        1 => finding,
        many => format!("{finding} ({many} events)"),
    });
    all.collect()
}

/// Whether what follows a call in a command hides that it refuses. A call that cannot start refuses nothing by itself, so
/// `|| exit 2` is good.
fn hides_its_code(agent: Dialect, command: &str) -> bool {
    let command = command.trim_end();
    match command.split_once("||") {
        Some((_, then)) => !(agent.refuses_by(2) && then.trim() == "exit 2"),
        None => command.ends_with('&'),
    }
}

/// Why a command of settings cannot run, if that can be told.
fn unusable(agent: Dialect, settings: &Path, project: &Path, command: &str) -> Option<String> {
    let text = agent.filled(command, project)?;
    let folder = agent.runs_in(settings, project);
    let call = HooksCall::parse(&text);
    if let Some(missing) = call.as_ref().and_then(|call| missing(call, &folder, &text)) {
        return Some(missing);
    }
    let words = shlex::split(&text).unwrap_or_default();
    let program = words.iter().find(|word| !word.contains('='))?;
    if !program.contains('/') {
        return None;
    }
    // More than a path: a shell does something with it.
    if program.contains([';', '&', '|', '<', '>', '(', ')', '*', '?', '[', '{']) {
        return None;
    }
    let at = folder.join(program);
    if !at.exists() {
        let hint = unquoted(&folder, &text).unwrap_or_default();
        return Some(format!(
            "`{command}`: the program {program} is not there{hint}"
        ));
    }
    (!hooks_runtime::__is_executable(&at))
        .then(|| format!("`{command}`: {program} may not be run: `chmod +x` it"))
}

/// What a call of ours needs and does not find.
fn missing(call: &HooksCall, folder: &Path, text: &str) -> Option<String> {
    let program = call.program.display();
    let mut all = Vec::new();
    if is_name(&call.program) {
        if in_path(&call.program).is_none() {
            all.push(format!(
                "there is no program `{program}` in any folder of `PATH`"
            ));
        }
    } else if !folder.join(&call.program).exists() {
        if let Some(hint) = unquoted(folder, text) {
            return Some(format!(
                "`{text}`: the program {program} is not there{hint}"
            ));
        }
        all.push(format!("the program {program} is not there"));
    }
    if let Some(file) = call
        .file
        .as_ref()
        .filter(|file| !folder.join(file).is_file())
    {
        // What follows a path that was split is not an option.
        let words = shlex::split(text).unwrap_or_default();
        let mut after = words.iter().skip_while(|word| Path::new(word) != file);
        let is_split = after
            .nth(1)
            .is_some_and(|next| !next.starts_with(['-', '|', '&', ';', '>']));
        let hint = if is_split { QUOTES } else { "" };
        all.push(format!("the file {} is not there{hint}", file.display()));
        if is_split {
            return Some(all.join(", and "));
        }
    }
    (!all.is_empty()).then(|| {
        format!(
            "{}: written for another machine: run `hooks init --agent {} --write` here",
            all.join(", and "),
            call.agent
        )
    })
}

/// Whether a shell looks for a program in `PATH`.
pub(crate) fn is_name(program: &Path) -> bool {
    program.components().count() == 1
}

/// The file that a shell starts for a name.
pub(crate) fn in_path(program: &Path) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut all = std::env::split_paths(&path).map(|folder| folder.join(program));
    all.find(|file| file.is_file())
}

/// A hint, if a command begins with the path of a file that has blanks.
fn unquoted(folder: &Path, text: &str) -> Option<&'static str> {
    let blanks = text.match_indices(' ').map(|(at, _)| at);
    let mut ends = blanks.chain([text.len()]);
    let is_file = |end| text[..end].contains(' ') && folder.join(&text[..end]).is_file();
    ends.any(is_file).then_some(QUOTES)
}

const QUOTES: &str = ": a path with blanks needs quotes";

/// A time in seconds, as settings have it.
fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 10.0).round() / 10.0
}
