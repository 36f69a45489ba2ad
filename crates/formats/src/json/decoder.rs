//! Lines to rows.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::SchemaRef;
use ftable_core::DataField;
use ftable_core::types::to_arrow_schema;
use jiter::Peek;

use super::cursor::Cursor;
use super::fault::{Fault, kind};
use super::row::Members;
use super::schema;
use crate::error::Result;
use crate::format::RecordCounts;
use crate::lines::{BadLine, LineDecoder};

/// The most memory kept for texts with escapes between two lines.
const LARGEST_TAPE: usize = 1024 * 1024;

/// Makes a row of each line that is an object.
pub(super) struct JsonDecoder {
    members: Members,
    schema: SchemaRef,
    rows: usize,
    /// Option `json.ignore-parse-errors`.
    lenient: bool,
    records: Arc<RecordCounts>,
    tape: Vec<u8>,
}

impl JsonDecoder {
    /// A decoder of the columns asked for.
    ///
    /// # Errors
    /// A column of a type that JSON files do not hold.
    pub(super) fn new(
        fields: &[DataField],
        lenient: bool,
        records: Arc<RecordCounts>,
    ) -> Result<Self> {
        schema::check(fields)?;
        Ok(Self {
            members: Members::new("", fields)?,
            schema: to_arrow_schema(fields)?,
            rows: 0,
            lenient,
            records,
            tape: Vec::new(),
        })
    }

    /// Reads the first value of a line: whether it is a row.
    fn read(&mut self, cursor: &mut Cursor<'_>) -> Result<bool, Fault> {
        if cursor.rest().trim_ascii().is_empty() {
            return Err(Fault::no_object("nothing"));
        }
        match cursor.peek()? {
            // Columns that nobody asked for may hold anything, but the line is a row only if it is JSON.
            Peek::Object if self.members.is_empty() => cursor.skip(Peek::Object)?,
            Peek::Object => self.members.read(self.rows, cursor)?,
            Peek::Null => {
                cursor.jiter.known_null()?;
                return match cursor.rest().bytes().next() {
                    Some(b'_' | b'$' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | 0x80..) => {
                        let at = cursor.position();
                        Err(Fault::syntax(at, "more follows on the word null"))
                    }
                    _ => Ok(false),
                };
            }
            other => {
                cursor.skip(other)?;
                return Err(Fault::no_object(kind(other)));
            }
        }
        Ok(true)
    }

    /// Reads a line, once more with care if a value of it cannot be read.
    fn read_line(&mut self, cursor: &mut Cursor<'_>) -> Result<bool, Fault> {
        match self.read(cursor) {
            Err(fault) if fault.is_value() && cursor.restart() => {
                self.members.truncate(self.rows);
                self.read(cursor)
            }
            other => other,
        }
    }
}

impl LineDecoder for JsonDecoder {
    fn line(&mut self, line: &str) -> Result<(), BadLine> {
        let mut cursor = Cursor::new(line, std::mem::take(&mut self.tape), self.lenient);
        let outcome = self.read_line(&mut cursor);
        let base = cursor.base();
        let malformed = cursor.malformed;
        self.tape = cursor.into_tape();
        if self.tape.capacity() > LARGEST_TAPE {
            self.tape = Vec::new();
        }
        match outcome {
            Ok(is_row) => {
                self.rows += usize::from(is_row);
                if malformed {
                    self.records.malformed.fetch_add(1, Ordering::Relaxed);
                }
                Ok(())
            }
            Err(fault) => {
                self.members.truncate(self.rows);
                if self.lenient && !fault.is_value() {
                    self.records.dropped.fetch_add(1, Ordering::Relaxed);
                    return Ok(());
                }
                Err(fault.behind(base).bad_line(line))
            }
        }
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn memory_size(&self) -> usize {
        self.members.memory_size()
    }

    fn take_batch(&mut self) -> Result<RecordBatch> {
        let columns = self.members.finish()?;
        let rows = std::mem::take(&mut self.rows);
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)
            .map_err(schema::broken)
    }
}
