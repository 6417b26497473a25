//! The rules of a file as Rust: a hook for each priority, with a row for each rule.

use std::fmt::Write as _;

use hooks_glob::Glob;
use hooks_rules::action::Action;
use hooks_rules::cel::{Cel, Literal};
use hooks_rules::check::Checked;
use hooks_rules::events::EventInfo;
use hooks_rules::template::{Pattern, Piece, Template};

use super::cel::{Translator, of_double};
use super::entry::RuleEntry;
use super::search::Search;
use super::tools::RuleTools;

/// One rule.
pub(super) struct IncludedRule {
    pub(super) name: String,
    /// Its file and line.
    pub(super) source: String,
    pub(super) entry: RuleEntry,
    pub(super) events: Vec<&'static EventInfo>,
    pub(super) checked: Checked,
}

/// What the rules of a file become.
#[derive(Default)]
pub(super) struct CompiledRules {
    /// Items of Rust.
    pub(super) items: String,
    /// The hooks, as expressions.
    pub(super) hooks: Vec<String>,
}

/// Compiles the rules of a file, whose items have names that begin so.
pub(super) fn compile(rules: &[IncludedRule], prefix: &str, stops: u32) -> CompiledRules {
    let mut writer = Writer {
        prefix,
        stops,
        statics: String::new(),
        tools: Vec::new(),
    };
    let mut compiled = CompiledRules::default();
    let mut priorities: Vec<i32> = rules.iter().map(|rule| rule.entry.priority).collect();
    priorities.sort_unstable();
    priorities.dedup();
    for priority in priorities.into_iter().rev() {
        let run = rules.iter().filter(|rule| rule.entry.priority == priority);
        let name = format!("{prefix}Run{}", compiled.hooks.len());
        let run: Vec<_> = run.collect();
        compiled.items.push_str(&writer.run(&name, priority, &run));
        compiled.hooks.push(format!("__core::Rules::<{name}>::NEW"));
    }
    for (nth, (_, tools)) in writer.tools.iter().enumerate() {
        let _ = write!(
            compiled.items,
            "#[inline] fn {prefix}tools{nth}(n: &::core::primitive::str) -> u8 {{ {} }}",
            tools.code
        );
    }
    compiled.items.push_str(&writer.statics);
    compiled
}

/// `tools` and `matcher` of an entry.
type EntryTools = (Option<Vec<String>>, Option<String>);

struct Writer<'p> {
    prefix: &'p str,
    /// How often hooks may prevent an agent from stopping.
    stops: u32,
    statics: String,
    /// The tools of rules, as they are written, each once.
    tools: Vec<(EntryTools, RuleTools)>,
}

/// What is known of rules in their order.
fn facts<'r>(rules: impl Iterator<Item = &'r IncludedRule>) -> &'static str {
    let (mut guards, mut changed, mut again) = (false, false, false);
    for rule in rules {
        again |= guards && changes(rule);
        guards |= rule.checked.is_guard;
        changed |= changes(rule);
    }
    match (guards, changed) {
        _ if again => "Rejudges",
        (true, true) => "ChangesAndGuards",
        (true, false) => "Guards",
        (false, true) => "Changes",
        (false, false) => "Looks",
    }
}

/// The lifetime of an event that borrows.
fn lifetime(event: &EventInfo) -> &'static str {
    match event.name {
        "ApproveToolCall" => "<'e>",
        _ => "",
    }
}

impl Writer<'_> {
    fn run(&mut self, name: &str, priority: i32, run: &[&IncludedRule]) -> String {
        let events = hooks_rules::events::EVENTS.iter();
        let is_of = |event: &&EventInfo| run.iter().any(|rule| rule.events.contains(event));
        let events: Vec<_> = events.filter(is_of).collect();
        let answers = events.iter().rev().fold(String::from("()"), |rest, event| {
            let lifetime = lifetime(event).replace("'e", "'static");
            let one = format!("__core::OnMany<__agent::{}{lifetime}>", event.name);
            if rest == "()" {
                one
            } else {
                format!("__core::Both<{one}, {rest}>")
            }
        });
        let mut code = format!(
            "struct {name}; \
             #[allow(warnings, clippy::all, clippy::pedantic)] \
             impl __core::RuleSet for {name} {{ \
                type Vocabulary = __agent::AgentEvent<'static>; \
                type Rank = {}; \
                type Answers = {answers}; \
                const ROWS: &'static [__core::RuleRow] = &[",
            rank(priority)
        );
        for rule in run {
            let rows = rule.events.iter().map(|event| {
                let lifetime = lifetime(event).replace("'e", "'static");
                let of = format!(
                    "<__agent::{}{lifetime} as __hooks::Event>::INFO",
                    event.name
                );
                let row = format!("__core::Row::new(Some({of}), __core::Runs::Sync)");
                if rule.checked.is_guard {
                    format!("{row}.guard()")
                } else {
                    format!("{row}.changes({})", changes(rule))
                }
            });
            let rows = rows.collect::<Vec<_>>().join(", ");
            let (name, source) = (&rule.name, &rule.source);
            let _ = write!(
                code,
                "__core::RuleRow {{ name: {name:?}, source: {source:?}, rows: &[{rows}] }}, "
            );
        }
        code.push_str("]; }");
        for event in events {
            self.judges(&mut code, name, event, run);
        }
        code
    }

    /// What the rules of a run say about an event.
    fn judges(&mut self, code: &mut String, name: &str, event: &EventInfo, run: &[&IncludedRule]) {
        let rules = run.iter().enumerate();
        let rules: Vec<_> = rules
            .filter(|(_, rule)| rule.events.iter().any(|of| of.name == event.name))
            .collect();
        let facts = facts(rules.iter().map(|(_, rule)| **rule));
        let (event_name, lifetime) = (event.name, lifetime(event));
        let _ = write!(
            code,
            "#[allow(warnings, clippy::all, clippy::pedantic)] \
             impl{lifetime} __core::Judges<__agent::{event_name}{lifetime}> for {name} {{ \
                type Facts = __core::{facts}; \
                fn says(cx: &__agent::AgentContext, event: &__agent::{event_name}{lifetime}, from: usize, again: bool) \
                -> Option<__core::Says<__agent::{event_name}{lifetime}>> {{ "
        );
        if event.name == "BeforeStop" {
            let _ = write!(
                code,
                "if event.attempt >= {} {{ return None; }} ",
                self.stops
            );
        }
        code.push_str("let x = __rt::RuleEvent::new(cx, __agent::AgentEvent::from(event)); let m: &[(&'static str, __rt::Json)] = &[]; ");
        if event.has_subject {
            code.push_str("let n: &::core::primitive::str = event.name.as_ref(); let i: &::core::primitive::str = event.id.as_ref(); let a = x.args(); ");
        }
        // Unless a rule lets the event go on after it has said something, the rules run once.
        let goes_on = |rule: &IncludedRule| !cancels(rule) || !blocks(rule, event);
        let is_resumed = rules.iter().any(|(_, rule)| goes_on(rule));
        let (mut bodies, mut used, mut asked) = (String::new(), Vec::new(), Vec::new());
        for (nth, rule) in rules {
            let tools = self.tools_of(rule);
            if let Some(tools) = tools
                && !used.contains(&tools)
            {
                used.push(tools);
            }
            let body = self.rule(event, (nth, is_resumed), rule, tools, &mut asked);
            bodies.push_str(&body);
        }
        for tools in used {
            let _ = write!(code, "let t{tools} = {}tools{tools}(n); ", self.prefix);
        }
        for (nth, keys) in asked.iter().enumerate() {
            let _ = write!(code, "let q{nth} = &__rt::Arg::new(a, &{keys:?}); ");
        }
        code.push_str(&bodies);
        code.push_str(" None } }");
    }

    /// The place of the rule's tools, if it is not for all.
    fn tools_of(&mut self, rule: &IncludedRule) -> Option<usize> {
        let RuleEntry { tools, matcher, .. } = &rule.entry;
        let written = (tools.clone(), matcher.clone());
        if written == (None, None) {
            return None;
        }
        if let Some(place) = self.tools.iter().position(|(known, _)| *known == written) {
            return Some(place);
        }
        let tools = match &written {
            (Some(globs), _) => {
                let globs = globs.iter().filter_map(|glob| Glob::new(glob).ok());
                RuleTools::of_globs(&globs.collect::<Vec<_>>())
            }
            (None, matcher) => {
                let matcher = matcher.as_deref().unwrap_or_default();
                let regex = Search::new(matcher);
                let has = |name: &str| regex.is_match(name);
                RuleTools::of_regex(matcher, &has, &mut self.statics, self.prefix)
            }
        };
        self.tools.push((written, tools));
        Some(self.tools.len() - 1)
    }

    fn rule(
        &mut self,
        event: &EventInfo,
        (nth, is_resumed): (usize, bool),
        rule: &IncludedRule,
        tools: Option<usize>,
        asked: &mut Vec<Vec<String>>,
    ) -> String {
        let mut tests = Vec::new();
        if is_resumed {
            tests.push(format!("from <= {nth}"));
        }
        if !rule.checked.is_guard {
            tests.push("!again".into());
        }
        if let Some(tools) = tools {
            tests.push(format!("t{tools} != 0"));
        }
        let one_of = |ids: &[String]| {
            let ids: Vec<_> = ids.iter().map(|id| format!("{id:?}")).collect();
            ids.join(" | ")
        };
        if !rule.entry.tenants.is_empty() {
            let ids = one_of(&rule.entry.tenants);
            tests.push(format!("matches!(cx.tenant_id.as_deref(), Some({ids}))"));
        }
        if !rule.entry.agents.is_empty() {
            let ids = one_of(&rule.entry.agents);
            tests.push(format!(
                "(matches!(&*cx.agent_id, {ids}) || matches!(&*cx.agent_type, {ids}))"
            ));
        }
        if let Some(input) = &rule.checked.rule {
            let name = format!("{}X{}", self.prefix, self.statics.lines().count());
            let _ = writeln!(
                self.statics,
                "static {name}: __rt::LazyLock<__rt::InputRule> = __rt::LazyLock::new(|| __rt::input_rule({:?}));",
                input.text()
            );
            tests.push(format!("__rt::is_input(&{name}, cx, n, a)"));
        }
        if tests.is_empty() {
            tests.push("true".into());
        }
        let known = format!(
            "&__rt::RuleName {{ nth: {nth}, name: {:?}, blocks: {} }}",
            rule.name,
            blocks(rule, event)
        );
        let mut says = self.action(rule, event, nth, &known, asked);
        if let Some(cel) = &rule.checked.condition {
            let mut translator = self.translator(event, asked);
            says = format!(
                "match x.value({:?}, {}) {{ Ok(false) => {{}} Ok(true) => {{ {says} }} \
                 Err(why) => return __rt::fails({known}, why) }}",
                cel.text(),
                translator.condition(cel),
            );
        }
        let mut code = format!("if {} {{ ", tests.join(" && "));
        let sets = event.takes_args && matches!(rule.checked.action, Some(Action::Modify(_)));
        let reads = reads_args(rule) || sets;
        if let Some(tools) = tools.filter(|tools| reads && !self.tools[*tools].1.names.is_empty()) {
            let _ = write!(code, "let r = match t{tools} {{ ");
            for (number, names) in self.tools[tools].1.names.iter().enumerate() {
                let _ = write!(code, "{} => x.renamed(&{names:?}), ", number + 2);
            }
            code.push_str(
                "_ => None }; let m = __rt::Renamed::variables(r.as_ref()); \
                 let a = r.as_ref().map_or(a, __rt::Renamed::args); ",
            );
            for nth in 0..asked.len() {
                if says.contains(&format!("asked(q{nth})")) {
                    let _ = write!(
                        code,
                        "let q{nth} = &__rt::Either::new(r.as_ref(), q{nth}); "
                    );
                }
            }
        } else if sets {
            code.push_str("let r: Option<__rt::Renamed> = None; ");
        }
        code + &says + "}"
    }

    fn translator<'t>(
        &'t mut self,
        event: &EventInfo,
        asked: &'t mut Vec<Vec<String>>,
    ) -> Translator<'t> {
        Translator::new(&mut self.statics, self.prefix, event.has_subject, asked)
    }

    fn action(
        &mut self,
        rule: &IncludedRule,
        event: &EventInfo,
        nth: usize,
        known: &str,
        asked: &mut Vec<Vec<String>>,
    ) -> String {
        let mut translator = self.translator(event, asked);
        let Some(action) = &rule.checked.action else {
            return String::new();
        };
        let mut verdict = |template: &Template, kind: &str| {
            let text = text(&mut translator, template);
            format!(
                "return __rt::does({known}, __rt::verdict({text}, |text| __rt::Verdict::{kind}));"
            )
        };
        match action {
            Action::Block(template) | Action::AbortTurn(template) | Action::AbortRun(template) => {
                let scope = match action {
                    Action::AbortTurn(_) => "Turn",
                    Action::AbortRun(_) => "Run",
                    _ => "Event",
                };
                let plain = template
                    .as_plain()
                    .filter(|plain| plain.len() <= MOST_PLAIN);
                if let Some(plain) = plain {
                    return format!(
                        "return Some(__core::Says::Cancels({nth}, __hooks::Scope::{scope}, ::std::borrow::Cow::Borrowed({plain:?})));"
                    );
                }
                let text = text(&mut translator, template);
                format!("return __rt::cancels({known}, __hooks::Scope::{scope}, {text});")
            }
            Action::Ask(template) => verdict(template, "Ask { reason: text }"),
            Action::Defer(template) => verdict(template, "Defer { reason: text }"),
            Action::Approve(template) => verdict(template, "Approve { by: Some(text) }"),
            Action::Context(template) => {
                let text = text(&mut translator, template);
                format!("return __rt::does({known}, __rt::context({text}));")
            }
            Action::Respond(pattern) => {
                let json = json(&mut translator, pattern);
                format!("return __rt::does({known}, __rt::respond((|| Ok({json}))()));")
            }
            Action::Modify(pattern) => {
                let json = json(&mut translator, pattern);
                let names = if event.takes_args {
                    "r.as_ref()"
                } else {
                    "None"
                };
                format!("return __rt::does({known}, __rt::modify((|| Ok({json}))(), {names}));")
            }
        }
    }
}

/// The longest text that is never cut.
const MOST_PLAIN: usize = 10_000;

/// A text with expressions in it, as a `Result`.
fn text(translator: &mut Translator<'_>, template: &Template) -> String {
    let mut code = String::from(
        "(|| -> __rt::TextResult<::std::string::String> { let mut s = ::std::string::String::new(); ",
    );
    for piece in template.pieces() {
        let _ = match piece {
            Piece::Text(text) => write!(code, "s.push_str({text:?}); "),
            Piece::Expression(cel) => {
                let shown = translator.shown(cel);
                write!(code, "s.push_str(&x.value({:?}, {shown})?); ", cel.text())
            }
        };
    }
    code.push_str("Ok(s) })()");
    code
}

/// A value with expressions in its texts, in a closure that `?` leaves.
fn json(translator: &mut Translator<'_>, pattern: &Pattern) -> String {
    match pattern {
        Pattern::Text(template) => match template.pieces() {
            [Piece::Expression(cel)] => {
                let json = translator.json(cel);
                format!("x.value({:?}, {json})?", cel.text())
            }
            _ => format!("__rt::Json::String({}?)", text(translator, template)),
        },
        Pattern::List(items) => {
            let items: Vec<_> = items.iter().map(|item| json(translator, item)).collect();
            format!("__rt::Json::Array(::std::vec![{}])", items.join(", "))
        }
        Pattern::Table(fields) => {
            let fields = fields
                .iter()
                .map(|(key, value)| format!("({key:?}, {})", json(translator, value)));
            format!("__rt::table([{}])", fields.collect::<Vec<_>>().join(", "))
        }
        Pattern::Other(literal) => match literal {
            Literal::Bool(value) => format!("__rt::Json::from({value})"),
            Literal::Int(number) => format!("__rt::Json::from({number}_i64)"),
            Literal::Uint(number) => format!("__rt::Json::from({number}_u64)"),
            Literal::Double(number) => format!("__rt::Json::from({})", of_double(*number)),
            _ => "__rt::Json::Null".into(),
        },
    }
}

/// Whether it can change an event, as plans show it.
fn changes(rule: &IncludedRule) -> bool {
    let action = rule.checked.action.as_ref();
    !matches!(
        action,
        None | Some(
            Action::Block(_) | Action::AbortTurn(_) | Action::AbortRun(_) | Action::Respond(_)
        )
    )
}

fn cancels(rule: &IncludedRule) -> bool {
    let action = rule.checked.action.as_ref();
    matches!(
        action,
        Some(Action::Block(_) | Action::AbortTurn(_) | Action::AbortRun(_))
    )
}

/// Whether the event is blocked if the rule fails.
fn blocks(rule: &IncludedRule, event: &EventInfo) -> bool {
    event.is_blockable && !rule.entry.skips
}

/// Whether its expressions read the arguments of the tool.
fn reads_args(rule: &IncludedRule) -> bool {
    let reads = |cel: &Cel| cel.reads("args");
    let in_text = |template: &Template| {
        let mut pieces = template.pieces().iter();
        pieces.any(|piece| matches!(piece, Piece::Expression(cel) if reads(cel)))
    };
    fn in_value(pattern: &Pattern, in_text: &dyn Fn(&Template) -> bool) -> bool {
        match pattern {
            Pattern::Text(template) => in_text(template),
            Pattern::List(items) => items.iter().any(|item| in_value(item, in_text)),
            Pattern::Table(fields) => fields.iter().any(|(_, value)| in_value(value, in_text)),
            Pattern::Other(_) => false,
        }
    }
    rule.checked.condition.as_ref().is_some_and(reads)
        || match &rule.checked.action {
            Some(Action::Respond(pattern) | Action::Modify(pattern)) => in_value(pattern, &in_text),
            Some(
                Action::Block(template)
                | Action::AbortTurn(template)
                | Action::AbortRun(template)
                | Action::Ask(template)
                | Action::Defer(template)
                | Action::Approve(template)
                | Action::Context(template),
            ) => in_text(template),
            None => false,
        }
}

/// A priority as a type.
fn rank(priority: i32) -> String {
    let digit = |nth: u32| (priority.cast_unsigned() ^ 0x8000_0000) >> (4 * nth) & 0xF;
    let digits = (0..8)
        .rev()
        .map(|nth| format!("__core::Nibble<{}>", digit(nth)));
    format!("__core::Digits<{}>", digits.collect::<Vec<_>>().join(", "))
}
