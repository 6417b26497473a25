//! Selects records with a CEL expression over their fields.

use hooks_core::agent::{AgentContext, AgentEvent, HeartbeatTick};
use hooks_rules::cel::Cel;
use serde_json::{Value, json};

use crate::filter::variables::{EventVariables, compile};
use crate::record::Record;

/// The fields of a record.
const FIELDS: [&str; 21] = [
    "at",
    "revision",
    "hook",
    "event",
    "subject",
    "session_id",
    "agent_id",
    "tenant_id",
    "tool_call_id",
    "outcome",
    "reason",
    "duration_us",
    "change",
    "steps",
    "unmet",
    "unasked",
    "warnings",
    "trace_id",
    "input",
    "part",
    "reported_by",
];

/// Returns the value of a field that a record does not have.
fn missing(field: &str) -> Value {
    match field {
        "revision" | "duration_us" => json!(0),
        "change" | "steps" | "unmet" | "unasked" | "warnings" => json!([]),
        "input" => json!({}),
        _ => json!(""),
    }
}

/// Selects records with a CEL expression over their fields, as in JSON.
///
/// A string that a record does not have is empty.
///
/// ```
/// use hooks_runtime::{Record, RecordFilter, RecordOutcome};
///
/// let filter = RecordFilter::new("outcome == 'block' && subject == ''")?;
/// let mut record = Record::new("no-force-push", "BeforeToolCall");
/// assert!(!filter.matches(&record)?);
/// record.outcome = RecordOutcome::Block;
/// assert!(filter.matches(&record)?);
///
/// let asked = RecordFilter::new("steps.exists(step, step.hook == 'no-force-push')")?;
/// assert!(!asked.matches(&record)?);
///
/// assert!(RecordFilter::new("outcom == 'block'").is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Debug)]
pub struct RecordFilter(Cel);

impl RecordFilter {
    /// Compiles an expression.
    ///
    /// # Errors
    ///
    /// If it is not CEL, or names fields that records do not have.
    pub fn new(expression: &str) -> Result<Self, String> {
        let compiled = compile(expression, &FIELDS);
        compiled
            .map(RecordFilter)
            .map_err(|mistake| mistake.message)
    }

    /// Whether the expression is true for a record.
    ///
    /// # Errors
    ///
    /// If it cannot be evaluated, or its value is not a boolean.
    pub fn matches(&self, record: &Record) -> Result<bool, String> {
        let mut fields = serde_json::to_value(record).map_err(|error| error.to_string())?;
        let fields = FIELDS.map(|name| {
            let value = fields.get_mut(name).map(Value::take);
            (name, value.unwrap_or_else(|| missing(name)))
        });
        // An expression needs an event. This one has nothing to see.
        let cx = AgentContext::default();
        let variables =
            EventVariables::with(&cx, AgentEvent::HeartbeatTick(&HeartbeatTick), &fields);
        self.0
            .is_true(&variables)
            .map_err(|fault| fault.to_string())
    }
}
