//! Project tasks, run as `cargo xtask <task>`.
//!
//! | task | does |
//! | --- | --- |
//! | `ci` | every step a change has to pass, as `.ci/run` lists them |
//! | `tidy` | the checks of [`tidy`], which plain `cargo test` runs too |
//! | `docs` | writes the generated documents anew |
//! | `golden` | reads the tables of other engines, all of them or the named ones |
//! | `kill`, `appends` | stress a table with processes that are killed, and that append at once |
//! | `fuzz` | reads data files changed at random, for minutes |
//! | `interop` | runs a script of `xtask/interop` in a Python that has the peers |
//!
//! Nothing of the workspace is a dependency, so that a broken crate cannot keep the tasks from running.

pub mod tasks;
pub mod tidy;
pub mod workspace;

/// The result of a task; the error is one line for a person.
pub type Result<T, E = String> = std::result::Result<T, E>;
