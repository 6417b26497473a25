//! Reads the groups of an event: the subjects of each, and its hooks.

use hooks_builtin::Glob;
use hooks_config::{ConfigError, Document, Segment};
use hooks_rules::pattern;
use hooks_rules::subjects::Subjects;
use serde_json::Value;

use super::{MatcherGroup, Policy};
use crate::definition::Definition;
use crate::events::EventInfo;
use crate::load::Loader;
use crate::load::near::misspelled;
use crate::system::table::{EventSubject, Matcher, SystemEvent};
use crate::system::{Dialect, names, tools};

/// The keys of a group.
const KEYS: &[&str] = &[
    "matcher",
    "hooks",
    "sequential",
    "description",
    "onFailure",
    "on_failure",
];

impl Loader<'_> {
    /// Reads all groups of an event.
    #[expect(
        clippy::too_many_lines,
        clippy::too_many_arguments,
        reason = "each part of a group may be wrong in its own way"
    )]
    pub(super) fn event(
        &mut self,
        document: &Document,
        policy: &Policy<'_>,
        at: &[Segment],
        name: &str,
        groups: &Value,
        disabled: &[&str],
        definitions: &mut Vec<Definition>,
    ) {
        let path = [at, &[name.into()]].concat();
        let is_never = policy.rules.never.iter().any(|never| never == name);
        // Claude Code calls with these events as well, and each of them is a custom event then.
        let custom = (is_never && policy.dialect == Dialect::Claude).then_some("Custom");
        if is_never && custom.is_none() {
            let what = format!("`{name}` is a known event that is never raised here");
            let notice = document.mistake(&path, what, None);
            self.notices.push(notice.to_string());
            return;
        }
        let event = policy.rules.named(name);
        let Some(info) = event
            .and_then(SystemEvent::info)
            .or_else(|| EventInfo::named(custom.unwrap_or(name)))
        else {
            let what = format!("`{name}` is not an event");
            let help = names::suggestion_in(policy.dialect, name);
            let wrong = document.mistake(&path, what, Some(&help));
            return self.left_out(wrong, policy.entry);
        };
        if custom.is_some() {
            let what = format!("hooks on `{name}` decide nothing here: they only hear of it");
            let help = "they run when Claude Code calls `hooks run`, or when your agent raises a `Custom` event of this kind";
            let notice = document.mistake(&path, what, Some(help));
            self.notices.push(notice.to_string());
        }
        let Value::Array(groups) = groups else {
            let wrong = document.mistake(
                &path,
                format!("`{name}` must be a list of groups of hooks"),
                Some("write `[{ \"matcher\": \"…\", \"hooks\": [ … ] }]`"),
            );
            let whole = MatcherGroup {
                policy,
                document,
                name,
                event,
                info,
                subjects: Subjects::Any,
                is_sequential: false,
                path,
                dialect: policy.dialect,
            };
            return self.closed(wrong, whole.meant(), definitions);
        };
        for (index, group) in groups.iter().enumerate() {
            let mut path = path.clone();
            path.push(index.into());
            let has_no_group = group.get("hooks").is_none();
            let is_bare = has_no_group && policy.rules.files.flat;
            let is_flat = has_no_group && policy.dialect == Dialect::Flat;
            let mut of = MatcherGroup {
                policy,
                document,
                name,
                event,
                info: event.and_then(SystemEvent::info).unwrap_or(info),
                subjects: Subjects::Any,
                is_sequential: group["sequential"] == Value::Bool(true),
                path,
                dialect: policy.dialect,
            };
            let Some(fields) = group.as_object() else {
                let wrong = of.mistake(
                    &[],
                    "a group of hooks must be a table",
                    Some("write `{ \"matcher\": \"…\", \"hooks\": [ … ] }`"),
                );
                self.closed(wrong, of.meant(), definitions);
                continue;
            };
            if let Some(wrong) = misspelled(document, &of.path, group, KEYS) {
                self.closed(wrong, of.meant(), definitions);
                continue;
            }
            if custom.is_some() {
                if matches!(fields.get("matcher"), Some(Value::String(text)) if !matches!(text.as_str(), "" | "*"))
                {
                    let what = format!("a matcher of `{name}` cannot be compared here");
                    let help = "leave it out, and compare in the command";
                    let wrong = of.mistake(&["matcher"], what, Some(help));
                    self.left_out(wrong, policy.entry);
                    continue;
                }
                of.subjects = Subjects::Names(vec![name.to_owned()]);
            } else {
                match self.subjects(&of, fields.get("matcher")) {
                    Ok(subjects) => of.subjects = subjects,
                    Err(wrong) => {
                        self.closed(wrong, of.meant(), definitions);
                        continue;
                    }
                }
            }
            if fields.contains_key("onFailure")
                && policy.rules.files.closed.as_deref() == Some("onFailure")
            {
                let notice = of.mistake(
                    &["onFailure"],
                    "`onFailure` has no effect on a group",
                    Some("write it in each hook"),
                );
                self.notices.push(notice.to_string());
            }
            for key in policy
                .rules
                .files
                .ignored
                .iter()
                .filter(|key| fields.contains_key(*key))
            {
                let what = format!("`{key}` has no effect here: the hook runs without it");
                self.notices
                    .push(of.mistake(&[key], what, None).to_string());
            }
            if is_flat || is_bare {
                self.hook(&of, group, disabled, definitions);
                continue;
            }
            let Some(Value::Array(hooks)) = fields.get("hooks") else {
                let wrong = of.mistake(
                    &["hooks"],
                    "a group must have a list of hooks",
                    Some("write `\"hooks\": [{ \"type\": \"command\", \"command\": \"…\" }]`"),
                );
                self.closed(wrong, of.meant(), definitions);
                continue;
            };
            for (nth, hook) in hooks.iter().enumerate() {
                let group_path = of.path.clone();
                of.path.extend(["hooks".into(), nth.into()]);
                if hook.is_object() {
                    self.hook(&of, hook, disabled, definitions);
                } else {
                    let wrong = of.mistake(
                        &[],
                        "a hook must be a table",
                        Some("write `{ \"type\": \"command\", \"command\": \"…\" }`"),
                    );
                    self.closed(wrong, of.meant(), definitions);
                }

                of.path = group_path;
            }
        }
    }

    /// Says which parts of a matcher fit no tool of the system.
    fn tell_unknown_tools(&mut self, group: &MatcherGroup<'_>, text: &str) {
        let known = tools::known(group.dialect);
        // The parts of an expression with brackets are not between bars.
        if known.is_empty() || text.contains(['(', '[', '\\']) {
            return;
        }
        let of = group.policy.rules.files.matcher;
        let is_list = text.chars().all(|c| of.is_of_names(c));
        let separators: &[char] = if is_list { &['|', ','] } else { &['|'] };
        let parts = text.split(separators).map(str::trim);
        for part in parts.filter(|part| !part.is_empty()) {
            let server = part.strip_prefix("mcp__").filter(|_| is_list);
            let (message, help) = if let Some(server) = server {
                if server.contains("__") {
                    continue;
                }
                let message =
                    format!("`{part}` is a server and not a tool of it, so it fits no call");
                (message, format!("write `{part}__.*` for all of its tools"))
            } else {
                let whole = format!("^(?:{part})$");
                let expression =
                    pattern::compiled(if of == Matcher::Whole { &whole } else { part });
                // What is not an expression is a mistake elsewhere.
                let fits = |tool: &&str| match &expression {
                    _ if is_list => *tool == part,
                    Ok(expression) => expression.is_match(tool),
                    Err(_) => true,
                };
                if part.to_lowercase().contains("mcp") || known.iter().any(fits) {
                    continue;
                }
                let distance =
                    |tool: &str| strsim::osa_distance(&tool.to_lowercase(), &part.to_lowercase());
                let near = known.iter().min_by_key(|tool| distance(tool));
                let help = match near.filter(|tool| distance(tool) <= 2) {
                    Some(tool) => format!("did you mean `{tool}`?"),
                    None => "this is right for a tool of your own".to_owned(),
                };
                let title = group.dialect.title();
                let message = format!("no tool of {title} that is known here is called `{part}`");
                (message, help)
            };
            let notice = group.mistake(&["matcher"], message, Some(&help));
            self.notices.push(notice.to_string());
        }
    }

    /// Returns the subjects that a matcher names.
    fn subjects(
        &mut self,
        group: &MatcherGroup<'_>,
        matcher: Option<&Value>,
    ) -> Result<Subjects, ConfigError> {
        let of = group.policy.rules.files.matcher;
        let is_lenient = of == Matcher::Lenient;
        let text = match matcher {
            None | Some(Value::Null) => return Ok(Subjects::Any),
            Some(Value::String(text)) => text.as_str(),
            Some(_) => {
                return Err(group.mistake(
                    &["matcher"],
                    "the matcher must be a string",
                    Some("write the names with `|` between them: `\"Edit|Write\"`"),
                ));
            }
        };
        if matches!(text, "" | "*") {
            return Ok(Subjects::Any);
        }
        let compared = group
            .event
            .map_or(&EventSubject::Tool, |event| &event.subject);
        if *compared == EventSubject::None || (group.event.is_none() && !group.info.has_subject) {
            let notice = group.mistake(
                &["matcher"],
                format!(
                    "`{}` has nothing to compare a matcher with, so this one is ignored",
                    group.name
                ),
                None,
            );
            self.notices.push(notice.to_string());
            return Ok(Subjects::Any);
        }
        if group.dialect == Dialect::Flat {
            let glob = Glob::new(text)
                .map_err(|error| group.mistake(&["matcher"], error.to_string(), None))?;
            return Ok(Subjects::Globs(vec![glob]));
        }
        if *compared == EventSubject::Tool {
            self.tell_unknown_tools(group, text);
        }
        if text.chars().all(|c| of.is_of_names(c)) {
            let names = text
                .split(['|', ','])
                .map(str::trim)
                .filter(|name| !name.is_empty());
            return Ok(Subjects::Names(names.map(str::to_owned).collect()));
        }
        // Gemini compares a subject other than a tool literally.
        if is_lenient && *compared != EventSubject::Tool {
            return Ok(Subjects::Names(vec![text.to_owned()]));
        }
        let unless = Subjects::unless(text).filter(|_| group.policy.rules.files.look_ahead);
        if let Some(Ok(subjects)) = unless {
            return Ok(subjects);
        }
        let whole = format!("^(?:{text})$");
        match pattern::compiled(if of == Matcher::Whole { &whole } else { text }) {
            Ok(regex) => Ok(Subjects::Regex(regex)),
            Err(_) if is_lenient && !has_look_around(text) => {
                let notice = group.mistake(
                    &["matcher"],
                    format!("`{text}` is not a regular expression, so it is compared literally"),
                    None,
                );
                self.notices.push(notice.to_string());
                Ok(Subjects::Names(vec![text.to_owned()]))
            }
            Err(last) => {
                Err(group.mistake(
                    &["matcher"],
                    format!("the matcher is a regular expression that cannot be used: {last}"),
                    Some("look-around and back-references are not supported, so that matching always takes linear time: write the names with `|` between them"),
                ))
            }
        }
    }
}

fn has_look_around(text: &str) -> bool {
    ["(?=", "(?!", "(?<=", "(?<!"]
        .iter()
        .any(|start| text.contains(start))
}
