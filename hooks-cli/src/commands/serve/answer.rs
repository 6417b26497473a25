//! Converts the decisions of hooks to PicoClaw's actions.

use hooks_core::agent::Approval;
use hooks_runtime::{Decided, Outcome};
use serde_json::{Value, json};

/// Returns a reason, with the hook that gave it.
fn reason(outcome: &Outcome) -> String {
    let reason = outcome.reason.as_deref().unwrap_or("a hook blocked it");
    match &outcome.hook {
        Some(hook) => format!("{reason} (hook: {hook})"),
        None => reason.to_owned(),
    }
}

/// Returns the action that ends a turn or the loop, if the hooks want that.
fn ended(outcome: &Outcome) -> Option<Value> {
    let action = match outcome.decision {
        Decided::AbortTurn => "abort_turn",
        Decided::AbortRun => "hard_abort",
        _ => return None,
    };
    Some(json!({ "action": action, "reason": reason(outcome) }))
}

fn goes_on() -> Value {
    json!({ "action": "continue" })
}

/// Returns the refusal of a request that hooks could not judge.
///
/// # Errors
///
/// The message, if the method has no refusal.
pub(super) fn refused(method: &str, message: String) -> Result<Value, String> {
    match method {
        "hook.before_tool" => Ok(json!({ "action": "deny_tool", "reason": message })),
        "hook.approve_tool" => Ok(json!({ "approved": false, "reason": message })),
        // PicoClaw cannot deny only a model call, and cannot withhold the output of a tool.
        "hook.after_tool" | "hook.before_llm" | "hook.after_llm" => {
            Ok(json!({ "action": "abort_turn", "reason": message }))
        }
        _ => Err(message),
    }
}

/// Whether the tool still runs after this answer to `hook.before_tool`.
pub(super) fn runs_tool(answer: &Value) -> bool {
    matches!(answer["action"].as_str(), Some("continue" | "modify"))
}

/// Returns the strings of a list.
pub(super) fn texts(list: &Value) -> Vec<String> {
    let texts = list.as_array().into_iter().flatten();
    texts
        .filter_map(|text| text.as_str().map(str::to_owned))
        .collect()
}

pub(super) fn before_tool(
    params: &Value,
    outcome: &Outcome,
    call: &Value,
    approval: &Approval,
    approves: bool,
) -> Value {
    if let Some(ended) = ended(outcome) {
        return ended;
    }
    let mut changed = params.clone();
    changed["tool"] = call["name"].clone();
    changed["arguments"] = call["args"].clone();
    let is_same = changed["tool"] == params["tool"]
        && (changed["arguments"] == params["arguments"] || params["arguments"].is_null());
    match (outcome.decision, approval) {
        (Decided::Block, _) => json!({ "action": "deny_tool", "reason": reason(outcome) }),
        (Decided::Respond, _) => {
            let output = outcome.output.clone().unwrap_or_default();
            json!({ "action": "respond", "result": result(&json!({}), &output) })
        }
        // No person would be asked.
        (_, Approval::Ask { reason } | Approval::Defer { reason }) if !approves => json!({
            "action": "deny_tool",
            "reason": format!("the call needs approval, but the hook's modes do not include `approve_tool`: {reason}"),
        }),
        _ if is_same => goes_on(),
        _ => json!({ "action": "modify", "call": changed }),
    }
}

pub(super) fn approve_tool(outcome: &Outcome, approval: &Approval) -> Value {
    match (outcome.decision, approval) {
        (Decided::Continue, Approval::Ask { reason } | Approval::Defer { reason }) => {
            json!({ "approved": false, "reason": format!("the call needs approval, but no one can be asked: {reason}") })
        }
        (Decided::Continue | Decided::Respond, _) => json!({ "approved": true }),
        _ => json!({ "approved": false, "reason": reason(outcome) }),
    }
}

/// Returns a tool's result that contains our output.
fn result(before: &Value, output: &Value) -> Value {
    let mut result = before.clone();
    result["for_llm"] = output["content"].clone();
    if let Some(for_user) = output["for_user"].as_str() {
        result["for_user"] = for_user.into();
    }
    let media = output["media"].as_array().into_iter().flatten();
    let addresses: Vec<_> = media.filter_map(|one| one["url"].as_str()).collect();
    if !addresses.is_empty() {
        result["media"] = json!(addresses);
    }
    if output["response_handled"] == true {
        result["response_handled"] = true.into();
    }
    result["silent"] = (output["silent"] == true).into();
    result["is_error"] = (output["is_error"] == true).into();
    result
}

pub(super) fn after_tool(
    mut params: Value,
    outcome: &Outcome,
    before: &Value,
    after: &Value,
) -> Value {
    if let Some(ended) = ended(outcome) {
        return ended;
    }
    // PicoClaw has no separate place for text that hooks add for the model.
    let added = texts(&after["context"]);
    if before["output"] == after["output"] && added.is_empty() {
        return goes_on();
    }
    let mut output = after["output"].clone();
    let mut content = output["content"].as_str().unwrap_or_default().to_owned();
    for text in added {
        content.push_str("\n\n");
        content.push_str(&text);
    }
    output["content"] = content.into();
    params["result"] = result(&params["result"], &output);
    json!({ "action": "modify", "result": params })
}

pub(super) fn before_llm(
    mut params: Value,
    outcome: &Outcome,
    before: &Value,
    after: &Value,
) -> Value {
    if let Some(ended) = ended(outcome) {
        return ended;
    }
    match outcome.decision {
        // PicoClaw cannot stop a model call alone.
        Decided::Block => return json!({ "action": "abort_turn", "reason": reason(outcome) }),
        Decided::Respond => {
            return json!({
                "action": "abort_turn",
                "reason": "a hook answered in the model's place, which PicoClaw does not support",
            });
        }
        _ => {}
    }
    let mut is_same = true;
    for key in ["model", "messages", "options"] {
        if before[key] != after[key] {
            params[key] = after[key].clone();
            is_same = false;
        }
    }
    if before["tools"] != after["tools"] {
        // PicoClaw restores its own tools.
        anstream::eprintln!(
            "warning: a hook changed the tools of a model call, which PicoClaw ignores"
        );
    }
    if is_same {
        return goes_on();
    }
    json!({ "action": "modify", "request": params })
}

pub(super) fn after_llm(
    mut params: Value,
    outcome: &Outcome,
    before: &Value,
    after: &Value,
) -> Value {
    if let Some(ended) = ended(outcome) {
        return ended;
    }
    if outcome.decision == Decided::Respond {
        anstream::eprintln!(
            "warning: a hook asked for another model call, which PicoClaw does not support"
        );
    }
    let (before, after) = (&before["response"], &after["response"]);
    if before == after {
        return goes_on();
    }
    params["response"]["content"] = after["content"].clone();
    if before["tool_calls"] != after["tool_calls"] {
        let calls = after["tool_calls"].as_array().into_iter().flatten();
        let calls = calls.map(|call| {
            json!({ "id": call["id"], "type": "function",
                    "function": { "name": call["name"], "arguments": call["args"].to_string() } })
        });
        params["response"]["tool_calls"] = Value::Array(calls.collect());
    }
    json!({ "action": "modify", "response": params })
}
