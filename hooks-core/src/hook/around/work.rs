//! The work of an event: its output, and how that says that hooks have refused the work.

use alloc::string::{String, ToString};
use core::marker::PhantomData;

use crate::decision::Cancel;
use crate::event::{Event, Intercept};
use crate::hook::AnyEvent;

/// An event whose work hooks may wrap: one with `around = …`.
///
/// Hooks with `#[hook(around)]` wrap the work that follows the event, such as a tool call or a model call: see
/// [`Next`](crate::Next).
#[diagnostic::on_unimplemented(
    message = "no hook can stand around `{Self}`",
    label = "no work to wrap",
    note = "only an event declared with `around = Output` has work that `#[hook(around)]` can wrap, as \
            `BeforeToolCall` and `BeforeLlmCall` have"
)]
pub trait HasWork: AnyEvent + Event<Kind = Intercept> {
    /// The output of the work: the type named by `around = …`.
    type Work: Send;
    /// Like [`IS_EVENT`](Event::IS_EVENT).
    #[doc(hidden)]
    const IS_WRAPPED: bool = true;
    /// The output of work that hooks have refused, if the type [can say so](Refused).
    #[doc(hidden)]
    const REFUSED: Option<fn(Cancel) -> Self::Work> = None;
    /// A copy of the output, if the type is `Clone`.
    #[doc(hidden)]
    #[expect(clippy::type_complexity, reason = "a function that may be absent")]
    const COPIED: Option<fn(&Self::Work) -> Self::Work> = None;
}

/// An output of work that can say that the work was refused: a `Result` whose error is `From<Cancel>`, or your own type.
///
/// A [wrapper](crate::wrap::Wrapper) that fails around a hook with `#[hook(around)]`, such as a timeout whose time is
/// up, makes such an output in the place of the work.
///
/// ```
/// use hooks_core::{Cancel, Hook, HookEvent, Next, OnPanic, Refused, hook, wrap_around};
///
/// pub struct Order { pub pages: u32 }
///
/// #[derive(Debug, PartialEq)]
/// pub enum Printed { Sheets(u32), Nothing { because: String } }
///
/// impl Refused for Printed {
///     fn refused(cancel: Cancel) -> Self { Printed::Nothing { because: cancel.reason.into() } }
/// }
///
/// #[derive(HookEvent)]
/// pub enum PrintEvent<'a> {
///     #[intercept(around = Printed)]
///     BeforePrint(&'a Order),
/// }
///
/// #[hook(around)]
/// async fn heat(_: &Order, _next: Next<'_, Order>) -> Printed { panic!("too hot") }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let hooks = heat.on_panic(OnPanic::Block);
/// let printed = wrap_around(&hooks, &(), &Order { pages: 3 }, async || Printed::Sheets(2)).await;
/// assert_eq!(printed, Printed::Nothing { because: "the hook panicked: too hot".into() });
/// # }
/// ```
///
/// If the type of `#[intercept(around = Type)]` is not `Refused`, around hooks of that event in a wrapper that may fail do
/// not compile. In `.when(…)`, `.shadow()` and `.read_only()`, which never fail, they do.
///
/// ```compile_fail
/// # use hooks_core::{Hook, HookEvent, Next, OnPanic, hook, wrap_around};
/// # pub struct Order { pub pages: u32 }
/// #[derive(HookEvent)]
/// pub enum PrintEvent<'a> {
///     #[intercept(around = u32)] // the number of sheets
///     BeforePrint(&'a Order),
/// }
///
/// #[hook(around)]
/// async fn heat(_: &Order, _next: Next<'_, Order>) -> u32 { panic!("too hot") }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let hooks = heat.on_panic(OnPanic::Block);
/// wrap_around(&hooks, &(), &Order { pages: 3 }, async || 2).await;
/// # }
/// ```
pub trait Refused {
    /// The output in the place of the work; the text of `cancel` says which hook failed, and why.
    fn refused(cancel: Cancel) -> Self;
}

impl<T, X: From<Cancel>> Refused for Result<T, X> {
    fn refused(cancel: Cancel) -> Self {
        Err(cancel.into())
    }
}

impl From<Cancel> for String {
    fn from(cancel: Cancel) -> Self {
        cancel.to_string()
    }
}

/// What is known about an output: rustc prefers the constants of the type, where they apply, to those of [`Unknown`].
#[doc(hidden)]
#[derive(Debug)]
pub struct Output<W>(PhantomData<W>);

impl<W: Refused> Output<W> {
    pub const REFUSED: Option<fn(Cancel) -> W> = Some(W::refused);
}

impl<W: Clone> Output<W> {
    pub const COPIED: Option<fn(&W) -> W> = Some(W::clone);
}

#[doc(hidden)]
pub trait Unknown {
    type Work;
    const REFUSED: Option<fn(Cancel) -> Self::Work> = None;
    #[expect(clippy::type_complexity, reason = "a function that may be absent")]
    const COPIED: Option<fn(&Self::Work) -> Self::Work> = None;
}

impl<W> Unknown for Output<W> {
    type Work = W;
}

/// The constants of [`HasWork`]. The derive writes it, because only there is the type of the output known.
#[doc(hidden)]
#[macro_export]
macro_rules! __output {
    ($Work:ty) => {
        const REFUSED: ::core::option::Option<fn($crate::Cancel) -> $Work> = {
            #[allow(unused_imports)]
            use $crate::__private::Unknown as _;
            $crate::__private::Output::<$Work>::REFUSED
        };
        const COPIED: ::core::option::Option<fn(&$Work) -> $Work> = {
            #[allow(unused_imports)]
            use $crate::__private::Unknown as _;
            $crate::__private::Output::<$Work>::COPIED
        };
    };
}

/// What a hook around the work of `E` may return: the output of the work.
#[diagnostic::on_unimplemented(
    message = "a hook around `{E}` cannot return `{Self}`",
    label = "not what the work gives back",
    note = "a hook with `around` returns what `next.run().await` gives it: `ToolOutput` for `BeforeToolCall`, \
            `Result<LlmResponse, String>` for `BeforeLlmCall`, and what `around = …` names for other events"
)]
#[doc(hidden)]
pub trait WorkOf<E: HasWork> {
    fn work(self) -> E::Work;
}

#[diagnostic::do_not_recommend]
impl<E: HasWork<Work = W>, W> WorkOf<E> for W {
    #[inline(always)]
    fn work(self) -> W {
        self
    }
}
