//! Integration tests, one program: each module looks at memdir from outside.

mod paths;
