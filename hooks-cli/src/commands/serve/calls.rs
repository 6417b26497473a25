//! Keeps what belongs to a tool call from one of its requests to the next, because PicoClaw's calls have no IDs.
//!
//! The session, the turn, the tool and the arguments identify a call. If equal calls run at the same time, each request
//! takes one of them. So a question that hooks require is asked once for each call. If another program's hook changes a
//! call between two requests, there is no equal call. Then the strictest approval that is still open in that turn
//! applies.

use std::collections::VecDeque;
use std::time::Duration;

use hooks_core::agent::Approval;
use serde_json::{Value, json};
use tokio::time::Instant;

/// The maximum number of waiting calls. A further call is denied if a person has to approve it.
pub(super) const MOST: usize = 1024;

/// After this time, a call is forgotten: its turn has ended, or another program's hook has denied it.
const LONGEST: Duration = Duration::from_hours(1);

/// The calls that wait for their next request.
#[derive(Debug, Default)]
pub(super) struct WaitingCalls {
    approvals: VecDeque<Waiting<Approval>>,
    contexts: VecDeque<Waiting<Vec<String>>>,
}

#[derive(Debug)]
struct Waiting<T> {
    turn: Value,
    /// The tool and the arguments. The order of keys in objects does not matter.
    call: Value,
    since: Instant,
    what: T,
}

/// Returns the turn of a request.
fn turn(params: &Value) -> Value {
    let meta = &params["meta"];
    json!([meta["SessionKey"], meta["TurnID"]])
}

/// Returns the tool and the arguments of a request. Missing arguments are an empty object.
fn call(params: &Value) -> Value {
    let arguments = match &params["arguments"] {
        Value::Object(arguments) if arguments.is_empty() => &Value::Null,
        arguments => arguments,
    };
    json!([params["tool"], arguments])
}

fn strictness(approval: &Approval) -> u8 {
    match approval {
        Approval::Ask { .. } | Approval::Defer { .. } => 2,
        Approval::Granted { .. } => 0,
        Approval::Usual => 1,
    }
}

impl<T> Waiting<T> {
    fn new(params: &Value, what: T) -> Self {
        Waiting {
            turn: turn(params),
            call: call(params),
            since: Instant::now(),
            what,
        }
    }

    fn is(&self, turn: &Value, call: &Value) -> bool {
        self.turn == *turn && self.call == *call
    }
}

impl WaitingCalls {
    /// Stores how a call must be approved. Returns whether there was room for it.
    pub(super) fn keep_approval(&mut self, params: &Value, approval: Approval) -> bool {
        let is_open = |one: &Waiting<Approval>| one.since.elapsed() < LONGEST;
        self.approvals.retain(is_open);
        if self.approvals.len() >= MOST {
            return false;
        }
        self.approvals.push_back(Waiting::new(params, approval));
        true
    }

    /// Removes and returns how a call must be approved. Of equal calls, it takes the strictest first.
    pub(super) fn take_approval(&mut self, params: &Value) -> Approval {
        let (turn, call) = (turn(params), call(params));
        let strictest = |is_meant: &dyn Fn(&Waiting<Approval>) -> bool| {
            let meant = self.approvals.iter().enumerate();
            let meant = meant.filter(|(_, one)| is_meant(one));
            let found = meant.max_by_key(|(_, one)| strictness(&one.what));
            found.map(|(index, _)| index)
        };
        let equal = strictest(&|one| one.is(&turn, &call));
        let changed = || strictest(&|one| one.turn == turn && one.what.is_wanted());
        let found = equal.or_else(changed);
        let taken = found.and_then(|index| self.approvals.remove(index));
        taken.map(|one| one.what).unwrap_or_default()
    }

    /// Stores text that the model should read after the call. If there is too much, the oldest text is lost.
    pub(super) fn keep_context(&mut self, params: &Value, context: Vec<String>) {
        if context.is_empty() {
            return;
        }
        if self.contexts.len() >= MOST {
            self.contexts.pop_front();
        }
        self.contexts.push_back(Waiting::new(params, context));
    }

    /// Removes and returns the text of a call. Of equal calls, it takes the first one's.
    pub(super) fn take_context(&mut self, params: &Value) -> Vec<String> {
        let (turn, call) = (turn(params), call(params));
        let found = self.contexts.iter().position(|one| one.is(&turn, &call));
        let taken = found.and_then(|index| self.contexts.remove(index));
        taken.map(|one| one.what).unwrap_or_default()
    }

    /// Forgets the calls of a turn that has ended.
    pub(super) fn end_turn(&mut self, session: &str, id: &str) {
        let ended = json!([session, id]);
        self.approvals.retain(|one| one.turn != ended);
        self.contexts.retain(|one| one.turn != ended);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(turn: &str, tool: &str, arguments: Value) -> Value {
        json!({ "meta": { "SessionKey": "s", "TurnID": turn }, "tool": tool, "arguments": arguments })
    }

    #[test]
    fn each_of_equal_calls_has_its_own_approval() {
        let mut calls = WaitingCalls::default();
        let deploy = request("t", "deploy", json!({ "to": "a", "now": true }));
        assert!(calls.keep_approval(&deploy, Approval::Usual));
        assert!(calls.keep_approval(&deploy, Approval::ask("sure?")));
        assert!(calls.keep_approval(&deploy, Approval::ask("sure?")));
        let other_order = request("t", "deploy", json!({ "now": true, "to": "a" }));
        assert!(calls.take_approval(&other_order).is_wanted());
        assert!(calls.take_approval(&deploy).is_wanted());
        assert!(calls.take_approval(&deploy).is_usual());
    }

    #[test]
    fn a_call_that_somebody_else_has_changed_is_asked_about() {
        let mut calls = WaitingCalls::default();
        calls.keep_approval(
            &request("t", "exec", json!({ "c": "rm" })),
            Approval::ask("?"),
        );
        calls.keep_approval(&request("t", "read", json!({})), Approval::Usual);
        let read = request("t", "read", Value::Null);
        assert!(calls.take_approval(&read).is_usual(), "the call is known");
        let elsewhere = request("t2", "exec", json!({ "c": "rm -f" }));
        assert!(calls.take_approval(&elsewhere).is_usual());
        let changed = request("t", "exec", json!({ "c": "rm -f" }));
        assert!(calls.take_approval(&changed).is_wanted());
    }

    #[tokio::test(start_paused = true)]
    async fn no_approval_is_forgotten_for_a_newer_one() {
        let mut calls = WaitingCalls::default();
        let nth = |n: usize| request("t", "exec", json!({ "n": n }));
        for n in 0..MOST {
            assert!(calls.keep_approval(&nth(n), Approval::ask("?")));
        }
        assert!(!calls.keep_approval(&nth(MOST), Approval::ask("?")));
        assert!(calls.take_approval(&nth(0)).is_wanted());
        assert!(calls.keep_approval(&nth(MOST), Approval::ask("?")));
        calls.end_turn("s", "t");
        assert!(calls.take_approval(&nth(1)).is_usual());
        for n in 0..MOST {
            calls.keep_approval(&nth(n), Approval::Usual);
        }
        tokio::time::advance(LONGEST).await;
        assert!(
            calls.keep_approval(&nth(0), Approval::Usual),
            "the old ones are gone"
        );
    }

    #[test]
    fn equal_calls_have_their_texts_in_their_order() {
        let mut calls = WaitingCalls::default();
        let ls = request("t", "exec", json!({ "c": "ls" }));
        calls.keep_context(&ls, vec!["one".into()]);
        calls.keep_context(&ls, vec!["two".into()]);
        assert_eq!(calls.take_context(&ls), ["one"]);
        assert_eq!(calls.take_context(&ls), ["two"]);
        assert!(calls.take_context(&ls).is_empty());
    }
}
