//! The paths of rules as they are on the disk: yours, and those of the presets.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::SandboxError;
use crate::error::ErrorContext as _;
use crate::presets::{self, Need};
use crate::protected;
use crate::rules::{ConfinementRules, Grant, PathAccess};

/// The paths of the rules as they are on the disk.
#[derive(Default)]
pub(crate) struct ResolvedPaths {
    grants: BTreeMap<PathBuf, Grant>,
    links: BTreeMap<PathBuf, PathBuf>,
}

impl ResolvedPaths {
    /// Puts what was found into the rules.
    pub(crate) fn end(self, rules: &mut ConfinementRules) {
        rules.links = self.links.into_iter().collect();
        rules.grants = self.grants.into_values().collect();
    }

    /// Adds a path that you have named: it must exist.
    pub(crate) fn require(&mut self, access: PathAccess, path: &Path) -> Result<(), SandboxError> {
        let real = fs::canonicalize(path).at(path)?;
        if let Some(other) = self.grants.get(&real)
            && (other.access == PathAccess::Hide) != (access == PathAccess::Hide)
        {
            return Err(SandboxError::rule(format!(
                "{} is both hidden and allowed: leave one out",
                path.display()
            )));
        }
        self.add(access, path, real, "your rule")
    }

    fn add(
        &mut self,
        access: PathAccess,
        path: &Path,
        real: PathBuf,
        from: &str,
    ) -> Result<(), SandboxError> {
        if path != real {
            self.add_links(&std::path::absolute(path).at(path)?, 0)?;
        }
        let grant = Grant::of(real.clone(), access, from)?;
        let kept = self.grants.entry(real).or_insert_with(|| grant.clone());
        if kept.access < access {
            *kept = grant;
        }
        Ok(())
    }

    /// Remembers the links on the way to a path, so that it has the same name inside.
    fn add_links(&mut self, path: &Path, depth: usize) -> Result<(), SandboxError> {
        let mut way = PathBuf::new();
        let mut parts = path.components();
        while let Some(part) = parts.next() {
            match part {
                Component::ParentDir => drop(way.pop()),
                part => way.push(part),
            }
            if let Ok(target) = fs::read_link(&way) {
                if depth > 40 {
                    return Err(SandboxError::path(path, "too many links"));
                }
                let next = way
                    .parent()
                    .unwrap_or(Path::new("/"))
                    .join(&target)
                    .join(parts.as_path());
                self.links.insert(way, target);
                return self.add_links(&next, depth + 1);
            }
        }
        Ok(())
    }
}

impl ConfinementRules {
    /// Adds what the presets name. Only your own rules travel on a command line; the rest is found where they arrive.
    pub(crate) fn complete(mut self) -> Result<Self, SandboxError> {
        let own = self.grants.clone();
        let mut found = ResolvedPaths {
            grants: self
                .grants
                .drain(..)
                .map(|grant| (grant.path.clone(), grant))
                .collect(),
            links: self.links.drain(..).collect(),
        };
        // Yours counts, and not the table's.
        let missing = |path: &Path| {
            let real = fs::canonicalize(path).ok()?;
            (!own.iter().any(|grant| grant.path == real)).then_some(real)
        };
        for (preset, need) in presets::needs(self.presets.as_deref()) {
            match need {
                Need::Path(access, path) => {
                    if let Some(real) = missing(&path) {
                        found.add(access, &path, real, preset)?;
                    }
                }
                Need::Quiet(path) => self.quiet.extend(path.into_os_string().into_string()),
                Need::Variable(name) => self.env.push(name.to_owned()),
            }
        }
        let home = std::env::var_os("HOME").map(PathBuf::from);
        for folder in std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()) {
            let is_narrow =
                folder.is_absolute() && home.as_ref().is_none_or(|home| !home.starts_with(&folder));
            if is_narrow
                && folder.is_dir()
                && let Some(real) = missing(&folder)
            {
                found.add(PathAccess::Read, &folder, real, "$PATH")?;
            }
        }
        found.end(&mut self);
        self.keep_protected()?;
        // What is below another that may be read needs no rule, and what cannot be seen needs not be hidden.
        let all = self.clone();
        self.grants.retain(|grant| {
            let above = grant.path.parent().and_then(|parent| all.grant(parent));
            match grant.access {
                PathAccess::Hide => above.is_some(),
                PathAccess::Read => above.is_none_or(|above| above.access == PathAccess::Hide),
                PathAccess::Write => true,
            }
        });
        Ok(self)
    }

    /// Takes back that a protected path may be written, unless you have opened it by its name: who wants to write something
    /// names where it is, and that says nothing about what it is.
    fn keep_protected(&mut self) -> Result<(), SandboxError> {
        let here = std::env::current_dir().at(".".as_ref())?;
        let home = std::env::home_dir();
        let own: Vec<_> = self.grants.iter().map(|grant| grant.path.clone()).collect();
        for grant in &mut self.grants {
            let path = &grant.path;
            if grant.access != PathAccess::Write
                || self.opened.iter().any(|opened| path.starts_with(opened))
            {
                continue;
            }
            // A workspace may be in a protected folder: what counts is what is below it, or below where the program starts, or
            // around that.
            let above = own
                .iter()
                .filter(|above| path.starts_with(above) && *above != path);
            let above = above.chain(path.starts_with(&here).then_some(&here));
            let above = above.chain(here.starts_with(path).then_some(path));
            let outermost = above.min_by_key(|above| above.components().count());
            let rest = outermost.and_then(|above| path.strip_prefix(above).ok());
            let is_at_home = |home: &Path| {
                let mut names = protected::entries("home").map(|(name, _)| home.join(name));
                names.any(|protected| path.starts_with(protected))
            };
            if protected::covering(rest.unwrap_or(path)).is_some()
                || home.as_deref().is_some_and(is_at_home)
                || self
                    .protect
                    .iter()
                    .any(|protected| path.starts_with(protected))
            {
                self.protect.push(path.clone());
                grant.access = PathAccess::Read;
            }
        }
        Ok(())
    }
}
