//! Every case in every way, under criterion.

use std::time::{Duration, Instant};

use benches::cases;
use criterion::Criterion;

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    for case in cases() {
        // What scales is one group, with the number of hooks beside the way.
        let (group, hooks) = match case.name.strip_prefix("scaling_") {
            Some(hooks) => ("scaling", format!("/{hooks}")),
            None => (case.name, String::new()),
        };
        let mut group = criterion.benchmark_group(group);
        for mut contestant in case.contestants {
            group.bench_function(format!("{}{hooks}", contestant.way.name()), |bencher| {
                bencher.iter_custom(|times| {
                    let start = Instant::now();
                    contestant.run(times);
                    start.elapsed()
                });
            });
        }
        group.finish();
    }
    criterion.final_summary();
}
