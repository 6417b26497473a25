// Random rules over the whole grammar. The build script writes them, and the test makes events for them.

use std::fmt::Write as _;

/// Random numbers by a seed: splitmix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, most: usize) -> usize {
        usize::try_from(self.next() % most as u64).unwrap()
    }

    pub(crate) fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// Whether it happens, so many times in a hundred.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// Texts that rules and events have.
pub(crate) const TEXTS: [&str; 12] = [
    "",
    "a",
    "ab",
    "abc",
    "b.c",
    "git push",
    "git push --force",
    "/etc/passwd",
    "src/lib.rs",
    "é",
    "A,b",
    "xb.cx",
];

/// Tools that events have.
pub(crate) const TOOLS: [&str; 14] = [
    "shell",
    "Bash",
    "run_shell_command",
    "execute_command",
    "Write",
    "file_write",
    "write_file",
    "Read",
    "file_read",
    "WebFetch",
    "web_fetch",
    "mcp__git__push",
    "deploy",
    "ask_user",
];

const PATTERNS: [&str; 14] = [
    "^a",
    "b.c$",
    "[ab]+",
    "^git push$",
    "force",
    "^é",
    "(git|hg) +push",
    "a|b",
    "^$",
    "\\\\d",
    "(?i)ABC",
    "^/etc/",
    "\\\\.rs$",
    "x.*x",
];

/// An event that rules decide about: its name, its fields that are texts, those that are whole numbers, and what rules on it may do.
pub(crate) struct About(
    pub(crate) &'static str,
    pub(crate) &'static [&'static str],
    pub(crate) &'static [&'static str],
    pub(crate) &'static [&'static str],
);

pub(crate) const EVENTS: [About; 15] = [
    About(
        "BeforeToolCall",
        &["name", "id"],
        &[],
        &[
            "block",
            "abort_turn",
            "abort_run",
            "ask",
            "defer",
            "approve",
            "context",
            "respond",
            "modify",
        ],
    ),
    About(
        "AfterToolCall",
        &["name", "id", "output.content"],
        &[],
        &["abort_turn", "context", "modify"],
    ),
    About(
        "InvalidToolCall",
        &["name", "id", "error"],
        &[],
        &["block", "respond", "modify"],
    ),
    About(
        "ApproveToolCall",
        &["name", "id"],
        &[],
        &["block", "approve", "respond"],
    ),
    About(
        "SessionStart",
        &["session_id", "channel"],
        &[],
        &["abort_run", "context", "modify"],
    ),
    About(
        "MessageReceived",
        &["channel", "sender", "content"],
        &[],
        &["block", "context", "modify"],
    ),
    About(
        "BeforeModelResolve",
        &["provider", "model"],
        &[],
        &["block", "modify"],
    ),
    About(
        "BeforePromptBuild",
        &["prompt"],
        &[],
        &["block", "context", "modify"],
    ),
    About(
        "BeforeLlmCall",
        &["provider", "model"],
        &[],
        &["block", "respond", "modify"],
    ),
    About(
        "LlmFailed",
        &["provider", "model", "error"],
        &["attempt"],
        &["abort_turn", "respond", "modify"],
    ),
    About(
        "AfterLlmCall",
        &["model", "response.content"],
        &["attempt"],
        &["abort_turn", "respond", "modify"],
    ),
    About(
        "SubagentStart",
        &["id", "agent", "prompt"],
        &[],
        &["block", "context", "modify"],
    ),
    About(
        "BeforeStop",
        &["response"],
        &["attempt"],
        &["block", "context", "modify", "abort_turn"],
    ),
    About(
        "MessageSending",
        &["channel", "recipient", "content"],
        &[],
        &["block", "modify"],
    ),
    About(
        "BeforeCompact",
        &["trigger", "instructions"],
        &[],
        &["block", "modify"],
    ),
];

/// Whether an event is about a tool.
pub(crate) fn is_call(about: &About) -> bool {
    about.0.ends_with("ToolCall")
}

/// Writes expressions over the fields of an event.
struct Writer<'r> {
    random: &'r mut Random,
    about: &'r About,
    /// Whether it is in a loop, whose value is `v`.
    in_loop: bool,
}

impl Writer<'_> {
    fn quoted(&mut self) -> String {
        format!("'{}'", self.random.of(&TEXTS))
    }

    fn text(&mut self, depth: usize) -> String {
        let fields = self.about.1;
        let is_call = is_call(self.about);
        match self.random.below(if depth == 0 { 5 } else { 15 }) {
            0 | 1 if is_call => (*self.random.of(&[
                "args.command",
                "args.path",
                "args.map.x",
                "args.text",
                "args['path']",
            ]))
            .into(),
            0..=2 => (*self.random.of(fields)).into(),
            3 => (*self
                .random
                .of(&["cx.agent_id", "cx.cwd", "cx.channel", "cx.extra.who"]))
            .into(),
            4 => self.quoted(),
            5 => format!("({}).lowerAscii()", self.text(depth - 1)),
            6 => format!("({}).upperAscii().trim()", self.text(depth - 1)),
            7 => format!("({}).replace('b', 'cd')", self.text(depth - 1)),
            8 => format!("({}).split(',')[0]", self.text(depth - 1)),
            9 => format!("({} + {})", self.text(depth - 1), self.text(depth - 1)),
            10 => format!("string({})", self.int(depth - 1)),
            11 => format!("({}).substring(0, 1)", self.text(depth - 1)),
            12 => format!(
                "({} ? {} : {})",
                self.bool(depth - 1),
                self.text(depth - 1),
                self.text(depth - 1)
            ),
            13 => format!("({}).reverse()", self.text(depth - 1)),
            _ if is_call && !self.in_loop => "args.list.map(v, string(v)).join('-')".into(),
            _ => format!("{{'k': {}}}.k", self.text(depth - 1)),
        }
    }

    fn int(&mut self, depth: usize) -> String {
        let is_call = is_call(self.about);
        match self.random.below(if depth == 0 { 4 } else { 11 }) {
            0 | 1 if is_call => (*self.random.of(&["args.n", "args.map.y", "args.list[0]"])).into(),
            0 if !self.about.2.is_empty() => (*self.random.of(self.about.2)).into(),
            0 | 1 => (*self.random.of(&["cx.depth", "cx.turn"])).into(),
            2 | 3 => (*self
                .random
                .of(&["0", "1", "-5", "7", "9223372036854775807"]))
            .into(),
            4 => format!("size({})", self.text(depth - 1)),
            5 => {
                let operator = self.random.of(&["+", "-", "*", "/", "%"]);
                format!(
                    "({} {operator} {})",
                    self.int(depth - 1),
                    self.int(depth - 1)
                )
            }
            6 => format!("-({})", self.int(depth - 1)),
            7 => format!("({}).indexOf('b')", self.text(depth - 1)),
            8 => format!("int({})", self.of_any(depth - 1)),
            9 => format!("max({}, {})", self.int(depth - 1), self.int(depth - 1)),
            _ if is_call => "size(args.list)".into(),
            _ => format!("[{}, 3][0]", self.int(depth - 1)),
        }
    }

    /// A value that may have any type.
    fn of_any(&mut self, depth: usize) -> String {
        let is_call = is_call(self.about);
        match self.random.below(5) {
            0 if is_call => (*self.random.of(&[
                "args.f",
                "args.flag",
                "args.list",
                "args.map",
                "args.none",
                "args.n",
            ]))
            .into(),
            0 | 1 => self.text(depth),
            2 => self.int(depth),
            3 => (*self
                .random
                .of(&["1.5", "2u", "null", "dyn(1)", "cx.tenant_id"]))
            .into(),
            _ => format!("dyn({})", self.text(depth)),
        }
    }

    /// A condition on a list of the arguments.
    fn of_list(&mut self, depth: usize) -> String {
        let does = *self.random.of(&["exists", "all", "exists_one"]);
        self.in_loop = true;
        let body = match self.random.below(3) {
            0 => format!("v == {}", self.quoted()),
            1 => format!(
                "string(v).contains({}) || {}",
                self.quoted(),
                self.bool(depth)
            ),
            _ => format!("type(v) == string && v.startsWith({})", self.quoted()),
        };
        self.in_loop = false;
        let range = *self.random.of(&[
            "args.list",
            "args.map",
            "args.list.filter(v, v != 'a')",
            "args.list.map(v, v)",
            "args.list.map(v, v != 1, v)",
        ]);
        if range.contains('(') && self.random.chance(50) {
            return format!("size({range}) > 1");
        }
        let range = if range.contains('(') {
            "args.list"
        } else {
            range
        };
        format!("{range}.{does}(v, {body})")
    }

    fn bool(&mut self, depth: usize) -> String {
        let is_call = is_call(self.about);
        let operator = *self.random.of(&["==", "!=", "<", "<=", ">", ">="]);
        if depth > 0 && self.random.chance(55) {
            let (one, other) = (self.bool(depth - 1), self.bool(depth - 1));
            return match self.random.below(6) {
                0 | 1 => format!("({one} && {other})"),
                2 | 3 => format!("({one} || {other})"),
                4 => format!("!({one})"),
                _ => format!("({one} ? {other} : {})", self.bool(depth - 1)),
            };
        }
        let deep = depth.min(2);
        match self.random.below(19) {
            0 => format!("{} == {}", self.text(deep), self.quoted()),
            1 => format!("{} {operator} {}", self.text(deep), self.text(deep)),
            2 | 3 => {
                let does = *self.random.of(&["contains", "startsWith", "endsWith"]);
                format!("({}).{does}({})", self.text(deep), self.text(0))
            }
            4 | 5 => format!(
                "({}).matches('{}')",
                self.text(deep),
                self.random.of(&PATTERNS)
            ),
            6 | 7 => format!("{} {operator} {}", self.int(deep), self.int(deep)),
            8 => format!("{} in ['a', 'git push', 'shell']", self.text(deep)),
            9 => format!("{} in [1, 7, {}]", self.int(deep), self.int(0)),
            10 => format!("dyn({}) == {}", self.of_any(deep), self.of_any(deep)),
            11 if is_call => (*self.random.of(&[
                "has(args.path)",
                "has(args.map.x)",
                "has(args.zz)",
                "'x' in args.map",
                "args.flag",
                "args.flag == true",
                "has(args.map)",
                "annotations.destructive == true",
            ]))
            .into(),
            12 if is_call && !self.in_loop => self.of_list(deep.min(1)),
            13 if is_call => format!("args.f * 2.0 {operator} 1.5"),
            14 if is_call => format!("{} in args.list", self.quoted()),
            15 => format!("type({}) == string", self.of_any(deep)),
            16 => (*self.random.of(&[
                "cx.tenant_id == null",
                "cx.depth > 1",
                "true",
                "has(cx.extra.who)",
                "has(raw.tool_name)",
            ]))
            .into(),
            17 if is_call => "args.none == null".into(),
            _ => format!(
                "size({}) {operator} {}",
                self.text(deep),
                self.random.below(8)
            ),
        }
    }

    /// A text with expressions in it.
    fn template(&mut self) -> String {
        match self.random.below(4) {
            0 => "this is {{so}}".into(),
            1 => format!("no {{{}}} here", self.text(1)),
            2 => format!("{{{}}}: {{{}}}", self.int(1), self.text(0)),
            _ => "plain".into(),
        }
    }
}

/// A text in TOML.
fn toml(text: &str) -> String {
    format!("'''{text}'''")
}

/// Rules for the input of a tool.
const INPUTS: [&str; 8] = [
    "Bash(git push *)",
    "Bash(git:*)",
    "shell(a*)",
    "Bash(*)",
    "Edit(src/**)",
    "Read(/etc/*)",
    "Write(./*.rs)",
    "WebFetch(domain:b.c)",
];

/// Writes one rule of a group. What it says may be a mistake, which the caller leaves out.
pub(crate) fn rule(random: &mut Random, name: &str, group: usize) -> String {
    let about = if random.chance(55) {
        &EVENTS[0]
    } else {
        random.of(&EVENTS)
    };
    let mut writer = Writer {
        random,
        about,
        in_loop: false,
    };
    let depth = 1 + writer.random.below(3);
    let condition = writer.bool(depth);
    let action = *writer.random.of(about.3);
    let value = match action {
        "respond" => match about.0 {
            "ApproveToolCall" => "{ by = 'a rule' }".to_owned(),
            _ if writer.random.chance(40) => format!(
                "{{ content = {}, is_error = true }}",
                toml(&writer.template())
            ),
            _ => toml(&writer.template()),
        },
        "modify" => match about.0 {
            _ if is_call(about) && about.0 != "AfterToolCall" => match writer.random.below(3) {
                0 => format!("{{ path = {}, n = 3 }}", toml(&writer.template())),
                1 => toml(&format!(
                    "{{'command': {}, 'deep': [1, {}]}}",
                    writer.text(1),
                    writer.int(0)
                )),
                _ => format!(
                    "{{ text = {}, map = {{ x = {}, y = 1.5 }} }}",
                    toml(&format!("{{{}}}", writer.of_any(1))),
                    toml("a")
                ),
            },
            "AfterToolCall" => format!("{{ content = {} }}", toml(&writer.template())),
            "AfterLlmCall" => format!("{{ model = {} }}", toml(&writer.template())),
            _ => {
                let mut texts = about
                    .1
                    .iter()
                    .filter(|field| !["id", "error"].contains(field));
                format!(
                    "{{ {} = {} }}",
                    texts.next().unwrap(),
                    toml(&writer.template())
                )
            }
        },
        _ => toml(&writer.template()),
    };
    let mut rule = format!(
        "[[hooks.on]]\nname = \"{name}\"\nevent = \"{}\"\nscope = {{ agents = [\"g{group}\"] }}\n",
        about.0
    );
    if is_call(about) && random.chance(60) {
        let tools = *random.of(&[
            "tools = \"shell\"",
            "tools = [\"file_write\", \"file_edit\"]",
            "tools = \"web_*\"",
            "tools = [\"mcp__*\", \"Bash\"]",
            "tools = \"file_read\"",
            "matcher = \"^(shell|exec)\"",
            "matcher = \"[^a]hell$\"",
            "matcher = \"deploy\"",
            "tools = [\"de?loy\", \"*ask*\"]",
            "tools = \"*\"",
        ]);
        let _ = writeln!(rule, "{tools}");
    }
    if is_call(about) && random.chance(12) {
        let _ = writeln!(rule, "if = \"{}\"", random.of(&INPUTS));
    } else if random.chance(85) {
        let _ = writeln!(rule, "if = {}", toml(&condition));
    }
    let _ = writeln!(rule, "priority = {}", random.below(5).cast_signed() - 2);
    let _ = writeln!(rule, "{action} = {value}");
    if random.chance(15) {
        rule += "on_failure = \"skip\"\n";
    }
    if ["block", "abort_turn", "abort_run"].contains(&action) && random.chance(15) {
        rule += "guard = false\n";
    }
    rule
}
