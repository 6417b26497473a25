//! The process of the file: a line of JSON-RPC in, a line out, as PicoClaw's hooks speak.

use std::error::Error;
use std::io::{BufRead, Write};

use serde_json::{Value, json};

/// Answers until the input ends. Files that have `secret` in their names are not read.
pub(crate) fn answer() -> Result<(), Box<dyn Error>> {
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        let Some(id) = request.get("id") else {
            continue;
        };
        let path = request["params"]["arguments"]["path"].as_str();
        let result = match request["method"].as_str() {
            Some("hook.before_tool") if path.is_some_and(|path| path.contains("secret")) => {
                json!({ "action": "deny_tool", "reason": "secrets stay where they are" })
            }
            Some("hook.hello") => json!({ "ok": true, "name": "review" }),
            _ => json!({ "action": "continue" }),
        };
        writeln!(
            output,
            "{}",
            json!({ "jsonrpc": "2.0", "id": id, "result": result })
        )?;
        output.flush()?;
    }
    Ok(())
}
