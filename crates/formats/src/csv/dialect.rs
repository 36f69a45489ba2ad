//! The `csv.*` options of a table, resolved once a file.

use ftable_core::FormatTableOptions;
use ftable_core::datum::text;
use ftable_core::options::CsvMode;
use ftable_core::options::keys::{
    CSV_ESCAPE_CHARACTER, CSV_FIELD_DELIMITER, CSV_INCLUDE_HEADER, CSV_LINE_DELIMITER, CSV_MODE,
    CSV_NULL_LITERAL, CSV_QUOTE_CHARACTER,
};
use memchr::{memchr2, memchr3, memchr3_iter};

use super::NAME;
use crate::error::Result;
use crate::lines::{InvalidText, LineFormat};

/// How the lines of a table are made up.
#[derive(Debug, Clone)]
pub(super) struct Dialect {
    pub(super) separator: Mark,
    pub(super) quote: Mark,
    pub(super) escape: Mark,
    /// What stands for NULL.
    pub(super) null_literal: String,
    /// Whether the literal has a quote or an escape, so that a field is held against it before they are taken out too:
    /// `\N` would be `N` after that.
    pub(super) is_null_marked: bool,
    pub(super) line_delimiter: String,
    pub(super) has_header: bool,
    pub(super) mode: CsvMode,
}

/// A character that is no text, as its bytes; none where the option turns it off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    bytes: [u8; 4],
    len: usize,
}

impl Mark {
    /// U+0000 turns a mark off.
    pub(super) fn new(text: &str) -> Self {
        let mut bytes = [0; 4];
        match text.chars().next() {
            None | Some('\0') => Self {
                // The byte that no text has.
                bytes: [0xFF; 4],
                len: 0,
            },
            Some(character) => {
                let len = character.encode_utf8(&mut bytes).len();
                Self { bytes, len }
            }
        }
    }

    pub(super) fn is_off(&self) -> bool {
        self.len == 0
    }

    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    /// The byte that its character begins with.
    #[inline]
    pub(super) fn first(&self) -> u8 {
        self.bytes[0]
    }

    /// What comes after it, if it stands there.
    #[inline]
    pub(super) fn after(&self, text: &[u8], at: usize) -> Option<usize> {
        let is_there = text.get(at) == Some(&self.first())
            && (self.len == 1 || text.get(at..at + self.len) == Some(self.bytes()));
        is_there.then_some(at + self.len)
    }
}

impl Dialect {
    pub(super) fn new(options: &FormatTableOptions) -> Result<Self> {
        let keys = &options.format_options;
        let (quote, escape) = (
            keys.get(&CSV_QUOTE_CHARACTER)?,
            keys.get(&CSV_ESCAPE_CHARACTER)?,
        );
        let null_literal = keys.get(&CSV_NULL_LITERAL)?;
        let holds = |mark: &str| mark != "\0" && null_literal.contains(mark);
        Ok(Self {
            separator: Mark::new(&keys.get(&CSV_FIELD_DELIMITER)?),
            is_null_marked: holds(&quote) || holds(&escape),
            quote: Mark::new(&quote),
            escape: Mark::new(&escape),
            null_literal,
            line_delimiter: keys.get(&CSV_LINE_DELIMITER)?,
            has_header: keys.get(&CSV_INCLUDE_HEADER)?,
            mode: keys.get(&CSV_MODE)?,
        })
    }

    /// What the line layer has to know.
    pub(super) fn lines(&self) -> LineFormat {
        LineFormat {
            format: NAME,
            delimiter: self.line_delimiter.clone(),
            header: self.has_header,
            invalid_text: match self.mode {
                CsvMode::FailFast => InvalidText::Refuse,
                CsvMode::Permissive | CsvMode::DropMalformed => InvalidText::Replace,
            },
        }
    }

    /// Whether lines end where LF, CR or both are, whichever of them the option says.
    pub(super) fn has_usual_lines(&self) -> bool {
        matches!(self.line_delimiter.as_str(), "\n" | "\r" | "\r\n")
    }

    /// Where the first byte of a mark is, which may be that of another character.
    #[inline]
    pub(super) fn find(&self, text: &[u8]) -> Option<usize> {
        memchr3(
            self.separator.first(),
            self.quote.first(),
            self.escape.first(),
            text,
        )
    }

    /// Whether a text has a mark.
    pub(super) fn marks(&self, text: &[u8]) -> bool {
        let (separator, quote, escape) = (&self.separator, &self.quote, &self.escape);
        memchr3_iter(separator.first(), quote.first(), escape.first(), text).any(|at| {
            [separator, quote, escape]
                .iter()
                .any(|mark| mark.after(text, at).is_some())
        })
    }

    /// Whether a text may have quotes or escapes.
    pub(super) fn may_be_quoted(&self, text: &[u8]) -> bool {
        memchr2(self.quote.first(), self.escape.first(), text).is_some()
    }
}

/// Whether a line says nothing: blanks as Java knows them, or not even those.
#[inline]
pub(super) fn is_blank(line: &str) -> bool {
    // Most lines begin with something else.
    !matches!(line.as_bytes().first(), Some(b'!'..=b'~')) && text::is_blank(line)
}
