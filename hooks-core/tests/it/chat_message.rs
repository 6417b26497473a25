//! A conversation of any provider goes through a hook and back without loss.
//!
//! The messages are generated in the shapes of OpenAI and Anthropic, with keys and blocks that nobody knows. What is
//! read and written again is equal; what a hook changed is there, and nothing else is lost.

use hooks_core::agent::*;
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn read(json: &Value) -> ChatMessage {
    serde_json::from_value(json.clone()).unwrap()
}

fn write(message: &ChatMessage) -> Value {
    serde_json::to_value(message).unwrap()
}

/// What is equal although its text is not: the JSON in `arguments`.
fn parsed(mut message: Value) -> Value {
    for call in message["tool_calls"].as_array_mut().into_iter().flatten() {
        if let Some(text) = call["function"]["arguments"].as_str()
            && let Ok(arguments) = serde_json::from_str::<Value>(text)
        {
            call["function"]["arguments"] = json!({ "parsed": arguments });
        }
    }
    message
}

/// Any JSON value.
fn any_json() -> BoxedStrategy<Value> {
    let strategy = {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            text().prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 12, 4, |inner| {
            prop_oneof![
                vec(inner.clone(), 0..4).prop_map(Value::from),
                btree_map(key(), inner, 0..4).prop_map(|map| map.into_iter().collect()),
            ]
        })
    };
    strategy.boxed()
}

/// Texts, also with what the reader joins and cuts at.
fn text() -> BoxedStrategy<String> {
    let strategy = {
        prop_oneof![
            "[ -~]{0,12}",
            Just(String::new()),
            Just("none".into()),
            Just("\n".into()),
            Just("Grüße 你好\nzwei".into()),
            any::<String>(),
        ]
    };
    strategy.boxed()
}

/// Keys, also those that mean something.
fn key() -> BoxedStrategy<String> {
    let strategy = {
        prop_oneof![
            "[a-z_]{1,8}",
            prop::sample::select(
                [
                    "type",
                    "text",
                    "id",
                    "name",
                    "input",
                    "content",
                    "role",
                    "args",
                    "tool_calls",
                    "function",
                    "source",
                    "data",
                    "url",
                    "image_url",
                    "reasoning",
                    "thinking",
                    "reasoning_content",
                    "tool_use_id",
                    "tool_call_id",
                    "is_error",
                    "file",
                ]
                .as_slice()
            )
            .prop_map(String::from),
        ]
    };
    strategy.boxed()
}

/// Keys that no shape has.
fn unknown() -> BoxedStrategy<Map<String, Value>> {
    let strategy =
        { btree_map("x_[a-z]{1,4}", any_json(), 0..3).prop_map(|map| map.into_iter().collect()) };
    strategy.boxed()
}

/// An object, with unknown keys beside its own.
fn with_unknown(object: impl Strategy<Value = Value> + 'static) -> BoxedStrategy<Value> {
    let strategy = {
        (object, unknown()).prop_map(|(mut object, unknown)| {
            object.as_object_mut().unwrap().extend(unknown);
            object
        })
    };
    strategy.boxed()
}

fn text_block() -> BoxedStrategy<Value> {
    let strategy = {
        let kind = prop::sample::select(["text", "text", "input_text", "output_text"].as_slice());
        with_unknown((kind, text()).prop_map(|(kind, text)| json!({ "type": kind, "text": text })))
    };
    strategy.boxed()
}

fn address() -> BoxedStrategy<String> {
    let strategy = {
        prop_oneof![
            Just("https://example.org/a.png".into()),
            Just("data:image/png;base64,AAAA".into()),
            Just("data:;base64,AAAA".into()),
            Just("data:text/plain,hello".into()),
            Just("AAAA".into()),
            text(),
        ]
    };
    strategy.boxed()
}

fn openai_media() -> BoxedStrategy<Value> {
    let strategy = {
        with_unknown(prop_oneof![
        (address(), option::of(text())).prop_map(|(url, detail)| {
            let mut image = json!({ "url": url });
            if let Some(detail) = detail {
                image["detail"] = detail.into();
            }
            json!({ "type": "image_url", "image_url": image })
        }),
        (text(), option::of(text())).prop_map(|(data, format)| {
            let mut audio = json!({ "data": data });
            if let Some(format) = format {
                audio["format"] = format.into();
            }
            json!({ "type": "input_audio", "input_audio": audio })
        }),
        (address(), text())
            .prop_map(|(data, name)| json!({ "type": "file", "file": { "file_data": data, "filename": name } })),
        text().prop_map(|id| json!({ "type": "file", "file": { "file_id": id } })),
        text().prop_map(|refusal| json!({ "type": "refusal", "refusal": refusal })),
    ])
    };
    strategy.boxed()
}

fn anthropic_media() -> BoxedStrategy<Value> {
    let strategy = {
        let kind = prop::sample::select(["image", "document"].as_slice());
        let source = prop_oneof![
            (text(), text()).prop_map(
                |(mime, data)| json!({ "type": "base64", "media_type": mime, "data": data })
            ),
            text().prop_map(|url| json!({ "type": "url", "url": url })),
            text().prop_map(|id| json!({ "type": "file", "file_id": id })),
            text().prop_map(
                |data| json!({ "type": "text", "media_type": "text/plain", "data": data })
            ),
            any_json(),
        ];
        let of_mcp = (text(), text())
            .prop_map(|(data, mime)| json!({ "type": "audio", "data": data, "mimeType": mime }));
        with_unknown(prop_oneof![
        (kind, source).prop_map(|(kind, source)| json!({ "type": kind, "source": source })),
        (text(), text()).prop_map(|(title, context)| json!({
            "type": "document", "title": title, "context": context, "source": { "type": "url", "url": "u" },
        })),
        of_mcp,
    ])
    };
    strategy.boxed()
}

/// A block of a type that nobody knows, or of a known type without what it must have.
fn unknown_block() -> BoxedStrategy<Value> {
    let strategy = {
        let kind = prop::sample::select(
            [
                "text",
                "image",
                "image_url",
                "input_audio",
                "file",
                "tool_use",
                "tool_result",
                "thinking",
                "media",
                "video",
                "redacted_thinking",
                "server_tool_use",
                "search_result",
            ]
            .as_slice(),
        );
        prop_oneof![
            any_json(),
            (kind, unknown()).prop_map(|(kind, mut block)| {
                block.insert("type".into(), kind.into());
                block.into()
            }),
            (key(), any_json()).prop_map(|(key, value)| json!({ "type": "media", key: value })),
        ]
    };
    strategy.boxed()
}

fn arguments() -> BoxedStrategy<Value> {
    let strategy = {
        prop_oneof![
            any_json().prop_map(|args| args.to_string().into()),
            Just(json!(r#"{ "command" : "ls" }"#)),
            Just(json!(r#"{"command": "ls"#)),
            text().prop_map(Value::from),
            // Ollama's are an object.
            btree_map(key(), any_json(), 0..3).prop_map(|map| map.into_iter().collect()),
        ]
    };
    strategy.boxed()
}

fn openai_call() -> BoxedStrategy<Value> {
    let strategy = {
        prop_oneof![
            4 => with_unknown((text(), text(), arguments(), unknown()).prop_map(|(id, name, arguments, mut function)| {
                function.insert("name".into(), name.into());
                function.insert("arguments".into(), arguments);
                json!({ "id": id, "type": "function", "function": function })
            })),
            1 => arguments().prop_map(|arguments| json!({ "function": { "name": "no_id", "arguments": arguments } })),
            1 => text().prop_map(|input| json!({ "id": "c", "type": "custom", "custom": { "name": "n", "input": input } })),
            1 => (text(), any_json()).prop_map(|(id, args)| json!({ "id": id, "name": "own", "args": args })),
            1 => any_json(),
        ]
    };
    strategy.boxed()
}

fn openai_message() -> BoxedStrategy<Value> {
    let strategy = {
        let role = prop::sample::select(
            [
                "system",
                "developer",
                "user",
                "assistant",
                "tool",
                "function",
                "critic",
            ]
            .as_slice(),
        );
        let content = prop_oneof![
            Just(None),
            Just(Some(Value::Null)),
            text().prop_map(|text| Some(text.into())),
            vec(
                prop_oneof![text_block(), openai_media(), unknown_block()],
                0..5
            )
            .prop_map(|blocks| Some(blocks.into())),
        ];
        let calls = prop_oneof![
            2 => Just(None),
            1 => Just(Some(Value::Null)),
            3 => vec(openai_call(), 0..4).prop_map(|calls| Some(calls.into())),
        ];
        let others = (
            option::of(text()),
            option::of(text()),
            option::of(text()),
            option::of(any_json()),
        );
        with_unknown((role, content, calls, others).prop_map(
            |(role, content, calls, (name, id, reasoning, thought))| {
                let mut message = json!({ "role": role });
                for (key, value) in [
                    ("content", content),
                    ("tool_calls", calls),
                    ("name", name.map(Value::from)),
                    ("tool_call_id", id.map(Value::from)),
                    ("reasoning_content", reasoning.map(Value::from)),
                    ("reasoning", thought),
                ] {
                    if let Some(value) = value {
                        message[key] = value;
                    }
                }
                message
            },
        ))
    };
    strategy.boxed()
}

fn tool_result() -> BoxedStrategy<Value> {
    let strategy = {
        let content = prop_oneof![
            Just(None),
            text().prop_map(|text| Some(text.into())),
            vec(
                prop_oneof![text_block(), anthropic_media(), unknown_block()],
                0..4
            )
            .prop_map(|blocks| Some(blocks.into())),
        ];
        with_unknown((text(), content, option::of(any::<bool>())).prop_map(
            |(id, content, is_error)| {
                let mut block = json!({ "type": "tool_result", "tool_use_id": id });
                if let Some(content) = content {
                    block["content"] = content;
                }
                if let Some(is_error) = is_error {
                    block["is_error"] = is_error.into();
                }
                block
            },
        ))
    };
    strategy.boxed()
}

fn anthropic_message() -> BoxedStrategy<Value> {
    let strategy = {
        let tool_use = with_unknown((text(), text(), any_json()).prop_map(
        |(id, name, input)| json!({ "type": "tool_use", "id": id, "name": name, "input": input }),
    ));
        let thinking = (text(), text())
        .prop_map(|(thinking, signature)| json!({ "type": "thinking", "thinking": thinking, "signature": signature }));
        let redacted = text().prop_map(|data| json!({ "type": "redacted_thinking", "data": data }));
        let cached = text()
        .prop_map(|text| json!({ "type": "text", "text": text, "cache_control": { "type": "ephemeral" } }));
        let block = prop_oneof![
            text_block(),
            cached,
            thinking,
            redacted,
            tool_use,
            tool_result(),
            anthropic_media(),
            unknown_block(),
        ];
        let role = prop::sample::select(["user", "assistant"].as_slice());
        with_unknown(
            (role, vec(block, 0..6))
                .prop_map(|(role, blocks)| json!({ "role": role, "content": blocks })),
        )
    };
    strategy.boxed()
}

fn any_message() -> BoxedStrategy<Value> {
    let strategy = {
        prop_oneof![
            4 => openai_message(),
            4 => anthropic_message(),
            1 => btree_map(key(), any_json(), 0..6).prop_map(|map| map.into_iter().collect()),
        ]
    };
    strategy.boxed()
}

/// How often each string that is no key stands in a value.
fn texts(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => into.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| texts(value, into)),
        // In the order of the keys: a build in which serde_json keeps the order of insertion has another one.
        Value::Object(values) => {
            let mut values: Vec<_> = values.iter().collect();
            values.sort_by_key(|(key, _)| *key);
            for (_, value) in values {
                texts(value, into);
            }
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_read_is_written_again(message in any_message()) {
        let written = write(&read(&message));
        prop_assert_eq!(parsed(written.clone()), parsed(message));
        // And again: what was written is read as the same.
        prop_assert_eq!(write(&read(&written)), written);
    }

    #[test]
    fn a_message_is_read_from_text_as_from_a_value(message in any_message()) {
        let from_text: ChatMessage = serde_json::from_str(&message.to_string()).unwrap();
        prop_assert_eq!(from_text, read(&message));
    }

    #[test]
    fn a_changed_content_is_written_and_nothing_else_is_lost(message in any_message(), new in "[A-Z]{3,9}") {
        let mut changed = read(&message);
        changed.content.clone_from(&new);
        let written = write(&changed);
        let again = read(&written);
        prop_assert_eq!(&again.content, &new);
        prop_assert_eq!(&again.role, &changed.role);
        prop_assert_eq!(&again.tool_calls, &changed.tool_calls);
        prop_assert_eq!(&again.tool_call_id, &changed.tool_call_id);
        prop_assert_eq!(&again.reasoning, &changed.reasoning);
        // All that is no text stands where it stood.
        let rest = |message: &ChatMessage| {
            let parts = message.parts.iter().filter(|part| !matches!(part, Part::Text(_)));
            parts.cloned().collect::<Vec<_>>()
        };
        prop_assert_eq!(rest(&again), rest(&changed));
        let mut extra = changed.extra.clone();
        extra.remove("content");
        prop_assert_eq!(again.extra, extra);
    }

    #[test]
    fn changed_arguments_are_written(message in any_message(), new in any_json()) {
        let mut changed = read(&message);
        // A text would stand for what is no JSON.
        let new = if new.is_string() { json!([new]) } else { new };
        for call in &mut changed.tool_calls {
            call.args = new.clone();
            call.name = "renamed".into();
        }
        let again = read(&write(&changed));
        prop_assert_eq!(&again.tool_calls, &changed.tool_calls);
        prop_assert_eq!(&again.content, &changed.content);
        prop_assert_eq!(&again.parts, &changed.parts);
    }

    #[test]
    fn a_call_that_is_removed_or_added_is_so_in_what_is_written(message in any_message()) {
        let mut changed = read(&message);
        changed.tool_calls.clear();
        prop_assert_eq!(read(&write(&changed)).tool_calls, []);

        let mut changed = read(&message);
        let call = ToolCall::new("a-new-call", "shell", json!({ "command": "ls" }));
        changed.tool_calls.push(call.clone());
        let again = read(&write(&changed));
        prop_assert_eq!(again.tool_calls.len(), changed.tool_calls.len());
        prop_assert!(again.tool_calls.contains(&call));
    }

    #[test]
    fn every_text_can_be_changed_where_it_stands(message in any_message()) {
        let mut changed = read(&message);
        changed.edit_texts(|text| text.push('§'));
        let written = write(&changed);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        texts(&parsed(message), &mut before);
        texts(&parsed(written), &mut after);
        prop_assert_eq!(after.len(), before.len());
        for (before, after) in before.iter().zip(&after) {
            prop_assert!(after == before || *after == format!("{before}§"), "{before:?} → {after:?}");
        }
        let unsaid = changed.content.trim_matches('\n').is_empty();
        prop_assert!(unsaid || changed.content.contains('§'));
    }

    #[test]
    fn media_are_read_again_as_they_are(kind in 0..4_usize, url in option::of(text()), data in option::of(text()), name in option::of(text())) {
        let kind = [MediaKind::Image, MediaKind::Audio, MediaKind::Video, MediaKind::File][kind];
        let media = Media { kind, url, data, name, ..Media::default() };
        let json = serde_json::to_value(&media).unwrap();
        prop_assert_eq!(&serde_json::from_value::<Media>(json).unwrap(), &media);
        let message = ChatMessage::user("Look:").with_media(media).with_text("and there");
        prop_assert_eq!(read(&write(&message)), message);
    }
}

#[test]
fn messages_that_are_made_here_are_plain_json() {
    assert_eq!(
        write(&ChatMessage::user("Hi")),
        json!({ "role": "user", "content": "Hi" })
    );
    assert_eq!(
        write(&ChatMessage::default()),
        json!({ "role": "user", "content": "" })
    );
    let call = ToolCall::new("1", "ls", json!({}));
    assert_eq!(
        write(&ChatMessage::assistant("").with_tool_calls([call])),
        json!({ "role": "assistant", "content": "", "tool_calls": [{ "id": "1", "name": "ls", "args": {} }] })
    );
    let output = ToolOutput::new("3 files");
    assert_eq!(
        write(&ChatMessage::tool_result("1", &output)),
        json!({ "role": "tool", "content": "3 files", "tool_call_id": "1" })
    );
    for message in [
        ChatMessage::system("Be brief."),
        ChatMessage::new(Role::Other("critic".into()), "No."),
        ChatMessage::tool_result("1", &output),
    ] {
        assert_eq!(read(&write(&message)), message);
    }
}

#[test]
fn hooks_see_the_same_of_both_providers() {
    let openai = read(&json!({
        "role": "assistant",
        "content": null,
        "tool_calls": [{
            "id": "call_1", "type": "function",
            "function": { "name": "shell", "arguments": "{\"command\": \"ls\"}" },
        }],
    }));
    let anthropic = read(&json!({
        "role": "assistant",
        "content": [
            { "type": "thinking", "thinking": "Hm.", "signature": "c2ln" },
            { "type": "tool_use", "id": "call_1", "name": "shell", "input": { "command": "ls" } },
        ],
    }));
    let call = ToolCall::new("call_1", "shell", json!({ "command": "ls" }));
    assert_eq!(
        (&openai.role, openai.content.as_str()),
        (&Role::Assistant, "")
    );
    assert_eq!(openai.tool_calls, [call]);
    assert_eq!(anthropic.tool_calls, openai.tool_calls);
    assert_eq!(anthropic.reasoning.as_deref(), Some("Hm."));
}

#[test]
fn arguments_that_are_no_json_survive() {
    let message = json!({
        "role": "assistant",
        "tool_calls": [{ "id": "1", "type": "function", "function": { "name": "shell", "arguments": "{\"command" } }],
    });
    let read = read(&message);
    assert_eq!(read.tool_calls[0].args, json!("{\"command"));
    assert_eq!(write(&read), message);
}

#[test]
fn a_content_that_a_hook_changes_stands_where_the_first_text_stood() {
    let mut message = read(&json!({
        "role": "user",
        "content": [
            { "type": "image", "source": { "type": "url", "url": "u" } },
            { "type": "text", "text": "one" },
            { "type": "image", "source": { "type": "url", "url": "v" } },
            { "type": "text", "text": "two", "cache_control": { "type": "ephemeral" } },
        ],
    }));
    assert_eq!(message.content, "one\ntwo");
    message.content = "three".into();
    assert_eq!(
        write(&message)["content"],
        json!([
            { "type": "image", "source": { "type": "url", "url": "u" } },
            { "type": "text", "text": "three", "cache_control": { "type": "ephemeral" } },
            { "type": "image", "source": { "type": "url", "url": "v" } },
        ])
    );
    message.content.clear();
    assert_eq!(write(&message)["content"].as_array().unwrap().len(), 2);
}

#[test]
fn what_is_said_to_a_message_of_calls_alone_comes_after_what_was_thought() {
    let mut message = read(&json!({
        "role": "assistant",
        "content": [
            { "type": "thinking", "thinking": "a", "signature": "s" },
            { "type": "tool_use", "id": "1", "name": "ls", "input": {} },
        ],
    }));
    message.content = "I look.".into();
    let written = write(&message);
    let kinds: Vec<_> = written["content"]
        .as_array()
        .unwrap()
        .iter()
        .map(|block| block["type"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["thinking", "text", "tool_use"]);
}

#[test]
fn a_call_that_a_hook_adds_has_the_shape_of_the_others() {
    let call = ToolCall::new("2", "ls", json!({ "path": "." }));
    let openai = json!({
        "role": "assistant", "content": null,
        "tool_calls": [{ "id": "1", "type": "function", "function": { "name": "ls", "arguments": "{}" } }],
    });
    let written = write(&read(&openai).with_tool_calls([call.clone()]));
    assert_eq!(
        written["tool_calls"][1],
        json!({ "id": "2", "type": "function", "function": { "name": "ls", "arguments": r#"{"path":"."}"# } })
    );
    let anthropic = json!({
        "role": "assistant", "content": [{ "type": "tool_use", "id": "1", "name": "ls", "input": {} }],
    });
    let written = write(&read(&anthropic).with_tool_calls([call]));
    assert_eq!(
        written["content"][1],
        json!({ "type": "tool_use", "id": "2", "name": "ls", "input": { "path": "." } })
    );
}

#[test]
fn spans_that_do_not_fit_are_no_panic() {
    for len in [0, 1, 2, 99, usize::MAX] {
        let span = || Part::Text(Span::new(len, Map::new()));
        let mut message = ChatMessage {
            parts: vec![span(), span()],
            ..ChatMessage::user("ä\nb")
        };
        assert_eq!(read(&write(&message)).content, "ä\nb");
        message.edit_texts(|text| text.push('!'));
        assert!(read(&write(&message)).content.ends_with("b!"));
    }
}

#[test]
fn what_is_no_object_is_an_error() {
    for json in [json!("hello"), json!(null), json!([])] {
        assert!(serde_json::from_value::<ChatMessage>(json).is_err());
    }
}
