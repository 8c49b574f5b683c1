//! Two agents share a memory; the changes of one are listed and undone, those of the other stay.
//!
//! Run it with `cargo run --example undo`.

use memdir::{ChangeOptions, Error, InitOptions, LogOptions, Memory, OpenOptions, UndoOptions};

fn main() -> Result<(), Error> {
    let dir = std::env::temp_dir().join(format!("undo-{}", std::process::id()));
    Memory::init(&dir, &InitOptions::default())?;
    let ann = Memory::open(OpenOptions::new(&dir).actor("ann"))?;
    let bob = Memory::open(OpenOptions::new(&dir).actor("bob"))?;
    ann.add("user", "Drinks coffee")?;
    bob.add("user", "Drinks tea")?;
    ann.add("user", "Works at night")?;

    let by_bob = LogOptions { by: Some("bob".into()), ..LogOptions::default() };
    for entry in ann.log(&by_bob)?.entries {
        println!("{} {}: {}", entry.rev.unwrap_or_default(), entry.actor, entry.what);
    }
    let newest_of_bob = UndoOptions { by: Some("bob".into()), ..UndoOptions::default() };
    let undone = ann.undo(&newest_of_bob, &ChangeOptions::default())?;
    println!("undone: {}", undone.undone.unwrap_or_default());
    print!("{}", ann.read("user")?.text);
    Ok(())
}
