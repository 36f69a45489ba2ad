//! The `ftable` binary from outside: arguments, output, messages and exit codes.

#![allow(clippy::unwrap_used)] // what cannot be made or run fails the test that needs it

#[cfg(feature = "s3")]
mod bucket;
mod catalog;
mod formats;
mod infer;
mod reading;
mod replacing;
#[cfg(feature = "rest")]
mod rest;
mod usage;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A directory to run the command in, with a warehouse `wh`.
struct Shop {
    directory: TempDir,
}

/// What a run gave.
struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Ran {
    /// The output of a run that did what was asked and had nothing to complain about.
    fn ok(self) -> String {
        assert_eq!(
            (self.code, self.err.as_str()),
            (Some(0), ""),
            "{}",
            self.out
        );
        self.out
    }

    fn json(self) -> Vec<Value> {
        let out = self.ok();
        out.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The message of a run that was refused: one line and no output.
    fn refused(self) -> String {
        assert_eq!(self.err.lines().count(), 1, "{}", self.err);
        self.fails_with(1)
    }

    /// The message of a run that ended with a code and no output.
    fn fails_with(self, code: i32) -> String {
        assert_eq!(
            (self.code, self.out.as_str()),
            (Some(code), ""),
            "{}",
            self.err
        );
        self.err
            .trim_end()
            .strip_prefix("error: ")
            .unwrap()
            .to_owned()
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self {
            code: output.status.code(),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }
}

impl Shop {
    fn new() -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
        }
    }

    /// A warehouse with an empty table `shop.orders`.
    fn with_orders() -> Self {
        let shop = Self::new();
        let columns = "id BIGINT NOT NULL, item STRING, price DECIMAL(10, 2), raw BYTES, dt DATE";
        shop.run(&[
            "create",
            "shop.orders",
            "--schema",
            columns,
            "--partitioned-by",
            "dt",
        ])
        .ok();
        shop
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn file(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ftable"));
        command.current_dir(self.directory.path()).args(arguments);
        command
    }

    /// Runs the command with the warehouse.
    fn run(&self, arguments: &[&str]) -> Ran {
        self.command(&["--warehouse", "wh"])
            .args(arguments)
            .output()
            .unwrap()
            .into()
    }

    /// Runs the command without one.
    fn bare(&self, arguments: &[&str]) -> Ran {
        self.command(arguments).output().unwrap().into()
    }

    fn piped(&self, arguments: &[&str], input: &[u8]) -> Ran {
        let mut command = self.command(&["--warehouse", "wh"]);
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        child.wait_with_output().unwrap().into()
    }
}

/// The names below a directory that are not hidden, sorted.
fn visible(directory: &Path) -> Vec<String> {
    let names = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| !name.starts_with(['_', '.'])).collect();
    names.sort();
    names
}

const CSV: &str = "dt,id,item,price,raw\n2024-01-01,1,\"tea, green\",4.50,AP/+\n2024-01-02,2,,39,\n,3,\"\",,\"\"\n";

fn rows() -> Vec<Value> {
    vec![
        json!({"id": 1, "item": "tea, green", "price": "4.50", "raw": "AP/+", "dt": "2024-01-01"}),
        json!({"id": 2, "item": null, "price": "39.00", "raw": null, "dt": "2024-01-02"}),
        json!({"id": 3, "item": "", "price": null, "raw": "", "dt": null}),
    ]
}

/// A shop with the rows of [`CSV`] and two partitions that hold the orders 1 and 2.
fn filled() -> Shop {
    let shop = Shop::with_orders();
    shop.file("day.csv", CSV);
    shop.run(&["insert", "shop.orders", "day.csv"]).ok();
    shop
}
