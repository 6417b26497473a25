//! Runs a program that may write to one folder, and nothing else: `cargo run --example confine -- FOLDER PROGRAM …`.

use hooks_sandbox::Sandbox;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    hooks_sandbox::enter_if_asked();
    let mut words = std::env::args_os().skip(1);
    let (Some(folder), Some(program)) = (words.next(), words.next()) else {
        return Err("name a folder and a program".into());
    };
    let mut sandbox = Sandbox::new().write(folder);
    if std::env::var_os("WITHOUT_NAMESPACES").is_some() {
        sandbox = sandbox.without_namespaces();
    }
    let status = sandbox.prepare()?.command(program, words).status()?;
    std::process::exit(status.code().unwrap_or(1));
}
