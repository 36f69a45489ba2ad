//! One measured job on a format table, and one JSON line about it.
//!
//! ```text
//! ftable-bench plan  --path LOC --schema FILE.json [--where EXPR] [--threads N]
//! ftable-bench scan  --path LOC --schema FILE.json [--columns a,b] [--where EXPR] [--limit N]
//! ftable-bench count --path LOC --schema FILE.json [--where EXPR]
//! ftable-bench write --input FILE.parquet --out DIR [--format F] [--partition-keys a,b] [--compression C]
//! ```
//!
//! `seconds` are the job alone: after start-up, and for `write` after the input is in memory.

mod job;
mod memory;

use std::process::ExitCode;

use clap::Parser;

/// The allocator of the command line.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs one measured job and prints one JSON line.
#[derive(Debug, Parser)]
#[command(name = "ftable-bench")]
struct Args {
    /// What to measure.
    op: job::Op,
    /// The table's directory.
    #[arg(long)]
    path: Option<String>,
    /// A file with members `fields`, `partitionKeys` and `options`, as in a Paimon schema file.
    #[arg(long)]
    schema: Option<std::path::PathBuf>,
    /// A filter.
    #[arg(long = "where")]
    filter: Option<String>,
    /// Columns to read.
    #[arg(long, value_delimiter = ',')]
    columns: Option<Vec<String>>,
    /// Worker threads, and files read or encoded side by side.
    #[arg(long)]
    threads: Option<usize>,
    /// The format of written files.
    #[arg(long)]
    format: Option<String>,
    /// At most this many rows.
    #[arg(long)]
    limit: Option<u64>,
    /// Partition keys of the written table.
    #[arg(long, value_delimiter = ',')]
    partition_keys: Vec<String>,
    /// Rows to write.
    #[arg(long)]
    input: Option<std::path::PathBuf>,
    /// The directory to write into, which must be empty.
    #[arg(long)]
    out: Option<std::path::PathBuf>,
    /// The codec of written files.
    #[arg(long)]
    compression: Option<String>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let threads = args
        .threads
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .enable_all()
        .build();
    let outcome = match runtime {
        Ok(runtime) => runtime.block_on(job::run(&args, threads)),
        Err(error) => Err(error.to_string()),
    };
    match outcome {
        Ok(mut line) => {
            line["peak_rss_bytes"] = memory::peak_rss_bytes().into();
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
