//! The structural merge, judged from outside: random pairs of changes whose right result is known, because every thing
//! in them has a hidden identity that the engine never sees (ARCHITECTURE.md, "Merging").
//!
//! Small by default, large with `MEMDIR_FULL=1`; `MEMDIR_SEED=SERIES:SEED` runs one pair and prints it.

mod algebra;
mod chance;
mod change;
mod ideal;
mod judge;
mod junk;
mod make;
mod model;
mod nested;
mod pairs;
mod reader;
mod shrink;
mod speed;
mod three;
mod truth;
mod twins;
mod untouched;
