//! Writing a new local file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::mem;

use async_trait::async_trait;
use bytes::Bytes;

use crate::blocking::blocking;
use crate::error::{Error, OutputUnusableSnafu, Result};
use crate::file_system::OutputFile;
use crate::local::create_parents;

/// Bytes gathered before they go to the blocking pool; larger pieces go there without a copy.
const BUFFER: usize = 1024 * 1024;

/// A new local file, removed when dropped before it was closed.
#[derive(Debug)]
pub(super) struct LocalOutputFile {
    path: String,
    state: State,
    buffer: Vec<u8>,
    written: u64,
}

#[derive(Debug)]
enum State {
    Open(File),
    /// A write failed, or was dropped half-way: what the file holds is not known.
    Broken,
    Closed,
    Aborted,
}

impl LocalOutputFile {
    pub(super) fn create(path: &str) -> Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            state: State::Open(create_new(path, "create")?),
            buffer: Vec::new(),
            written: 0,
        })
    }

    /// Takes the file for a task; it counts as broken until the task gives it back.
    fn take_file(&mut self, operation: &'static str) -> Result<File> {
        let state = match mem::replace(&mut self.state, State::Broken) {
            State::Open(file) => return Ok(file),
            State::Broken => "an earlier write failed or was given up half-way",
            State::Closed => {
                self.state = State::Closed;
                "it is closed"
            }
            State::Aborted => {
                self.state = State::Aborted;
                "it was given up"
            }
        };
        OutputUnusableSnafu {
            operation,
            path: self.path.clone(),
            state,
        }
        .fail()
    }

    /// Writes what is gathered and then `more`.
    async fn flush(&mut self, operation: &'static str, more: Bytes) -> Result<()> {
        let mut file = self.take_file(operation)?;
        let mut gathered = mem::take(&mut self.buffer);
        let path = self.path.clone();
        let (file, gathered) = blocking(operation, &self.path, move || {
            file.write_all(&gathered)
                .and_then(|()| file.write_all(&more))
                .map_err(|error| Error::from_io(operation, &path, error))?;
            gathered.clear();
            Ok((file, gathered))
        })
        .await?;
        self.buffer = gathered;
        self.state = State::Open(file);
        Ok(())
    }
}

#[async_trait]
impl OutputFile for LocalOutputFile {
    fn path(&self) -> &str {
        &self.path
    }

    async fn write(&mut self, bytes: Bytes) -> Result<()> {
        self.written += bytes.len() as u64;
        if self.buffer.len() + bytes.len() >= BUFFER {
            return self.flush("write", bytes).await;
        }
        if !matches!(self.state, State::Open(_)) {
            self.take_file("write")?;
        }
        self.buffer.extend_from_slice(&bytes);
        Ok(())
    }

    async fn close(&mut self) -> Result<u64> {
        if !matches!(self.state, State::Closed) {
            self.flush("close", Bytes::new()).await?;
            self.state = State::Closed;
            self.buffer = Vec::new();
        }
        Ok(self.written)
    }

    async fn abort(&mut self) -> Result<()> {
        if matches!(self.state, State::Closed | State::Aborted) {
            return Ok(());
        }
        self.state = State::Aborted;
        self.buffer = Vec::new();
        let path = self.path.clone();
        blocking("delete", &self.path, move || super::delete_file(&path)).await?;
        Ok(())
    }
}

impl Drop for LocalOutputFile {
    fn drop(&mut self) {
        if matches!(self.state, State::Open(_) | State::Broken) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Makes a file that did not exist, and the directories above it if they are missing.
pub(super) fn create_new(path: &str, operation: &'static str) -> Result<File> {
    let create = || OpenOptions::new().write(true).create_new(true).open(path);
    let created = match create() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            create_parents(path)?;
            create()
        }
        other => other,
    };
    created.map_err(|error| Error::from_io(operation, path, error))
}
