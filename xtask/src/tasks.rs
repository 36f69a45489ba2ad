//! The tasks themselves. Each is a few commands; what they check lives in [`crate::tidy`].

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::workspace::{cargo, workspace_root};
use crate::{Result, tidy};

/// Environment variable that makes the document tests write what they would compare.
const UPDATE_DOCS: &str = "UPDATE_DOCS";
/// Environment variable that limits the golden tests to the named cases.
const GOLDEN_CASES: &str = "FTABLE_GOLDEN_CASES";
/// Environment variable that says how often a writer is killed.
const KILL_ROUNDS: &str = "FTABLE_KILL_ROUNDS";
/// Environment variable that says how often each process appends.
const APPENDS_EACH: &str = "FTABLE_APPENDS_EACH";
/// Environment variable that says how many minutes each format's files are changed and read.
const FUZZ_MINUTES: &str = "FTABLE_FUZZ_MINUTES";
/// Environment variable that names the Python with the peers.
const PYTHON: &str = "FTABLE_PYTHON";

/// Runs every step a change has to pass.
///
/// # Errors
/// The first step that fails.
pub fn ci() -> Result<()> {
    run(Command::new("bash").arg(".ci/run"))
}

/// Runs the tidiness checks and prints what they find.
///
/// # Errors
/// Anything found, or a workspace that cannot be read.
pub fn tidy() -> Result<()> {
    let findings = tidy::run(&workspace_root())?;
    if findings.is_empty() {
        println!("tidy: nothing to report");
        return Ok(());
    }
    for finding in &findings {
        println!("{finding}");
    }
    Err(format!("tidy: {} findings", findings.len()))
}

/// Writes the generated documents anew.
///
/// # Errors
/// The code that the documents are generated from does not compile.
pub fn docs() -> Result<()> {
    let test = [
        "test",
        "--quiet",
        "--package",
        "ftable-tests",
        "--test",
        "documents",
    ];
    run(cargo().args(test).env(UPDATE_DOCS, "1"))
}

/// Reads the tables of other engines: all of them, or those named.
///
/// # Errors
/// A case that does not give its rows.
pub fn golden(cases: &[String]) -> Result<()> {
    let mut command = cargo();
    command.args([
        "test",
        "--package",
        "ftable-tests",
        "--test",
        "golden",
        "--",
        "--nocapture",
    ]);
    if !cases.is_empty() {
        command.env(GOLDEN_CASES, cases.join(","));
    }
    run(&mut command)
}

/// Kills a process that replaces rows, repairs its table and looks at the rows, 200 times or as often as given.
///
/// # Errors
/// A table that has neither the old rows nor the new.
pub fn kill(arguments: &[String]) -> Result<()> {
    stress("overwrite_kill", KILL_ROUNDS, 200, arguments)
}

/// Lets eight processes append 1000 times each, or as often as given, while another reads.
///
/// # Errors
/// A row that is lost or there twice, or a read that fails.
pub fn appends(arguments: &[String]) -> Result<()> {
    stress("append_processes", APPENDS_EACH, 1000, arguments)
}

/// Changes files of both formats at random and reads them, for ten minutes each or as many as given.
///
/// # Errors
/// Arguments that are none, or an input that does not end in an error that names its file.
pub fn fuzz(arguments: &[String]) -> Result<()> {
    let minutes = match arguments {
        [] => "10",
        [flag, minutes] if flag == "--minutes" && minutes.parse::<f64>().is_ok_and(|m| m > 0.0) => {
            minutes
        }
        _ => return Err("usage: cargo xtask fuzz [--minutes N]".to_owned()),
    };
    let test = [
        "test",
        "--package",
        "ftable-formats",
        "--test",
        "mutations",
        "changed_",
        "--",
        "--nocapture",
    ];
    run(cargo().args(test).env(FUZZ_MINUTES, minutes))
}

/// Runs a test for longer than a test run does.
fn stress(test: &str, variable: &str, usual: u32, arguments: &[String]) -> Result<()> {
    let times = match arguments {
        [] => usual,
        [times] => times
            .parse()
            .map_err(|_| format!("'{times}' is no number"))?,
        _ => return Err("at most one number".to_owned()),
    };
    let arguments = [
        "test",
        "--quiet",
        "--package",
        "ftable-tests",
        "--test",
        test,
        "--",
        "--nocapture",
    ];
    run(cargo().args(arguments).env(variable, times.to_string()))
}

/// Runs a script of `xtask/interop` with the arguments that follow its name; lists them without one.
///
/// # Errors
/// No such script, no Python to run it with, or its failure.
pub fn interop(arguments: &[String]) -> Result<()> {
    let scripts = workspace_root().join("xtask/interop");
    let Some((name, rest)) = arguments.split_first() else {
        for script in list_scripts(&scripts)? {
            println!("{script}");
        }
        return Ok(());
    };
    let name = name.strip_suffix(".py").unwrap_or(name);
    let names = list_scripts(&scripts)?;
    if !names.iter().any(|known| known == name) {
        return Err(format!(
            "no script '{name}' in xtask/interop; there are: {}",
            names.join(", ")
        ));
    }
    run(Command::new(python()?)
        .arg(scripts.join(format!("{name}.py")))
        .args(rest))
}

fn list_scripts(folder: &Path) -> Result<Vec<String>> {
    let entries =
        std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".py").map(str::to_owned))
        .filter(|name| !name.starts_with('_'))
        .collect();
    names.sort();
    Ok(names)
}

fn python() -> Result<PathBuf> {
    if let Some(given) = env::var_os(PYTHON) {
        return Ok(given.into());
    }
    let local = workspace_root().join(".venv/bin/python");
    if local.exists() {
        return Ok(local);
    }
    Err(format!(
        "no Python with the peers: set {PYTHON}, or run \
         `python3 -m venv .venv && .venv/bin/pip install pyarrow duckdb`"
    ))
}

fn run(command: &mut Command) -> Result<()> {
    let status = command
        .current_dir(workspace_root())
        .status()
        .map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{}: {status}", command.get_program().display()))
    }
}
