//! Compiles the tables of the agents: from TOML, which people read, to JSON, which is read faster.

use std::path::Path;
use std::{env, fs};

use serde_json::Value;

#[path = "src/system/like.rs"]
mod like;

fn main() {
    println!("cargo::rerun-if-changed=agents");
    let out = env::var("OUT_DIR").expect("cargo sets it");
    let table = |name: &str| -> Value {
        let file = format!("agents/{name}.toml");
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
        toml::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"))
    };
    for entry in fs::read_dir("agents").expect("the folder of the tables") {
        let path = entry.expect("a table").path();
        if path.extension().is_none_or(|ending| ending != "toml") {
            continue;
        }
        let name = path
            .file_stem()
            .and_then(|name| name.to_str())
            .expect("a name");
        let mut own = table(name);
        if let Some(other) = like::of(&own) {
            let other = table(other);
            like::lay(&mut own, other);
        }
        // The table has the text of a file that the agent gets as a whole.
        if let Some(script) = own.pointer_mut("/init/script") {
            let name = script.as_str().expect("the name of a file");
            let text = fs::read_to_string(Path::new("agents").join(name));
            *script = text.expect("a file beside the tables").into();
        }
        let to = Path::new(&out).join(format!("{name}.json"));
        fs::write(to, own.to_string()).expect("the folder of the build");
    }
}
