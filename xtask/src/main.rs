//! The command line of the project tasks.

use std::process::ExitCode;

use xtask::tasks;

const USAGE: &str = "usage: cargo xtask <task>

  ci                       every step a change has to pass
  tidy                     layers, dependencies, sizes, documents, words, golden catalogue
  docs                     write the generated documents anew
  golden [CASE]...         read the tables of other engines
  kill [ROUNDS]            kill a writer that replaces rows, repair, look; 200 times
  appends [EACH]           eight processes append 1000 times each while another reads
  fuzz [--minutes N]       read files changed at random, ten minutes each format
  interop [SCRIPT [ARG]...]
                           run a script of xtask/interop; without one, list them.
                           Python is $FTABLE_PYTHON, else .venv/bin/python";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((task, rest)) = arguments.split_first() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let outcome = match task.as_str() {
        "ci" => tasks::ci(),
        "tidy" => tasks::tidy(),
        "docs" => tasks::docs(),
        "golden" => tasks::golden(rest),
        "kill" => tasks::kill(rest),
        "appends" => tasks::appends(rest),
        "fuzz" => tasks::fuzz(rest),
        "interop" => tasks::interop(rest),
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            Ok(())
        }
        other => {
            eprintln!("unknown task '{other}'\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
