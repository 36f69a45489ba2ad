//! What every verb has: its global arguments, the standard output, warnings and progress.

use std::io::{self, IsTerminal, StdoutLock, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::args::Global;
use crate::error::{Result, output_error};
use crate::render::OutputFormat;
use crate::render::records::Records;

/// How often a progress line is drawn.
const TICK: Duration = Duration::from_millis(100);

/// Writes one line to the standard error. Where that fails there is nobody to tell.
pub(crate) fn report(kind: &str, message: &str) {
    let _ = writeln!(io::stderr().lock(), "{kind}: {message}");
}

/// The surroundings of a verb.
pub(crate) struct Context {
    pub(crate) global: Global,
    out: StdoutLock<'static>,
    format: OutputFormat,
}

impl Context {
    pub(crate) fn new(global: Global) -> Self {
        let out = io::stdout().lock();
        let by_default = if out.is_terminal() {
            OutputFormat::Table
        } else {
            OutputFormat::Json
        };
        Self {
            format: global.output.unwrap_or(by_default),
            global,
            out,
        }
    }

    /// How output is to be written.
    pub(crate) fn format(&self) -> OutputFormat {
        self.format
    }

    /// Writes to the standard output.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.out.write_all(bytes).map_err(output_error)
    }

    /// Makes sure that all of it is out.
    pub(crate) fn flush(&mut self) -> Result<()> {
        self.out.flush().map_err(output_error)
    }

    /// Writes records in the format asked for.
    pub(crate) fn print(&mut self, records: &Records) -> Result<()> {
        self.write(&records.render(self.format))?;
        self.flush()
    }

    /// Says something that is no failure, unless nobody wants to know.
    pub(crate) fn warn(&self, messages: impl IntoIterator<Item = String>) {
        if !self.global.quiet {
            messages
                .into_iter()
                .for_each(|message| report("warning", &message));
        }
    }

    /// A line on the terminal that counts rows; nothing where no one watches.
    pub(crate) fn progress(&self, what: &'static str) -> Progress {
        if self.global.quiet || !io::stderr().is_terminal() {
            return Progress(None);
        }
        let style = ProgressStyle::with_template("{spinner} {msg}: {human_pos} rows, {elapsed}");
        let bar = ProgressBar::new_spinner().with_message(what);
        if let Ok(style) = style {
            bar.set_style(style);
        }
        bar.enable_steady_tick(TICK);
        Progress(Some(bar))
    }
}

/// A count of rows on the terminal, wiped away in the end.
pub(crate) struct Progress(Option<ProgressBar>);

impl Progress {
    pub(crate) fn add(&self, rows: usize) {
        if let Some(bar) = &self.0 {
            bar.inc(rows as u64);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
