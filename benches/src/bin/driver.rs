//! What a driver costs: a line a figure. `report` runs it.
//!
//! Instructions are counted by callgrind: the program runs itself under it.

use std::error::Error;

use benches::callgrind;
use benches::driver::Runner;

/// The first argument of a run that is counted.
const COMMAND: &str = "__instructions";

const FEW: u64 = 1_000;
const MANY: u64 = 11_000;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [command, name, times] = args.as_slice()
        && command == COMMAND
    {
        let runner = Runner::ALL.into_iter().find(|one| one.name() == name);
        let times = times.parse()?;
        let right = runner.ok_or("there is no such runner")?.run(times);
        assert_eq!(right, times, "{name}");
        return Ok(());
    }
    let [hand, driver] = benches::driver::future_bytes();
    println!("run_tool_call future bytes hand {hand}");
    println!("run_tool_call future bytes driver {driver}");
    if !callgrind::is_installed() {
        return Ok(());
    }
    let mut counted = Vec::new();
    for runner in Runner::ALL {
        let count = callgrind::instructions(
            &[&callgrind::this_program()?, COMMAND, runner.name()],
            FEW,
            MANY,
        )?;
        println!("run_tool_call instructions {} {count}", runner.name());
        counted.push(count);
    }
    let [tool, alone, hand, driver] = counted[..] else {
        return Err("not all were counted".into());
    };
    println!(
        "run_tool_call instructions driver_alone - tool {}",
        alone - tool
    );
    println!("run_tool_call instructions driver/hand {}", driver / hand);
    Ok(())
}
