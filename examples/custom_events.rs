//! Your own vocabulary: the life of a release, with what hooks may do at each point of it. Run it with
//!
//! ```sh
//! cargo run --example custom_events
//! ```
//!
//! The enum is the declaration; the derive writes the rest, such as the bound `ReleaseHooks`.

use hooks_core::{HookAction, HookEvent, HookResult, Patch, hook, hooks, priority};

/// What every hook may read besides the event.
struct Company {
    freeze: bool,
}

/// A build that is ready for release. Hooks may change it, so it owns its data.
#[derive(Debug)]
struct Build {
    version: String,
    /// As a percentage of all users.
    rollout: u8,
    tests_passed: bool,
}

/// A change that hooks make to a build: they may change only the rollout.
struct Rollout(u8);

impl Patch<Build> for Rollout {
    fn apply(self, build: &mut Build) {
        build.rollout = self.0;
    }
}

/// What a hook may answer instead of a release.
#[derive(Debug)]
struct Receipt {
    url: String,
}

/// A release is out. Hooks only observe it, so it borrows.
struct Shipped<'a> {
    build: &'a Build,
    receipt: &'a Receipt,
}

/// The life of a release.
#[derive(HookEvent, Clone, Copy)]
#[events(context = Company)]
enum ReleaseEvent<'a> {
    /// Before a build is released.
    #[intercept(respond = Receipt, patch = Rollout, subject = version)]
    BeforeRelease(&'a Build),
    /// The build has been released.
    #[observe]
    AfterRelease(&'a Shipped<'a>),
}

/// The context comes before the event; an `Err` blocks with its text.
#[hook(priority = priority::SECURITY)]
fn no_freeze(cx: &Company, _: &Build) -> Result<(), &'static str> {
    if cx.freeze {
        Err("nothing goes out on a Friday")
    } else {
        Ok(())
    }
}

#[hook(priority = priority::HIGH)]
fn green(build: &Build) -> HookAction<Build> {
    if build.tests_passed {
        HookAction::Continue
    } else {
        HookAction::abort_run("a build with failing tests came this far: something is broken")
    }
}

/// `only` matches the field that is the event's subject.
#[hook(only("*-beta*"))]
fn betas_go_to_a_few(_: &Build) -> HookAction<Build> {
    HookAction::modify(Rollout(5))
}

#[hook(priority = priority::LOW)]
fn known_already(build: &Build) -> HookAction<Build> {
    if build.version == "1.0.0" {
        let url = "https://example.com/1.0.0, as always".into();
        return HookAction::respond(Receipt { url });
    }
    HookAction::Continue
}

#[hook]
fn announce(shipped: &Shipped<'_>) {
    let Shipped { build, receipt } = shipped;
    println!(
        "  announced: {} to {} % at {}",
        build.version, build.rollout, receipt.url
    );
}

#[hook(every, priority = priority::FIRST)]
fn trace(event: ReleaseEvent<'_>) {
    println!("  event: {}", event.name());
}

/// An agent of this vocabulary, generic over its hooks with the bound from the derive.
struct Releases<H> {
    hooks: H,
    company: Company,
}

impl<H: ReleaseHooks> Releases<H> {
    async fn release(&self, mut build: Build) {
        println!("{build:?}");
        let receipt = match self.hooks.intercept(&self.company, &mut build).await {
            HookResult::Continue => Receipt {
                url: format!("https://example.com/{}", build.version),
            },
            HookResult::Respond(receipt) => receipt,
            HookResult::Cancel(cancel) => return println!("  {cancel}"),
        };
        let shipped = Shipped {
            build: &build,
            receipt: &receipt,
        };
        self.hooks.observe(&self.company, &shipped).await;
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let hooks = hooks![
        announce,
        betas_go_to_a_few,
        known_already,
        no_freeze,
        green,
        trace,
    ];
    println!("{}", hooks.plan());

    let mut releases = Releases {
        hooks,
        company: Company { freeze: false },
    };
    let build = |version: &str, tests_passed| Build {
        version: version.into(),
        rollout: 100,
        tests_passed,
    };
    releases.release(build("1.1.0", true)).await;
    releases.release(build("1.2.0-beta.1", true)).await;
    releases.release(build("1.0.0", true)).await;
    releases.release(build("1.3.0", false)).await;
    releases.company.freeze = true;
    releases.release(build("1.1.1", true)).await;
}
