//! Changes several files as one revision, or none of them; reports a refusal by its code.
//!
//! Run it with `cargo run --example batch`.

use memdir::results::ChangeOutcome;
use memdir::{ChangeOptions, Code, Error, InitOptions, Memory, OpenOptions};

fn main() -> Result<(), Error> {
    let dir = std::env::temp_dir().join(format!("batch-{}", std::process::id()));
    Memory::init(&dir, &InitOptions::default())?;
    let memory = Memory::open(OpenOptions::new(&dir).actor("batch"))?;

    let both = r#"[{"op": "add", "at": "user", "text": "Moved to Porto"},
                   {"op": "add", "at": "project", "text": "Ships in March"}]"#;
    if let ChangeOutcome::Changed(change) = memory.apply(both, &ChangeOptions::default())? {
        let files: Vec<&str> = change.files.iter().map(|file| file.path.as_str()).collect();
        println!("{}: {}", change.rev.as_deref().unwrap_or("no revision"), files.join(", "));
    }

    // The second operation names a bullet that does not exist, so the first is not made either.
    let broken = r#"[{"op": "add", "at": "user", "text": "Has a cat"},
                     {"op": "rm", "at": "project", "text": "Ships in April"}]"#;
    match memory.apply(broken, &ChangeOptions::default()) {
        Ok(_) => println!("both were made"),
        Err(error) if error.code() == Code::BulletNotFound => {
            println!("refused, exit status {}, changed: {:?}", error.exit_status(), error.changed());
            println!("{error}");
        }
        Err(error) => return Err(error),
    }
    println!("{} hit(s) for 'cat'", memory.query("cat")?.items.len());
    Ok(())
}
