//! The systems, a line for each: `hooks-runtime/src/system` has a folder of this name. Where hooks of the system's own files
//! run here, what these files are; then `[[hooks.import]]` has a key of this name.

/// Calls a macro with all systems.
macro_rules! systems {
    ($then:ident) => {
        $then! {
            /// Our own: Claude Code's field names, with the whole payload under `event`. An answer may also have the
            /// keys of a rule: `block`, `abort_turn`, `abort_run`, `ask`, `defer`, `approve`, `context`,
            /// `respond` and `modify`.
            #[default]
            Hooks = hooks, "Another file of this format. All its hooks are imported, but not its limits";
            /// Claude Code's.
            Claude = claude, "A `settings.json` of Claude Code, or of an agent that reads its format";
            /// Codex's.
            Codex = codex, "A `hooks.json` of Codex";
            /// Gemini CLI's.
            Gemini = gemini, "A `settings.json` of Gemini CLI";
            /// Goose's.
            Goose = goose, "A `hooks.json` of goose";
            /// PicoClaw's.
            Picoclaw = picoclaw, "A configuration of PicoClaw";
            /// GoClaw's.
            Goclaw = goclaw, "A hook of GoClaw, or a list of them";
            /// The form of mini-claw-code, in which each entry is a command with a glob:
            /// `{"matcher": "bash", "command": "…"}`.
            Flat = flat;
            /// Cursor's.
            Cursor = cursor, "A `hooks.json` of Cursor";
            /// GitHub Copilot's.
            Copilot = copilot, "A file of `.github/hooks`, or a `settings.json` of GitHub Copilot";
            /// VS Code's.
            Vscode = vscode;
            /// Qwen Code's.
            Qwen = qwen, "A `settings.json` of Qwen Code";
            /// OpenCode's, and Kilo's: the plugin that `hooks init` writes.
            Opencode = opencode;
            /// Antigravity CLI's.
            Antigravity = antigravity, "A `hooks.json` of Antigravity CLI";
            /// Grok Build's.
            Grok = grok, "A file of `.grok/hooks`";
            /// Devin CLI's.
            Devin = devin, "A `hooks.v1.json` or a `config.json` of Devin CLI";
            /// Kiro's.
            Kiro = kiro;
            /// Cline's.
            Cline = cline;
            /// Windsurf's, which is Devin Desktop's.
            Windsurf = windsurf;
            /// Factory Droid's.
            Droid = droid, "A `hooks.json` or a `settings.json` of Factory Droid";
            /// Augment's.
            Augment = augment, "A `settings.json` of Augment";
        }
    };
}
pub(crate) use systems;
