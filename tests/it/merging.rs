//! The structural merge, judged from outside: random pairs of changes whose right result is known, because every thing
//! in them has a hidden identity that the engine never sees (ARCHITECTURE.md, "Merging").
//!
//! Small by default, large with `MEMDIR_FULL=1`; `MEMDIR_SEED=SERIES:SEED` runs one pair and prints it.

mod algebra;
mod arbitrary_texts;
mod change;
mod equal_changes;
mod generator;
mod ideal;
mod indents;
mod judge;
mod known_edits;
mod model;
mod nested;
mod pairs;
mod random;
mod reader;
mod shrink;
mod speed;
mod three_files;
mod truth;
mod untouched;
