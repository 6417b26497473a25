//! Converts tool outputs.

use std::borrow::Cow;

use hooks_core::agent::{MediaKind, ToolOutput};
use rig_agent::core::message::ToolResultContent;
use rig_agent::core::tool::{ToolExecutionError, ToolOutput as RigOutput, ToolResult};
use serde_json::Value;

use super::media;

/// A block as text; `None` for an image.
pub(super) fn text_of_block(block: &ToolResultContent) -> Option<Cow<'_, str>> {
    match block {
        ToolResultContent::Text(text) => Some(text.text().into()),
        ToolResultContent::Json { value } => Some(value.to_string().into()),
        ToolResultContent::Image(_) => None,
    }
}

/// The text for the model: texts unchanged, JSON as text.
fn text(content: &[ToolResultContent]) -> Cow<'_, str> {
    let mut texts = content.iter().filter_map(text_of_block);
    let Some(mut all) = texts.next() else {
        return Cow::Borrowed("");
    };
    for text in texts {
        let all = all.to_mut();
        all.push('\n');
        all.push_str(&text);
    }
    all
}

/// The JSON in it, if there is any.
fn data(content: &[ToolResultContent]) -> Option<&Value> {
    let mut values = content.iter().filter_map(ToolResultContent::as_json);
    values.next().filter(|_| values.next().is_none())
}

fn images(content: &[ToolResultContent]) -> impl Iterator<Item = hooks_core::agent::Media> {
    content.iter().filter_map(|block| match block {
        ToolResultContent::Image(image) => media::image(image),
        _ => None,
    })
}

/// The output, as hooks see it.
pub(crate) fn output(result: &ToolResult) -> ToolOutput {
    let content = result.output().as_content();
    ToolOutput {
        data: data(content).cloned(),
        media: images(content).collect(),
        is_error: !result.is_success(),
        ..ToolOutput::new(text(content))
    }
}

/// The result for an output that a hook has written, with the context that hooks add.
pub(crate) fn result(output: ToolOutput, context: Vec<String>) -> Result<ToolResult, String> {
    let is_error = output.is_error;
    let mut blocks = blocks(output)?;
    blocks.extend(context.into_iter().map(ToolResultContent::text));
    let output = rig(blocks)?;
    Ok(if is_error {
        failed(output)
    } else {
        ToolResult::success(output)
    })
}

fn blocks(output: ToolOutput) -> Result<Vec<ToolResultContent>, String> {
    let mut blocks = Vec::with_capacity(1 + output.media.len());
    let is_text_of = |value: &Value| {
        let text = value.to_string();
        output.content.is_empty() || output.content == text
    };
    blocks.push(match output.data {
        Some(value) if is_text_of(&value) => ToolResultContent::json(value),
        _ => ToolResultContent::text(output.content),
    });
    for media in &output.media {
        blocks.push(if media.kind == MediaKind::Image {
            ToolResultContent::Image(media::to_image(media)?)
        } else {
            // A result of rig cannot hold other files, so the model reads their addresses.
            let value = serde_json::to_value(media).map_err(|error| error.to_string())?;
            ToolResultContent::json(value)
        });
    }
    Ok(blocks)
}

fn rig(blocks: Vec<ToolResultContent>) -> Result<RigOutput, String> {
    RigOutput::content(blocks).map_err(|error| error.message().to_owned())
}

fn failed(output: RigOutput) -> ToolResult {
    let error = ToolExecutionError::other(output.render());
    ToolResult::failed(error.with_model_output(output))
}

/// The result, if hooks have changed it. It is compared with rig's own, so no copy is needed.
pub(crate) fn changed(
    new: ToolOutput,
    context: Vec<String>,
    old: &ToolResult,
) -> Result<Option<ToolResult>, String> {
    let old_blocks = old.output().as_content();
    let same_text = text(old_blocks) == new.content;
    let same_data = data(old_blocks) == new.data.as_ref();
    let same_media = images(old_blocks).eq(new.media.iter().cloned());
    let same_output = same_text && same_data && same_media;
    let same_end = new.is_error != old.is_success();
    if same_output && same_end && context.is_empty() {
        return Ok(None);
    }
    let is_error = new.is_error;
    let mut blocks = if same_output {
        old_blocks.to_vec()
    } else {
        let mut new = new;
        if same_text && !same_data && new.data.is_some() {
            // The text is that of the old JSON.
            new.content.clear();
        }
        self::blocks(new)?
    };
    blocks.extend(context.into_iter().map(ToolResultContent::text));
    let output = rig(blocks)?;
    Ok(Some(match (same_end, is_error) {
        (true, _) => old.clone().with_output(output),
        (false, true) => failed(output),
        (false, false) => ToolResult::success(output),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn old() -> ToolResult {
        ToolResult::success(RigOutput::json(json!({ "key": "secret" })))
    }

    #[test]
    fn an_output_that_nobody_changes_is_rigs_own() {
        let picture = ToolResultContent::image_base64("aGk=", None, None);
        let with_picture = vec![ToolResultContent::text("a cat"), picture];
        for old in [
            old(),
            ToolResult::success(RigOutput::content(with_picture).unwrap()),
            ToolResult::failed(ToolExecutionError::other("the tool broke")),
        ] {
            let same = changed(output(&old), Vec::new(), &old).unwrap();
            assert!(same.is_none(), "{:?}", output(&old));
        }
    }

    #[test]
    fn a_text_that_a_hook_has_changed_leaves_nothing_of_the_json() {
        let mut new = output(&old());
        assert_eq!(new.data, Some(json!({ "key": "secret" })));
        new.content = new.content.replace("secret", "[redacted]");
        let result = changed(new, Vec::new(), &old()).unwrap().unwrap();
        assert_eq!(result.output().as_text(), Some(r#"{"key":"[redacted]"}"#));
    }

    #[test]
    fn json_that_a_hook_has_changed_is_what_the_model_reads() {
        let mut new = output(&old());
        new.data = Some(json!({ "key": null }));
        let result = changed(new, Vec::new(), &old()).unwrap().unwrap();
        assert_eq!(result.output().as_json(), Some(&json!({ "key": null })));
    }

    #[test]
    fn json_that_a_hook_has_taken_out_leaves_the_text() {
        let mut new = output(&old());
        new.data = None;
        let result = changed(new, Vec::new(), &old()).unwrap().unwrap();
        assert_eq!(result.output().as_text(), Some(r#"{"key":"secret"}"#));
    }

    #[test]
    fn an_error_that_a_hook_has_made_of_an_output_is_one() {
        let new = ToolOutput::error("too large");
        let result = changed(new, Vec::new(), &old()).unwrap().unwrap();
        assert!(result.is_error());
        assert_eq!(result.output().as_text(), Some("too large"));
    }
}
