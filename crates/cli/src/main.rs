//! The `ftable` command; all of it is in the library beside it.

use std::process::ExitCode;

/// Decoding and encoding ask for memory all the time, from several threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ftable_cli::silence_panics();
    ftable_cli::run(std::env::args_os())
}
