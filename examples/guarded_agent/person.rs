//! A person who answers for the example: what a window with two buttons would do.

use std::sync::{Arc, Mutex, PoisonError};

use hooks_builtin::ChannelApprover;

/// What was answered.
#[derive(Clone, Default)]
pub(crate) struct Person(Arc<Mutex<Vec<String>>>);

impl Person {
    pub(crate) fn answers(&self) -> Vec<String> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn note(&self, answer: String) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(answer);
    }
}

/// An approver, and who answers it, in a task.
pub(crate) fn answering() -> (ChannelApprover, Person) {
    let (approver, mut requests) = ChannelApprover::new(8);
    let person = Person::default();
    let answers = person.clone();
    tokio::spawn(async move {
        while let Some(pending) = requests.recv().await {
            let request = pending.request();
            let question = format!("{} {}", request.tool, request.args);
            match request.tool.as_str() {
                "write" => {
                    answers.note(format!("{question}: always"));
                    pending.approve_always();
                }
                "edit" => {
                    answers.note(format!("{question}: no"));
                    pending.deny("leave the notes as they are");
                }
                _ => {
                    answers.note(format!("{question}: yes"));
                    pending.approve();
                }
            }
        }
    });
    (approver, person)
}
