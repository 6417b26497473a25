//! Dispatches one case in one way, for the report to count the instructions; without arguments, tells where it is.

fn main() -> Result<(), String> {
    let mut args = std::env::args().skip(1).peekable();
    if args.peek().is_some() {
        return benches_units::run_counted(args);
    }
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    println!("{}", program.display());
    Ok(())
}
