//! What the drivers take, each as a bound that says what to write, and says it [once](crate::once).

use alloc::string::String;
use core::fmt::Display;

use super::super::{
    AgentHooks, BeforeLlmCall, BeforeToolCall, LlmResponse, MessageReceived, MessageSending,
    ToolOutput,
};
use super::Deltas;
use crate::once::{Fails, Holds};

/// A bound, as a trait for each [verdict](crate::once).
macro_rules! takes {
    ($($(#[$attr:meta])* $Takes:ident $(<$X:ident $(: $of:path)?>)? = [$($bound:tt)+];)*) => { $(
        $(#[$attr])*
        #[doc(hidden)]
        pub trait $Takes<$($X,)? K>: $($bound)+ {}

        #[diagnostic::do_not_recommend]
        impl<Given: $($bound)+, $($X $(: $of)?)?> $Takes<$($X,)? Holds> for Given {}

        #[diagnostic::do_not_recommend]
        impl<Given: $($bound)+, $($X $(: $of)?)?> $Takes<$($X,)? Fails> for Given
        where
            Fails: AsRef<Given>,
        {
        }
    )* };
}
takes! {
    #[diagnostic::on_unimplemented(
        message = "these are not hooks of the vocabulary `AgentEvent`",
        label = "not hooks of this vocabulary",
        note = "a driver takes a reference to hooks of `AgentEvent`: `&hooks![…]`; where hooks are a type parameter, write \
                the bound `H: AgentHooks`"
    )]
    AreHooks = [AgentHooks];

    #[diagnostic::on_unimplemented(
        message = "`{Self}` is not a `{E}`",
        label = "not a `{E}`",
        note = "a driver takes the event, or what converts to it, by value: `.clone()` it if you need it afterwards"
    )]
    IsEvent<E> = [Into<E>];

    #[diagnostic::on_unimplemented(
        message = "this does not run a tool",
        label = "not a tool",
        note = "write `async |call: &BeforeToolCall| …`, with a `ToolOutput` at its end; it may run twice, so what it holds is \
                `Clone`: count in a `Cell`"
    )]
    IsTool = [AsyncFnOnce(&BeforeToolCall) -> ToolOutput + Clone];

    #[diagnostic::on_unimplemented(
        message = "this does not call a model",
        label = "not a model",
        note = "write `async |request, deltas| …`, with a `Result<LlmResponse, X>` at its end, where `X` is `Display`; it may \
                run twice, so what it holds is `Clone`: count in a `Cell`"
    )]
    IsModel<X: Display> = [AsyncFnOnce(&BeforeLlmCall, Deltas<'_>) -> Result<LlmResponse, X> + Clone];

    #[diagnostic::on_unimplemented(
        message = "this does not answer a message",
        label = "not an answer",
        note = "write `async |message: MessageReceived| …`, with a `Result<String, X>` at its end"
    )]
    IsAnswer<X> = [AsyncFnOnce(MessageReceived) -> Result<String, X>];

    #[diagnostic::on_unimplemented(
        message = "this does not send a message",
        label = "not what sends a message",
        note = "write `async |message: &MessageSending| …`, with a `Result<(), X>` at its end, where `X` is `Display`"
    )]
    IsSender<X: Display> = [AsyncFnOnce(&MessageSending) -> Result<(), X>];
}
