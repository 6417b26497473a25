//! `run_message` and `send_message`.

use hooks_core::agent::*;
use hooks_core::{Scope, hooks};

use super::fixtures::*;

type Done = Result<MessageOutcome, MessageError<String>>;

fn run(hooks: &impl AgentHooks, answer: Result<&str, &str>, sent: Result<(), &str>) -> Done {
    let message = MessageReceived::new("slack", "ada", "Hello.");
    now(run_message(
        hooks,
        &cx(),
        message,
        async |message: MessageReceived| {
            yield_once().await;
            match answer {
                Ok(answer) => Ok(format!("{answer} to {}", message.content)),
                Err(error) => Err(error.to_owned()),
            }
        },
        async |_: &MessageSending| {
            yield_once().await;
            sent
        },
    ))
}

const IN: &str = "MessageReceived";
const OUT: &str = "MessageSending";

#[test]
fn a_message_is_answered_and_the_answer_sent_to_its_sender() {
    let recorder = Recorder::default();
    let sent = run(&hooks![&recorder], Ok("Answer"), Ok(()));
    let message = MessageSending::new("slack", "ada", "Answer to Hello.");
    assert_eq!(sent, Ok(MessageOutcome::Sent(message)));
    assert_eq!(recorder.names(), [IN, OUT, "MessageSent"]);
}

#[test]
fn a_message_goes_as_hooks_left_it() {
    let recorder = Recorder::default();
    let both = hooks![&recorder, Says::new(IN, Say::Modify)];
    assert!(run(&both, Ok("Answer"), Ok(())).is_ok());
    assert_eq!(
        recorder.only("MessageSent")["content"],
        "Answer to modified"
    );

    let recorder = Recorder::default();
    let out = hooks![&recorder, Says::new(OUT, Say::Modify)];
    assert!(run(&out, Ok("Answer"), Ok(())).is_ok());
    assert_eq!(recorder.only("MessageSent")["content"], "modified");
}

#[test]
fn a_message_is_dropped_held_back_or_fails() {
    for (on, say, sent, raised) in [
        (IN, Say::Block, Ok(()), &[IN][..]),
        (OUT, Say::Block, Ok(()), &[IN, OUT]),
        (
            "",
            Say::Continue,
            Err("offline"),
            &[IN, OUT, "MessageFailed"],
        ),
    ] {
        let recorder = Recorder::default();
        let outcome = run(&hooks![&recorder, Says::new(on, say)], Ok("Answer"), sent).unwrap();
        assert_eq!(recorder.names(), raised);
        match outcome {
            MessageOutcome::Blocked(by) => assert_eq!(by, cancel("Says", Scope::Event)),
            MessageOutcome::Failed { message, error } => {
                assert_eq!(
                    (message.content.as_str(), error.as_str()),
                    ("Answer to Hello.", "offline")
                );
                assert_eq!(recorder.only("MessageFailed")["error"], "offline");
            }
            MessageOutcome::Sent(_) => panic!("{on}: it was sent"),
        }
    }
}

#[test]
fn an_abort_on_any_event_of_a_message_is_returned() {
    for (on, raised) in [(IN, &[IN][..]), (OUT, &[IN, OUT])] {
        for (say, scope) in [(Say::AbortTurn, Scope::Turn), (Say::AbortRun, Scope::Run)] {
            let recorder = Recorder::default();
            let done = run(&hooks![&recorder, Says::new(on, say)], Ok("Answer"), Ok(()));
            assert_eq!(done, Err(MessageError::Cancelled(cancel("Says", scope))));
            assert_eq!(recorder.names(), raised);
        }
    }
}

#[test]
fn a_message_that_the_agent_cannot_answer_sends_nothing() {
    let recorder = Recorder::default();
    let done = run(&hooks![&recorder], Err("no model"), Ok(()));
    assert_eq!(done, Err(MessageError::Unanswered("no model".into())));
    assert_eq!(recorder.names(), [IN]);
}

#[test]
fn a_message_of_the_agents_own_is_sent_without_one_that_came_in() {
    let recorder = Recorder::default();
    let message = MessageSending::new("slack", "ada", "Reminder.");
    let sent = now(send_message(
        &hooks![&recorder],
        &cx(),
        message,
        async |_: &MessageSending| Ok::<_, String>(()),
    ));
    assert!(matches!(sent, Ok(MessageOutcome::Sent(_))));
    assert_eq!(recorder.names(), [OUT, "MessageSent"]);
}
