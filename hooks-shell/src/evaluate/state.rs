//! The state of a script: its variables, and its current folder.
//!
//! Code that may run not at all, or several times, runs in a [`StateFrame`], which collects everything that it sets.
//! Afterwards, a variable may hold its old value or any of the collected ones. The script may be in its old folder, or
//! in any folder that it entered since.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::{Result, ScriptEvaluator};
use crate::rejected::Rejected;
use crate::table::variables;
use crate::value::Argument;

pub(crate) type Directories = Arc<Vec<String>>;

/// The maximum number of folders in which a script may be.
const MOST_DIRECTORIES: usize = 4;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ShellState {
    pub(crate) variables: Arc<HashMap<String, Argument>>,
    /// Where the script may be if the last command succeeded.
    pub(crate) directories: Directories,
    /// Where it may be if the command failed; nothing if that makes no difference.
    pub(crate) failed: Option<Directories>,
    /// Where it was before the last `cd`, if that is certain.
    pub(crate) old: Option<Directories>,
    /// The folders that `pushd` left, which `popd` returns to.
    pub(crate) left: Vec<Directories>,
}

/// Everything that was set since the frame began.
#[derive(Debug, Default)]
pub(crate) struct StateFrame {
    variables: HashMap<String, Argument>,
    directories: BTreeSet<String>,
    /// Whether there was a `break` or the like, which skips the code after it.
    pub(crate) has_escaped: bool,
}

impl StateFrame {
    fn set(&mut self, name: &str, value: &Argument) {
        match self.variables.get_mut(name) {
            Some(held) => *held = held.join(value),
            None => drop(self.variables.insert(name.to_owned(), value.clone())),
        }
    }
}

impl ScriptEvaluator<'_> {
    /// Sets a variable.
    pub(crate) fn set(&mut self, name: &str, value: Argument) -> Result<()> {
        if self.scope.lists.contains_key(name) {
            let reason = format!("`{name}` is a list: give the plain variable another name");
            return Err(Rejected::new(reason, self.span(&(0..0))));
        }
        let copies = Arc::strong_count(&self.state.variables) > 1;
        let cost = if copies {
            8 * self.state.variables.len()
        } else {
            0
        };
        self.work.spend(8 + cost, &(0..0))?;
        let is_ours = !variables::is_changed_by_the_shell(name);
        let value = if is_ours { value } else { Argument::unknown() };
        for frame in self.collecting() {
            frame.set(name, &value);
        }
        Arc::make_mut(&mut self.state.variables).insert(name.to_owned(), value);
        Ok(())
    }

    pub(crate) fn forget(&mut self, name: &str) -> Result<()> {
        self.set(name, Argument::unknown())
    }

    /// Enters a folder, from wherever the script may be.
    pub(crate) fn enter(&mut self, path: &str) -> Result<()> {
        let entered = self.state.directories.iter();
        let mut entered: Vec<String> = entered.map(|from| within(from, path)).collect();
        entered.sort_unstable();
        entered.dedup();
        let built: usize = entered.iter().map(String::len).sum();
        // A path is split and joined again.
        self.work.spend(8 + built, &(0..0))?;
        self.enter_all(Arc::new(entered));
        Ok(())
    }

    /// Returns the frames that collect what is set now.
    fn collecting(&mut self) -> impl Iterator<Item = &mut StateFrame> {
        let since_trap = self.since_trap.as_mut().map(|(_, frame)| frame);
        self.scope.frames.last_mut().into_iter().chain(since_trap)
    }

    /// From here on, the script is in one of these folders.
    pub(crate) fn enter_all(&mut self, folders: Directories) {
        for frame in self.collecting() {
            frame.directories.extend(folders.iter().cloned());
        }
        self.state.directories = folders;
    }

    /// From here on, it no longer matters whether the last command failed.
    pub(crate) fn settle(&mut self) -> Result<()> {
        if let Some(failed) = self.state.failed.take() {
            self.state.directories = self.joined(&self.state.directories.clone(), failed.iter())?;
        }
        Ok(())
    }

    /// Returns the folders of both, if they are not too many.
    pub(crate) fn joined<'d>(
        &mut self,
        one: &Directories,
        other: impl IntoIterator<Item = &'d String>,
    ) -> Result<Directories> {
        let mut all = one.clone();
        for directory in other {
            if !all.contains(directory) {
                self.work.spend(16 + directory.len() / 4, &(0..0))?;
                Arc::make_mut(&mut all).push(directory.clone());
            }
        }
        if all.len() > MOST_DIRECTORIES {
            let reason = "the script may be in too many folders: write `(cd folder && …)`";
            return Err(Rejected::new(reason, self.span(&(0..0))));
        }
        Ok(all)
    }

    /// Runs something in a new frame.
    fn framed<T>(&mut self, run: impl FnOnce(&mut Self) -> Result<T>) -> Result<(T, StateFrame)> {
        self.work.spend(16, &(0..0))?;
        self.scope.frames.push(StateFrame::default());
        let done = run(self);
        let frame = self.scope.frames.pop().unwrap_or_default();
        if let Some(outer) = self.scope.frames.last_mut() {
            outer.has_escaped |= frame.has_escaped;
        }
        Ok((done?, frame))
    }

    /// Adds the contents of a frame to the enclosing one.
    fn collect(&mut self, frame: StateFrame) -> Result<()> {
        if let Some(outer) = self.scope.frames.last_mut() {
            self.work.spend(8 * frame.variables.len(), &(0..0))?;
            frame
                .variables
                .iter()
                .for_each(|(name, value)| outer.set(name, value));
            outer.directories.extend(frame.directories);
        }
        Ok(())
    }

    /// Records that what was set in a frame may not have been set.
    pub(crate) fn weaken(&mut self, before: &ShellState, frame: &StateFrame) -> Result<()> {
        if !frame.variables.is_empty() {
            let unset = Argument::unknown();
            let all = Arc::make_mut(&mut self.state.variables);
            self.work.spend(16 * frame.variables.len(), &(0..0))?;
            for (name, value) in &frame.variables {
                let held = before.variables.get(name).unwrap_or(&unset);
                all.insert(name.clone(), held.join(value));
            }
        }
        let failed = before.failed.iter().flat_map(|failed| failed.iter());
        let directories = self.joined(&before.directories, failed)?;
        self.state.directories = self.joined(&directories, &frame.directories)?;
        self.state.failed = None;
        if self.state.left != before.left {
            self.state.left.clear();
        }
        self.state.old = self
            .state
            .old
            .take()
            .filter(|old| before.old.as_ref() == Some(old));
        Ok(())
    }

    /// Runs code that may not run at all, or not to its end.
    pub(crate) fn maybe<T>(&mut self, run: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let before = self.state.clone();
        let (done, frame) = self.framed(run)?;
        self.weaken(&before, &frame)?;
        self.collect(frame)?;
        Ok(done)
    }

    /// Runs code that runs once, except what a `break` or the like skips.
    pub(crate) fn once<T>(&mut self, run: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let before = self.state.clone();
        let (done, frame) = self.framed(run)?;
        self.settle()?;
        if frame.has_escaped {
            self.weaken(&before, &frame)?;
        }
        self.collect(frame)?;
        Ok(done)
    }

    /// Runs code that may run any number of times, until nothing changes any more.
    pub(crate) fn repeat(&mut self, mut round: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        let since = self.trace.effects.paths.len();
        loop {
            let before = self.state.clone();
            self.maybe(&mut round)?;
            if self.state == before {
                return self.touch_again(since);
            }
        }
    }

    /// Runs code whose changes are discarded.
    pub(crate) fn apart<T>(&mut self, run: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let before = self.state.clone();
        let (done, _) = self.framed(run)?;
        self.state = before;
        Ok(done)
    }

    /// `break`, `continue`, `return`: the following code may be skipped.
    pub(crate) fn escape(&mut self) {
        self.scope
            .frames
            .iter_mut()
            .for_each(|frame| frame.has_escaped = true);
    }
}

/// Joins a path to a folder, without `.` and `..`. The judge of the path makes sure that there is no link on its way.
fn within(directory: &str, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let start = if path.starts_with('/') { "" } else { directory };
    let is_absolute = directory.starts_with('/') || path.starts_with('/');
    for part in start.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            ".." if is_absolute => {}
            part => parts.push(part),
        }
    }
    match parts.join("/") {
        joined if is_absolute => format!("/{joined}"),
        joined if joined.is_empty() => ".".into(),
        joined => joined,
    }
}
