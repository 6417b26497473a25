//! Converts the request that rig sends to the model.

use hooks_core::agent::{BeforeLlmCall, ToolDefinition};
use rig_agent::core::completion::{CompletionRequest, Message, ToolDefinition as RigTool};
use rig_agent::core::message::ToolName;
use serde_json::{Map, Value};

/// The name of the model: the one in the request, or the one that rig has selected.
pub(crate) fn model_of(request: &CompletionRequest, selected: &str) -> String {
    request.model.clone().unwrap_or_else(|| selected.to_owned())
}

/// The request, as hooks see it.
pub(crate) fn request(request: &CompletionRequest, selected: &str) -> BeforeLlmCall {
    BeforeLlmCall {
        tools: request.tools.iter().map(tool).collect(),
        options: Value::Object(options(request)),
        ..BeforeLlmCall::new(
            "",
            model_of(request, selected),
            super::messages(&request.chat_history),
        )
    }
}

/// The request with another system prompt.
pub(crate) fn with_prompt(request: &CompletionRequest, prompt: String) -> CompletionRequest {
    let mut request = request.clone();
    if let Some(Message::System { content }) = request.chat_history.first_mut() {
        *content = prompt;
    }
    request
}

/// The request, if hooks have changed it.
pub(crate) fn apply(
    new: &BeforeLlmCall,
    old: &CompletionRequest,
    selected: &str,
) -> Result<Option<CompletionRequest>, String> {
    let mut changed = None;
    if new.model != old.model.as_deref().unwrap_or(selected) {
        changed.get_or_insert_with(|| old.clone()).model = Some(new.model.clone());
    }
    if let Some(history) = super::message::history(&new.messages, &old.chat_history)? {
        changed.get_or_insert_with(|| old.clone()).chat_history = history;
    }
    let same_tools = new.tools.len() == old.tools.len()
        && new
            .tools
            .iter()
            .zip(&old.tools)
            .all(|(new, old)| is(new, old));
    if !same_tools {
        let tools: Result<_, _> = new.tools.iter().map(rig_tool).collect();
        changed.get_or_insert_with(|| old.clone()).tools = tools?;
    }
    if new.options.as_object() != Some(&options(old)) {
        set_options(changed.get_or_insert_with(|| old.clone()), &new.options)?;
    }
    Ok(changed)
}

fn tool(tool: &RigTool) -> ToolDefinition {
    ToolDefinition {
        name: tool.name.to_string(),
        description: tool.description.clone(),
        parameters: tool.parameters.clone(),
    }
}

fn is(new: &ToolDefinition, old: &RigTool) -> bool {
    old.name == new.name && old.description == new.description && old.parameters == new.parameters
}

fn rig_tool(tool: &ToolDefinition) -> Result<RigTool, String> {
    Ok(RigTool {
        name: ToolName::new(tool.name.as_str()).map_err(|error| error.to_string())?,
        description: tool.description.clone(),
        parameters: tool.parameters.clone(),
    })
}

/// The keys of rig's own options among the others.
const TEMPERATURE: &str = "temperature";
const MAX_TOKENS: &str = "max_tokens";
const TOOL_CHOICE: &str = "tool_choice";
const DOCUMENTS: &str = "documents";

/// The options for the provider.
fn options(request: &CompletionRequest) -> Map<String, Value> {
    let mut options = match &request.additional_params {
        Some(Value::Object(params)) => params.clone(),
        _ => Map::new(),
    };
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            options.insert(name.to_owned(), value);
        }
    };
    set(TEMPERATURE, request.temperature.map(Value::from));
    set(MAX_TOKENS, request.max_tokens.map(Value::from));
    let choice = request.tool_choice.as_ref();
    set(
        TOOL_CHOICE,
        choice.and_then(|choice| serde_json::to_value(choice).ok()),
    );
    let documents = Some(&request.documents).filter(|documents| !documents.is_empty());
    set(
        DOCUMENTS,
        documents.and_then(|documents| serde_json::to_value(documents).ok()),
    );
    options
}

fn set_options(request: &mut CompletionRequest, options: &Value) -> Result<(), String> {
    let Value::Object(options) = options else {
        return Err(format!(
            "a hook set the options to {options}, but they must be an object"
        ));
    };
    let wrong = |name: &str, value: &Value| {
        format!("a hook set an invalid value for the option `{name}`: {value}")
    };
    (request.temperature, request.max_tokens, request.tool_choice) = (None, None, None);
    request.documents.clear();
    let mut params = Map::new();
    for (name, value) in options {
        let read = match name.as_str() {
            TEMPERATURE => value
                .as_f64()
                .map(|value| request.temperature = Some(value)),
            MAX_TOKENS => value.as_u64().map(|value| request.max_tokens = Some(value)),
            TOOL_CHOICE => serde_json::from_value(value.clone())
                .ok()
                .map(|choice| request.tool_choice = Some(choice)),
            DOCUMENTS => serde_json::from_value(value.clone())
                .ok()
                .map(|documents| request.documents = documents),
            _ => {
                params.insert(name.clone(), value.clone());
                Some(())
            }
        };
        read.ok_or_else(|| wrong(name, value))?;
    }
    if !params.is_empty()
        || request
            .additional_params
            .as_ref()
            .is_some_and(Value::is_object)
    {
        request.additional_params = Some(Value::Object(params));
    }
    Ok(())
}
