//! A fleet: many tenants and agents on two daemons and one Postgres, with a restart of the database in the middle. Neither
//! `cargo test` nor the gate runs it: run it by itself, in release.
//!
//! `HOOKS_POSTGRES=$(.ci/postgres) cargo test --release -p hooks-cli --test fleet -- --ignored --nocapture`
//!
//! Each agent waits for its bundle on one connection, and opens another when it asks the door. `FLEET=TENANTS,HOOKS,AGENTS,SECONDS` sets how
//! large it is, and how long each of its five phases takes. The agents share the cores with what they measure.

mod agent;
mod machine;

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::StreamExt as _;
use hooks_runtime::Bundle;
use hooks_store::{By, Keys, Role, Store};
use serde_json::{Map, json};

use crate::agent::{Agents, Fleet};
use crate::machine::{Daemon, KEY, Postgres};

/// How many tenants are made at once.
const MAKERS: usize = 8;

/// How large the fleet is.
#[derive(Clone, Copy)]
struct Size {
    tenants: usize,
    hooks: usize,
    agents: usize,
    phase: Duration,
}

impl Size {
    fn of_environment() -> Self {
        let text = std::env::var("FLEET").unwrap_or_else(|_| "1000,100,10000,120".to_owned());
        let numbers: Vec<usize> = text.split(',').map(|word| word.parse().unwrap()).collect();
        let [tenants, hooks, agents, seconds] = numbers[..] else {
            panic!("FLEET is four numbers: tenants, hooks, agents, and seconds");
        };
        Size {
            tenants,
            hooks,
            agents,
            phase: Duration::from_secs(seconds as u64),
        }
    }
}

async fn open(address: &str) -> Store {
    let store = Store::builder(address).keys(Keys::read(KEY).unwrap());
    store.open().await.unwrap()
}

/// Makes the tenants, each with its hooks in force, and returns a token for each agent.
async fn make(address: &str, size: Size) -> Vec<String> {
    let store = open(address).await;
    let per_tenant = size.agents.div_ceil(size.tenants);
    let tenants = futures::stream::iter(0..size.tenants).map(|number| {
        let tenant = store.tenant(&format!("tenant-{number}"));
        async move {
            let by = By::new("fleet");
            let hooks = (0..size.hooks).map(|hook| {
                json!({ "name": format!("hook-{hook}"), "event": "BeforeToolCall", "tools": ["Bash"],
                    "if": format!("args.command.contains('zz{hook}') && args.command.matches('^a{hook}[a-z]+x$')"),
                    "block": "no" })
            });
            let set = Bundle::new(hooks.collect(), Map::new()).unwrap();
            tenant.put_draft(&set, &by).await.unwrap();
            tenant.publish(&by).await.unwrap();
            let mut tokens = Vec::new();
            for agent in 0..per_tenant {
                let name = format!("agent-{agent}");
                let made = tenant.token_new(&name, Role::Viewer, Some(&name), &by).await;
                tokens.push(made.unwrap().to_string());
            }
            tokens
        }
    });
    let tokens = tenants.buffer_unordered(MAKERS).collect::<Vec<_>>().await;
    store.close().await;
    let mut tokens = tokens.concat();
    tokens.truncate(size.agents);
    tokens
}

/// What a phase cost, and what agents saw of it.
struct Phase<'a> {
    fleet: &'a Arc<Fleet>,
    daemons: &'a [Daemon],
    postgres: &'a Postgres,
    began: Instant,
    cpu: (f64, f64),
}

impl<'a> Phase<'a> {
    fn begin(fleet: &'a Arc<Fleet>, daemons: &'a [Daemon], postgres: &'a Postgres) -> Self {
        fleet.forget();
        let mut phase = Phase {
            fleet,
            daemons,
            postgres,
            began: Instant::now(),
            cpu: (0.0, 0.0),
        };
        phase.cpu = phase.cpu();
        phase
    }

    fn cpu(&self) -> (f64, f64) {
        let daemons = self.daemons.iter().map(Daemon::cpu).sum();
        (daemons, self.postgres.cpu())
    }

    fn end(&self, name: &str) {
        let seconds = self.began.elapsed().as_secs_f64();
        let (daemons, postgres) = self.cpu();
        let of = |after: f64, before: f64| (after - before) / seconds * 100.0;
        let memory: Vec<_> = self.daemons.iter().map(Daemon::memory).collect();
        println!(
            "{name}: {seconds:.0} s, CPU of the daemons {:.0} % and of Postgres {:.0} % of a core, daemons {memory:?} MiB, \
             Postgres {} MiB; {}",
            of(daemons, self.cpu.0),
            of(postgres, self.cpu.1),
            self.postgres.memory(),
            self.fleet.summary(seconds),
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it takes minutes: run it by hand"]
async fn by_hand_a_fleet_with_a_restart_of_its_database() {
    machine::most_files();
    let size = Size::of_environment();
    let postgres = Postgres::start();
    let address = postgres.database();
    let began = Instant::now();
    let tokens = make(&address, size).await;
    println!(
        "{} tenants with {} hooks each, and {} agents: made in {:.0} s",
        size.tenants,
        size.hooks,
        size.agents,
        began.elapsed().as_secs_f64()
    );
    let daemons = [Daemon::start(&address), Daemon::start(&address)];
    let fleet = Fleet::new(&daemons, tokens);
    let phase = || Phase::begin(&fleet, &daemons, &postgres);

    let all = phase();
    let mut agents = Agents::wait(&fleet);
    fleet.all_have_a_bundle().await;
    all.end("all agents fetch their first bundle");

    let idle = phase();
    tokio::time::sleep(size.phase).await;
    idle.end("all wait");

    let load = phase();
    agents.ask(&fleet, size.phase / 6);
    tokio::time::sleep(size.phase).await;
    load.end("each agent asks six times");

    let by = By::new("fleet");
    let store = open(&address).await;
    let hook = |name: String| json!({ "name": name, "event": "BeforeToolCall", "tools": ["deploy"], "block": "no" });
    let publishes = phase();
    let mut count = 0;
    while publishes.began.elapsed() < size.phase {
        let tenant = store.tenant(&format!("tenant-{}", count % size.tenants));
        tenant
            .create(&hook(format!("new-{count}")), &by)
            .await
            .unwrap();
        fleet.publishes();
        tenant.publish(&by).await.unwrap();
        count += 1;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    publishes.end(&format!(
        "meanwhile, {count} publications of one tenant each"
    ));

    let outage = phase();
    postgres.end();
    tokio::time::sleep(size.phase / 6).await;
    println!(
        "the database is away for {:.0} s",
        outage.began.elapsed().as_secs_f64()
    );
    println!(
        "  meanwhile: {}",
        fleet.summary(outage.began.elapsed().as_secs_f64())
    );
    postgres.begin();
    tokio::time::sleep(size.phase).await;
    outage.end("the database is away, and comes back");

    let global = phase();
    let all = store.tenant("");
    all.create(&hook("for-all".to_owned()), &by).await.unwrap();
    all.publish(&by).await.unwrap();
    println!(
        "published for all in {:.1} s",
        global.began.elapsed().as_secs_f64()
    );
    fleet.all_have_a_bundle().await;
    global.end("a publication for all");

    drop(agents);
    for daemon in daemons {
        println!("{}", daemon.stop());
    }
}
