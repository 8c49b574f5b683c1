//! Remembers facts and finds them again.
//!
//! `cargo run --example remember` uses a temporary directory; with an argument, the memory in that directory.

use memdir::results::ListResult;
use memdir::{Error, InitOptions, Memory, OpenOptions, QueryOptions};

fn main() -> Result<(), Error> {
    let argument = std::env::args_os().nth(1).map(std::path::PathBuf::from);
    let dir = argument.unwrap_or_else(|| std::env::temp_dir().join(format!("remember-{}", std::process::id())));
    Memory::init(&dir, &InitOptions::default())?;
    let memory = Memory::open(OpenOptions::new(&dir).actor("remember"))?;

    memory.add("user", "Lives in Lisbon #home")?;
    memory.add("user", "Prefers tabs over spaces #editor")?;

    let question = QueryOptions { tags: vec!["editor".into()], ..QueryOptions::default() };
    for item in memory.query(question)?.items {
        println!("{} in {}", item.text, item.path);
    }
    if let ListResult::Files(list) = memory.list(None)? {
        println!("{} file(s), as {}", list.files.len(), memory.actor());
    }
    Ok(())
}
