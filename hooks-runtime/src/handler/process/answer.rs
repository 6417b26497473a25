//! Interprets the answer of a process.
//!
//! | `action` | |
//! | --- | --- |
//! | none, `continue`, `modify` | the event continues, with the changes in the answer |
//! | `respond`, with `result` | the result is the tool's output |
//! | `deny_tool` | the call is blocked |
//! | `abort_turn`, `hard_abort` | the turn ends, the run ends |
//!
//! As in PicoClaw, a process can change neither the system messages nor the tools of a model call. A `call` without
//! `arguments` keeps the current ones: PicoClaw empties them, which is hardly ever intended.

use hooks_core::agent::{Media, MediaKind, ToolOutput};
use serde_json::{Map, Value, json};

use super::llm;
use super::wire::ProcessRequest;
use crate::answer::{Change, HandlerAnswer, Verdict, kind_of};
use crate::fault::HandlerFault;
use crate::system::Dialect;

/// What is wrong with a result in our own dialect. It may have been meant as a refusal.
fn mistake(method: &str, result: &Value) -> Option<String> {
    let change = match method {
        "hook.before_tool" => ["call", "result"].as_slice(),
        "hook.after_tool" => &["result"],
        "hook.before_llm" => &["request"],
        "hook.after_llm" => &["response"],
        "hook.approve_tool" => &["approved"],
        _ => &[],
    };
    let wrong = |key: &str, value: &Value, write: &str| {
        Some(format!("`{key}` is {}: write {write}", kind_of(value)))
    };
    let keys = result.as_object().into_iter().flatten();
    let mut wrongs = keys.filter_map(|(key, value)| match key.as_str() {
        "reason" if value.is_string() => None,
        "reason" => wrong(key, value, "a string"),
        "action" if method != "hook.approve_tool" => None,
        "approved" if change.contains(&"approved") => None,
        known if change.contains(&known) && (value.is_object() || value.is_null()) => None,
        known if change.contains(&known) => wrong(key, value, "an object"),
        _ => Some(format!(
            "the result has the key `{key}`, which `{method}` does not know"
        )),
    });
    let call = &result["call"];
    wrongs
        .next()
        .or_else(|| match (&call["tool"], &call["arguments"]) {
            (tool, _) if !tool.is_null() && !tool.is_string() => {
                wrong("call.tool", tool, "a string")
            }
            (_, args) if !args.is_null() && !args.is_object() => {
                wrong("call.arguments", args, "an object")
            }
            _ => None,
        })
}

/// Returns the meaning of a result.
pub(super) fn of(
    request: &ProcessRequest,
    result: Value,
    hook: &str,
    dialect: Dialect,
) -> Result<HandlerAnswer, HandlerFault> {
    if request.method == "hook.approve_tool" {
        let answer = approval(request, &result, hook);
        let is_approved = !matches!(answer.verdict, Verdict::Block { .. });
        return match mistake(request.method, &result) {
            Some(mistake) if is_approved && dialect != Dialect::Picoclaw => {
                Err(HandlerFault::nonsense(mistake))
            }
            _ => Ok(answer),
        };
    }
    let mut answer = HandlerAnswer::default();
    if !result.is_object() {
        let message = format!(
            "the result is {}: write `{{\"action\": \"continue\"}}`, for example",
            kind_of(&result)
        );
        if dialect != Dialect::Picoclaw {
            return Err(HandlerFault::nonsense(message));
        }
        answer.ignore(&message, "");
    }
    let reason = |otherwise: &str| {
        let reason = result["reason"]
            .as_str()
            .filter(|reason| !reason.is_empty());
        reason.map_or_else(|| format!("the hook `{hook}` {otherwise}"), str::to_owned)
    };
    match result["action"].as_str() {
        Some("" | "continue" | "modify") => {}
        None if result["action"].is_null() => {
            // Another system's word for a refusal does not count as consent.
            let denies = ["deny", "block", "reject", "denied", "blocked"];
            if let Some(word) = result["decision"].as_str()
                && denies.contains(&word)
            {
                answer = HandlerAnswer::block(reason("denies it"));
                let warning = format!(
                    "`decision = \"{word}\"` is not part of this protocol: write `action = \"deny_tool\"`"
                );
                answer.warnings.push(warning);
                return Ok(answer);
            }
        }
        Some("respond") if request.method == "hook.before_tool" => {
            if result["result"].is_object() {
                let output = output_of(&result["result"], &mut answer.warnings);
                answer.verdict = Verdict::Respond(json!(output));
                return Ok(answer);
            }
            if dialect != Dialect::Picoclaw {
                return Err(HandlerFault::nonsense("`respond` has no `result`"));
            }
            answer.ignore("`respond` has no `result`", ", so the tool runs");
        }
        Some("deny_tool") => return Ok(HandlerAnswer::block(reason("denies it"))),
        Some("abort_turn") => {
            return Ok(HandlerAnswer::of(Verdict::AbortTurn {
                reason: reason("ends the turn"),
            }));
        }
        Some("hard_abort") => {
            return Ok(HandlerAnswer::of(Verdict::AbortRun {
                reason: reason("ends the run"),
            }));
        }
        other => {
            let other = other.map_or_else(|| result["action"].to_string(), str::to_owned);
            let message = format!("`{other}` is not an action of `{}`", request.method);
            if dialect != Dialect::Picoclaw {
                return Err(HandlerFault::nonsense(message));
            }
            answer.ignore(&message, ": it was ignored");
        }
    }
    // `{"approved": false}` is meant as a refusal, whatever the method.
    match mistake(request.method, &result) {
        Some(mistake) if dialect != Dialect::Picoclaw => {
            return Err(HandlerFault::nonsense(mistake));
        }
        Some(mistake) if result["action"].is_null() => answer.ignore(&mistake, ": it was ignored"),
        _ => {}
    }
    change(request, &result, &mut answer);
    if result["action"] == "modify" && answer.change.is_none() && answer.warnings.is_empty() {
        answer.warnings.push("`modify` has no change in it".into());
    }
    Ok(answer)
}

fn approval(request: &ProcessRequest, result: &Value, hook: &str) -> HandlerAnswer {
    if result["approved"] != Value::Bool(true) {
        let reason = result["reason"]
            .as_str()
            .filter(|reason| !reason.is_empty());
        let reason = reason.map_or_else(
            || format!("the hook `{hook}` does not approve it"),
            str::to_owned,
        );
        return HandlerAnswer::block(reason);
    }
    if request.ours == Value::Bool(true) {
        return HandlerAnswer::of(Verdict::Approve {
            by: Some(hook.to_owned()),
        });
    }
    HandlerAnswer::default()
}

/// Reads the change in the answer, if there is one.
fn change(request: &ProcessRequest, result: &Value, answer: &mut HandlerAnswer) {
    let asked = &request.params;
    match request.method {
        "hook.before_tool" => {
            let Value::Object(call) = &result["call"] else {
                return;
            };
            let name = call.get("tool").and_then(Value::as_str);
            let name = name.filter(|name| !name.is_empty() && *name != asked["tool"]);
            let args = call.get("arguments").filter(|args| !args.is_null());
            if args.is_none() {
                answer
                    .warnings
                    .push("`call` has no `arguments`: the call keeps its own".into());
            }
            let args = args.filter(|args| **args != asked["arguments"]).cloned();
            answer.change = match (name, args) {
                (Some(name), args) => Some(Change::Tool {
                    name: name.to_owned(),
                    args,
                }),
                (None, Some(args)) => Some(Change::Replace(args)),
                (None, None) => None,
            };
        }
        "hook.after_tool" => {
            // The whole has the shape of the request. The new output is inside.
            let whole = &result["result"];
            let output = if whole["result"].is_object() {
                &whole["result"]
            } else {
                whole
            };
            if output.is_object() && *output != asked["result"] {
                let says_media = output.get("media").is_some();
                let mut output = json!(output_of(output, &mut answer.warnings));
                let kept = if says_media {
                    &["data"][..]
                } else {
                    &["data", "media"]
                };
                for key in kept {
                    if let Some(value) = request.ours.get(key) {
                        output[key] = value.clone();
                    }
                }
                answer.change = Some(Change::Replace(output));
            }
        }
        "hook.before_llm" => llm::before(asked, &result["request"], answer),
        "hook.after_llm" => {
            let whole = &result["response"];
            let response = if whole["response"].is_object() {
                &whole["response"]
            } else {
                whole
            };
            let mut keys = Map::new();
            if let Some(model) = whole["model"].as_str()
                && !model.is_empty()
                && *model != asked["model"]
            {
                keys.insert("model".into(), model.into());
            }
            if response.is_object() && *response != asked["response"] {
                keys.insert("response".into(), llm::response_of(response, &request.ours));
            }
            answer.change = (!keys.is_empty()).then_some(Change::Merge(keys));
        }
        _ => {}
    }
}

/// Converts a tool's output to our form.
fn output_of(result: &Value, warnings: &mut Vec<String>) -> ToolOutput {
    let text = |key: &str| result[key].as_str().map(str::to_owned);
    if result["async"] == Value::Bool(true) {
        warnings.push(
            "`async` of a result is not known here: the model reads the output at once".into(),
        );
    }
    let mut media = Vec::new();
    for one in result["media"].as_array().into_iter().flatten() {
        match medium_of(one) {
            Some(one) => media.push(one),
            None => warnings.push(format!(
                "{one} in `media` of a result is not a file: write its address as a string"
            )),
        }
    }
    ToolOutput {
        content: text("for_llm").unwrap_or_default(),
        for_user: text("for_user").filter(|text| !text.is_empty()),
        media,
        silent: result["silent"] == Value::Bool(true),
        response_handled: result["response_handled"] == Value::Bool(true),
        is_error: result["is_error"] == Value::Bool(true),
        ..ToolOutput::default()
    }
}

/// Reads a file: PicoClaw writes its address, as `media://ID` or `data:image/png;base64,…`.
fn medium_of(value: &Value) -> Option<Media> {
    let Value::String(address) = value else {
        return serde_json::from_value(value.clone()).ok();
    };
    let start = |start: &str| address.starts_with(start);
    let kind = match () {
        () if start("data:image/") => MediaKind::Image,
        () if start("data:audio/") => MediaKind::Audio,
        () if start("data:video/") => MediaKind::Video,
        () => MediaKind::File,
    };
    Some(Media::from_url(kind, address))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: &'static str, params: Value) -> ProcessRequest {
        ProcessRequest {
            method,
            params,
            ours: json!({ "content": "old", "usage": { "input_tokens": 3 } }),
        }
    }

    fn answered(request: &ProcessRequest, result: Value) -> HandlerAnswer {
        of(request, result, "gate", Dialect::Hooks).unwrap()
    }

    #[test]
    fn system_messages_and_tools_stay() {
        let system = json!({ "role": "system", "content": "be good" });
        let user = json!({ "role": "user", "content": "hi" });
        let tools = json!([{ "type": "function" }]);
        let request = request(
            "hook.before_llm",
            json!({ "model": "m", "messages": [system, user], "tools": tools, "options": {} }),
        );
        let said = json!({
            "action": "modify",
            "request": {
                "model": "n",
                "messages": [{ "role": "system", "content": "be bad" }, { "role": "user", "content": "ho" }],
                "tools": [],
            },
        });
        let answer = answered(&request, said);
        assert_eq!(answer.warnings.len(), 2, "{answer:?}");
        let Some(Change::Merge(keys)) = answer.change else {
            panic!("{answer:?}")
        };
        let expected = json!({
            "model": "n", "messages": [system, { "role": "user", "content": "ho" }],
        });
        assert_eq!(Value::Object(keys), expected);
    }

    #[test]
    fn what_comes_back_as_it_was_is_no_change() {
        let params = json!({
            "tool": "t", "arguments": { "a": 1 }, "model": "m", "messages": [], "tools": [], "options": {},
            "result": { "for_llm": "x" }, "response": { "content": "old" },
        });
        for (method, key) in [
            ("hook.before_tool", "call"),
            ("hook.after_tool", "result"),
            ("hook.before_llm", "request"),
            ("hook.after_llm", "response"),
        ] {
            let said = json!({ "action": "continue", key: &params });
            let answer = answered(&request(method, params.clone()), said);
            assert_eq!(answer, HandlerAnswer::default(), "{method}");
        }
    }

    #[test]
    fn a_result_keeps_its_files_and_says_what_is_unknown() {
        let request = request(
            "hook.before_tool",
            json!({ "tool": "draw", "arguments": {} }),
        );
        let said = json!({
            "action": "respond",
            "result": { "for_llm": "drawn", "media": ["media://1", "data:image/png;base64,AA==", 7], "response_handled": true },
        });
        let answer = answered(&request, said);
        let Verdict::Respond(output) = &answer.verdict else {
            panic!("{answer:?}")
        };
        assert_eq!(
            output["media"],
            json!([{ "kind": "file", "url": "media://1" }, { "kind": "image", "url": "data:image/png;base64,AA==" }])
        );
        assert_eq!(output["response_handled"], true);
        let warnings = answer.warnings.concat();
        assert!(warnings.contains("7 in `media`"), "{warnings}");
    }

    #[test]
    fn a_response_keeps_what_the_process_knows_nothing_of() {
        let request = request(
            "hook.after_llm",
            json!({ "model": "m", "response": { "content": "old" } }),
        );
        let call = json!({ "id": "1", "type": "function", "function": { "name": "t", "arguments": "{\"a\":1}" } });
        let said =
            json!({ "response": { "response": { "content": "new", "tool_calls": [call] } } });
        let Some(Change::Merge(keys)) = answered(&request, said).change else {
            panic!()
        };
        let response = &keys["response"];
        assert_eq!(response["content"], "new");
        assert_eq!(response["tool_calls"][0]["args"], json!({ "a": 1 }));
        assert_eq!(response["usage"]["input_tokens"], 3);
    }

    #[test]
    fn a_word_that_denies_is_never_consent() {
        let request = request("hook.before_tool", json!({ "tool": "t", "arguments": {} }));
        let said = answered(&request, json!({ "decision": "deny", "reason": "no" }));
        assert_eq!(
            said.verdict,
            Verdict::Block {
                reason: "no".into()
            }
        );
        assert!(
            of(
                &request,
                json!({ "action": "deny" }),
                "gate",
                Dialect::Hooks
            )
            .is_err()
        );
        let approves = json!({ "approved": false });
        assert!(of(&request, approves, "gate", Dialect::Hooks).is_err());
        for (said, is_ignored) in [
            (json!({ "action": "what" }), true),
            (json!({ "action": "respond" }), true),
            (json!({ "approved": false }), true),
            (json!("deny"), true),
            (json!({ "action": "continue", "more": 1 }), false),
            (json!({}), false),
        ] {
            let theirs = of(&request, said.clone(), "gate", Dialect::Picoclaw).unwrap();
            assert_eq!(theirs.verdict, Verdict::Continue, "{said}");
            assert_eq!(theirs.ignored.is_some(), is_ignored, "{said}");
            assert_eq!(theirs.warnings.len(), usize::from(is_ignored), "{said}");
        }
    }

    #[test]
    fn only_true_approves() {
        let request = request("hook.approve_tool", json!({}));
        for result in [
            json!(null),
            json!({}),
            json!({ "approved": "true" }),
            json!({ "approved": false }),
        ] {
            let answer = answered(&request, result.clone());
            assert!(matches!(answer.verdict, Verdict::Block { .. }), "{result}");
        }
        assert_eq!(
            answered(&request, json!({ "approved": true })),
            HandlerAnswer::default()
        );
    }
}
