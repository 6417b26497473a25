//! Random pipelines of guards and of hooks that change the event, in every form: no event goes on that any guard in
//! them would block in its final form.

use crate::vocabulary::*;
use hooks_core::probe::Probe;
use hooks_core::{EventInfo, Hook, HookAction, OnPanic, async_trait, hook, hooks};
use proptest::prelude::*;

use crate::common::{Registry, call, cx, now, opaque, yield_once};

/// What stands at one position: a guard that forbids a letter in the tool's name, or a hook that changes the name.
#[derive(Clone, Copy, Debug)]
enum Does {
    Nothing,
    Forbids(char),
    Pushes(char),
    Removes(char),
}

impl Does {
    fn judge(self, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        match self {
            Does::Forbids(letter) if call.name.contains(letter) => HookAction::block("forbidden"),
            _ => HookAction::Continue,
        }
    }

    fn change(self, name: &mut String) {
        match self {
            Does::Pushes(letter) => name.push(letter),
            Does::Removes(letter) => name.retain(|other| other != letter),
            Does::Nothing | Does::Forbids(_) => {}
        }
    }

    const fn is_guard(self) -> bool {
        matches!(self, Does::Forbids(_))
    }
}

/// How the hook is written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Plain,
    Modify,
    Later,
    Boxed,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    does: Does,
    form: Form,
    priority: i32,
}

struct Guards(Does);
#[hook(guard)]
impl Guards {
    fn judge(&self, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        self.0.judge(call)
    }
}

struct GuardsLater(Does);
#[hook(guard)]
impl GuardsLater {
    async fn judge(&self, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        yield_once().await;
        self.0.judge(call)
    }
}

struct Changes(Does);
#[hook]
impl Changes {
    fn change(&self, call: &mut BeforeToolCall) {
        self.0.change(&mut call.name);
    }
}

struct Modifies(Does);
#[hook]
impl Modifies {
    fn change(&self, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        let mut name = call.name.clone();
        self.0.change(&mut name);
        if name == call.name {
            return HookAction::Continue;
        }
        HookAction::modify(ToolCallPatch {
            name: Some(name),
            args: None,
        })
    }
}

struct ChangesLater(Does);
#[hook]
impl ChangesLater {
    async fn change(&self, call: &mut BeforeToolCall) {
        yield_once().await;
        self.0.change(&mut call.name);
    }
}

struct InBox(Does);
#[async_trait]
impl AgentHandler for InBox {
    fn is_guard(&self) -> bool {
        self.0.is_guard()
    }
    fn wants(&self, event: &EventInfo, _: Option<&str>) -> bool {
        event.name == "BeforeToolCall"
    }
    async fn handle(&self, _: &AgentContext, event: AgentEventMut<'_>) -> AgentSaid {
        let AgentEventMut::BeforeToolCall(call) = event else {
            return AgentSaid::Continue;
        };
        yield_once().await;
        self.0.change(&mut call.name);
        self.0.judge(call).into()
    }
}

impl Place {
    fn only(self, is_guard: bool, form: &[Form]) -> Option<Does> {
        let fits = self.does.is_guard() == is_guard && form.contains(&self.form);
        fits.then_some(self.does)
    }

    fn guards(self) -> Option<Guards> {
        self.only(true, &[Form::Plain, Form::Modify]).map(Guards)
    }

    fn guards_later(self) -> Option<GuardsLater> {
        self.only(true, &[Form::Later]).map(GuardsLater)
    }

    fn changes(self) -> Option<Changes> {
        self.only(false, &[Form::Plain]).map(Changes)
    }

    fn modifies(self) -> Option<Modifies> {
        self.only(false, &[Form::Modify]).map(Modifies)
    }

    fn changes_later(self) -> Option<ChangesLater> {
        self.only(false, &[Form::Later]).map(ChangesLater)
    }

    fn boxed(self) -> Option<Box<dyn AgentHandler>> {
        let is_boxed = self.form == Form::Boxed;
        is_boxed.then(|| Box::new(InBox(self.does)) as Box<dyn AgentHandler>)
    }

    /// The hook as a pipeline of one, whatever it is.
    fn hooks(self) -> impl AgentHooks + 'static {
        hooks![
            self.guards(),
            self.guards_later(),
            self.changes(),
            self.modifies(),
            self.changes_later(),
            self.boxed(),
        ]
    }
}

/// Each hook at its priority.
fn registry(places: &[Place]) -> Registry {
    let registry = Registry::new();
    for (nth, place) in places.iter().enumerate() {
        let hooks = hooks![
            place.guards(),
            place.guards_later(),
            place.changes(),
            place.modifies(),
            place.changes_later(),
            place.boxed(),
        ];
        let named = hooks.named(format!("{nth}"));
        registry.register_at(place.priority, named).unwrap();
    }
    registry
}

/// Each hook at a place of its own in one list, before, between and after those of a source.
macro_rules! flat {
    ($places:expr, $source:expr; $($nth:literal)*) => {
        hooks![
            $(
                $places[$nth].guards() @ 3 - $nth,
                $places[$nth].guards_later() @ 3 - $nth,
                $places[$nth].changes() @ 3 - $nth,
                $places[$nth].modifies() @ 3 - $nth,
                $places[$nth].changes_later() @ 3 - $nth,
                $places[$nth].boxed() @ 3 - $nth,
            )*
            ..$source
        ]
    };
}

struct Quiet;
impl Probe<AgentEvent<'static>> for Quiet {
    type State = ();
    fn begin(&self, _: &AgentContext, _: AgentEvent<'_>) {}
}

/// Whether a call goes on, and the name that it then has.
fn through(hooks: &impl AgentHooks) -> (bool, String) {
    let mut call = call("x");
    let result = now(hooks.intercept(&cx(), &mut call));
    (result.is_continue(), call.name)
}

#[expect(
    clippy::many_single_char_names,
    reason = "eight places have eight letters"
)]
/// Dispatches to the hooks in every shape: whether the event went on, and its name.
fn asked(places: &[Place; 8]) -> Vec<(&'static str, bool, String)> {
    static PROBE: Quiet = Quiet;
    let [a, b, c, d, e, f, g, h] = *places;
    let mut all = Vec::new();
    macro_rules! ask {
        ($($name:literal $hooks:expr;)*) => {$(
            let (goes_on, name) = through(&$hooks);
            all.push(($name, goes_on, name));
        )*};
    }
    ask! {
        "flat" flat![places, registry(&[e, f, g, h]); 0 1 2 3];
        "flat, with the source first" flat![[e, f, g, h], registry(&[a, b, c, d]); 0 1 2 3];
        "registry" registry(places);
        "nested" hooks![
            a.hooks().then(Registry::new()) @ 3,
            hooks![b.guards(), b.changes(), b.modifies(), b.boxed(), c.hooks().then(d.hooks()) @ -1] @ 2,
            registry(&[e, f]) @ 1,
            hooks![g.changes_later(), g.guards_later(), hooks![g.guards(), h.modifies()], h.boxed()],
        ];
        "then" a.hooks().then(b.hooks()).then(registry(&[c, d])).then(
            e.hooks().then(f.hooks()).then(hooks![g.modifies(), ..registry(&[h])])
        );
        "wrapped" hooks![
            opaque(a.hooks()).on_panic(OnPanic::Skip).then(b.hooks().when(|_, _| true)) @ 9,
            c.guards().on_panic(OnPanic::Block) @ 8,
            c.changes().timeout(std::time::Duration::from_secs(9)) @ 8,
            Some(Box::new(d.modifies())) @ 7,
            hooks![e.guards(), e.changes(), ..registry(&[f])].on_panic(OnPanic::Skip) @ 6,
            g.boxed().named("g") @ 5,
            registry(&[h]).when(|_, _| true).on_panic(OnPanic::Skip) @ 4,
        ];
        "probed" a.hooks().then(hooks![b.guards(), c.changes(), d.modifies()].with_probe(&PROBE))
            .then(registry(&[e, f]).with_probe(&PROBE))
            .then(g.hooks())
            .then(h.hooks())
            .with_probe((&PROBE, &PROBE));
    }
    all
}

#[expect(
    clippy::many_single_char_names,
    reason = "eight places have eight letters"
)]
/// The hooks that need no executor, without one.
fn asked_now(places: &[Place; 8]) -> (bool, String) {
    let [a, b, c, d, e, f, g, h] = *places;
    let hooks = hooks![
        a.guards() @ 9, a.changes() @ 9, a.modifies() @ 9,
        hooks![b.changes(), b.guards(), c.guards(), c.modifies()] @ 8,
        d.guards().then(d.changes()).then(e.guards()) @ 7,
        hooks![e.modifies(), f.guards(), f.changes()].on_panic(OnPanic::Skip) @ 6,
        Some(g.guards()) @ 5, Some(g.modifies()) @ 5,
        h.changes(), h.guards(),
    ];
    let mut call = call("x");
    let result = hooks.intercept_now(&cx(), &mut call);
    (result.is_continue(), call.name)
}

fn place() -> impl Strategy<Value = Place> {
    let letter = || prop::sample::select(vec!['a', 'b', 'c']);
    let does = prop_oneof![
        1 => Just(Does::Nothing),
        3 => letter().prop_map(Does::Forbids),
        3 => letter().prop_map(Does::Pushes),
        1 => letter().prop_map(Does::Removes),
    ];
    let form = prop::sample::select(vec![Form::Plain, Form::Modify, Form::Later, Form::Boxed]);
    (does, form, -5..5).prop_map(|(does, form, priority)| Place {
        does,
        form,
        priority,
    })
}

/// The letters that are forbidden in a shape; some shapes leave out what has no place in them.
fn forbidden(places: &[Place; 8], is_there: impl Fn(usize, Form) -> bool) -> String {
    let all = places.iter().enumerate();
    all.filter(|(nth, place)| is_there(*nth, place.form))
        .filter_map(|(_, place)| match place.does {
            Does::Forbids(letter) => Some(letter),
            _ => None,
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn no_event_goes_on_that_a_guard_would_block_in_its_final_form(
        places in prop::array::uniform8(place()),
    ) {
        use Form::{Boxed, Later, Modify, Plain};
        for (shape, goes_on, name) in asked(&places) {
            let guards = forbidden(&places, |nth, form| match (shape, nth) {
                ("nested", 1) => form != Later,
                ("nested", 6) => form != Boxed,
                ("wrapped", 2) | ("probed", 1) => matches!(form, Plain | Modify),
                ("then", 6) | ("wrapped", 3) | ("probed", 2 | 3) => false,
                ("wrapped", 4) => matches!(form, Plain | Modify),
                ("nested", 7) | ("wrapped", 6) => form == Boxed,
                _ => true,
            });
            let breaks = name.chars().any(|letter| guards.contains(letter));
            prop_assert!(!(goes_on && breaks), "{shape}: `{name}` goes on, and {guards} are forbidden");
            prop_assert!(goes_on || !guards.is_empty(), "{shape}: nobody blocked `{name}`");
        }
        let (goes_on, name) = asked_now(&places);
        let guards = forbidden(&places, |_, form| matches!(form, Plain | Modify));
        let breaks = name.chars().any(|letter| guards.contains(letter));
        prop_assert!(!(goes_on && breaks), "now: `{name}` goes on, and {guards} are forbidden");
    }
}
