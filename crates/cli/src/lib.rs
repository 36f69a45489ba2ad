//! The `ftable` command: arguments, output as table, JSON or CSV, and exit codes.
//!
//! | item | what it answers |
//! | --- | --- |
//! | [`run`] | what the process does with its arguments |
//! | [`render::json`] | how an Arrow batch is written as JSON rows |
//! | [`parse_filter`] | which predicate the text of `--where` is |
//!
//! | module | what it does |
//! | --- | --- |
//! | `args` | the arguments and the texts of `--help` |
//! | `commands` | one module for each verb |
//! | `context` | standard output and error, warnings, progress |
//! | `target` | which table or catalog is meant |
//! | `filter` | the text of `--where` → a predicate |
//! | `input` | files of rows → batches |
//! | `export` | batches → a file |
//! | `render` | batches and records → text |
//! | `scalar` | texts of dates, times and numbers |
//! | `error` | messages and exit codes |

#![deny(missing_docs)]

mod args;
mod commands;
mod context;
mod error;
mod export;
mod filter;
mod input;
pub mod render;
mod scalar;
mod target;

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use snafu::ResultExt;
use tokio::runtime;

pub use error::{Error, Result};
pub use filter::parse_filter;

use args::Cli;
use error::FileSnafu;

/// How long an ended command waits for work that it no longer needs.
const PATIENCE: Duration = Duration::from_secs(1);

/// Does what the arguments say, the first of which is the name of the command.
///
/// The exit code is 0 when done, 1 when refused or failed (one line on the standard error says what, where and what
/// to do), and 2 for wrong usage. A reader of the standard output that goes away ends the command with 0.
pub fn run<I, T>(arguments: I) -> ExitCode
where
    I: IntoIterator<Item = T>,
    T: Into<OsString> + Clone,
{
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(usage) => {
            // Help that nobody reads is no failure.
            let _ = usage.print();
            return u8::try_from(usage.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from);
        }
    };
    match catch_unwind(AssertUnwindSafe(|| execute(cli))) {
        Ok(Ok(())) | Ok(Err(Error::Closed)) => ExitCode::SUCCESS,
        Ok(Err(error)) => {
            context::report("error", &error.one_line());
            ExitCode::from(error.exit_code())
        }
        Err(panic) => {
            let reason = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let reason = reason
                .or_else(|| panic.downcast_ref::<String>().cloned())
                .unwrap_or_default();
            context::report("error", &format!("internal error: {reason}"));
            ExitCode::FAILURE
        }
    }
}

/// Keeps panics from writing to the standard error: what became of them is told by the error line.
///
/// Decoders panic on some damaged files; the library makes errors of that, which name the file.
pub fn silence_panics() {
    std::panic::set_hook(Box::new(|_| {}));
}

fn execute(cli: Cli) -> Result<()> {
    let started = runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = started.context(FileSnafu {
        action: "start",
        path: "the runtime",
    })?;
    let done = runtime.block_on(commands::run(cli));
    runtime.shutdown_timeout(PATIENCE);
    done
}
