//! What verbs other than `scan` have to tell: a few columns of JSON values.

use serde_json::Value;

use super::OutputFormat;
use super::csv::{write_field, write_header};
use super::table::Layout;
use super::values::{json_key, write_json_text};

/// Collects records and writes them in one of the formats.
pub(crate) struct Records {
    columns: Vec<String>,
    rows: Vec<Vec<Value>>,
}

impl Records {
    pub(crate) fn new<S: Into<String>>(columns: impl IntoIterator<Item = S>) -> Self {
        Self {
            columns: columns.into_iter().map(Into::into).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a record with a value for each column.
    pub(crate) fn push(&mut self, values: impl IntoIterator<Item = Value>) {
        self.rows.push(values.into_iter().collect());
    }

    /// All records as text.
    pub(crate) fn render(&self, format: OutputFormat) -> Vec<u8> {
        let mut out = Vec::new();
        match format {
            OutputFormat::Json => self
                .rows
                .iter()
                .for_each(|row| self.write_json(row, &mut out)),
            OutputFormat::Csv => {
                write_header(self.columns.iter().map(String::as_str), &mut out);
                self.rows.iter().for_each(|row| write_csv(row, &mut out));
            }
            OutputFormat::Table => self.write_table(&mut out),
        }
        out
    }

    fn write_json(&self, row: &[Value], out: &mut Vec<u8>) {
        out.push(b'{');
        for (at, (name, value)) in self.columns.iter().zip(row).enumerate() {
            if at > 0 {
                out.push(b',');
            }
            out.extend_from_slice(&json_key(name));
            write_json_value(value, out);
        }
        out.extend_from_slice(b"}\n");
    }

    fn write_table(&self, out: &mut Vec<u8>) {
        let is_number = |at: usize| {
            let mut values = self.rows.iter().filter_map(|row| row.get(at)).peekable();
            values.peek().is_some() && values.all(|value| value.is_number() || value.is_null())
        };
        let columns = self
            .columns
            .iter()
            .enumerate()
            .map(|(at, name)| (name.clone(), is_number(at)));
        let mut layout = Layout::new(columns);
        for row in &self.rows {
            layout.push(row.iter().map(plain).collect(), out);
        }
        layout.finish(out);
    }
}

/// A JSON object whose members are given, on one line.
pub(crate) fn write_json_object<'a>(
    members: impl Iterator<Item = (&'a str, Value)>,
    out: &mut Vec<u8>,
) {
    out.push(b'{');
    for (at, (name, value)) in members.enumerate() {
        if at > 0 {
            out.push(b',');
        }
        out.extend_from_slice(&json_key(name));
        write_json_value(&value, out);
    }
    out.push(b'}');
}

fn write_json_value(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::String(text) => write_json_text(text, out),
        // Writing to memory cannot fail.
        other => drop(serde_json::to_writer(out, other)),
    }
}

fn write_csv(row: &[Value], out: &mut Vec<u8>) {
    for (at, value) in row.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        write_field(plain(value).as_ref().map(String::as_bytes), out);
    }
    out.push(b'\n');
}

/// The text of a value; none for null.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records() -> Records {
        let mut records = Records::new(["path", "rows"]);
        records.push([Value::from("a,b"), Value::from(10)]);
        records.push([Value::from(""), Value::Null]);
        records
    }

    fn text(format: OutputFormat) -> String {
        String::from_utf8(records().render(format)).unwrap()
    }

    #[test]
    fn the_same_records_in_every_format() {
        assert_eq!(
            text(OutputFormat::Json),
            "{\"path\":\"a,b\",\"rows\":10}\n{\"path\":\"\",\"rows\":null}\n"
        );
        assert_eq!(text(OutputFormat::Csv), "path,rows\n\"a,b\",10\n\"\",\n");
        assert_eq!(
            text(OutputFormat::Table),
            "path  rows\n----  ----\na,b     10\n      NULL\n(2 rows)\n"
        );
    }
}
