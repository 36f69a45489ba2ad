//! The `ftable` command; all of it is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    ftable_cli::silence_panics();
    ftable_cli::run(std::env::args_os())
}
