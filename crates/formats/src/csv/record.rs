//! One line to fields: the rules of Java Paimon's parser.
//!
//! A quote at the beginning of a field opens it and one at its end closes it; between them separators are text, two
//! quotes are one, and an escape makes text of a quote or an escape after it. What else there is to quotes in the middle
//! of a field is what Java does with them, kept so that a file says the same to both.

use memchr::memchr2;

use super::dialect::{Dialect, is_blank};

/// The fields of one line, its room kept from line to line.
#[derive(Debug, Default)]
pub(super) struct Record {
    fields: Vec<Field>,
    /// The texts of fields that are not in the line as they are.
    texts: String,
}

#[derive(Debug, Clone, Copy)]
struct Field {
    start: usize,
    end: usize,
    source: Source,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// A part of the line.
    Line,
    /// A part of the texts.
    Texts,
    Null,
}

/// Where a field with marks stands while it is read.
#[derive(Default)]
struct State {
    /// In quotes: separators are text.
    is_quoted: bool,
    /// Past the first character, as Java sees it: each quote turns it.
    is_inside: bool,
    /// Whether quotes were taken out: the text is no NULL, whatever it says.
    had_quotes: bool,
}

impl Record {
    /// Reads the fields of a line up to the number needed. Gives where the field after them begins, if there is one.
    #[inline]
    pub(super) fn read(&mut self, dialect: &Dialect, line: &str, needed: usize) -> Option<usize> {
        self.fields.clear();
        self.texts.clear();
        let mut next = Some(0);
        while let Some(start) = next
            && self.fields.len() < needed
        {
            next = self.field(dialect, line, start);
        }
        next
    }

    pub(super) fn len(&self) -> usize {
        self.fields.len()
    }

    /// The text of a field; nothing if it is NULL or the line has none at the position.
    #[inline]
    pub(super) fn get<'a>(&'a self, line: &'a str, position: usize) -> Option<&'a str> {
        let field = self.fields.get(position)?;
        match field.source {
            Source::Line => line.get(field.start..field.end),
            Source::Texts => self.texts.get(field.start..field.end),
            Source::Null => None,
        }
    }

    /// Reads the field that begins at `start`. Gives where the next begins, if there is one.
    #[inline]
    fn field(&mut self, dialect: &Dialect, line: &str, start: usize) -> Option<usize> {
        let bytes = line.as_bytes();
        let rest = bytes.get(start..).unwrap_or_default();
        let (end, next) = match dialect.find(rest) {
            None => (bytes.len(), None),
            Some(at) => match dialect.separator.after(bytes, start + at) {
                Some(next) => (start + at, Some(next)),
                None => {
                    return match quoted_whole(dialect, bytes, start) {
                        Some((text, next)) => {
                            self.fields.push(text);
                            next
                        }
                        None => self.marked_field(dialect, line, start),
                    };
                }
            },
        };
        let is_null = bytes.get(start..end) == Some(dialect.null_literal.as_bytes());
        let source = if is_null { Source::Null } else { Source::Line };
        self.fields.push(Field { start, end, source });
        next
    }

    /// A field with a quote or an escape, character by character where they are.
    fn marked_field(&mut self, dialect: &Dialect, line: &str, start: usize) -> Option<usize> {
        let bytes = line.as_bytes();
        let from = self.texts.len();
        let mut state = State::default();
        let mut at = start;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let plain = dialect.find(rest).unwrap_or(rest.len());
            if plain > 0 {
                self.texts.push_str(line.get(at..at + plain)?);
                state.is_inside = true;
                at += plain;
            } else if let Some(next) = dialect.escape.after(bytes, at) {
                at = self.escape(dialect, line, next, &state);
            } else if let Some(next) = dialect.quote.after(bytes, at) {
                at = self.quote(dialect, line, at, next, from, &mut state);
            } else if let Some(next) = dialect.separator.after(bytes, at)
                && !state.is_quoted
            {
                self.end_field(dialect, line.get(start..at), from, &state);
                return Some(next);
            } else {
                // A separator in quotes, or a character that begins as a mark does.
                let character = line.get(at..)?.chars().next()?;
                self.texts.push(character);
                state.is_inside = true;
                at += character.len_utf8();
            }
        }
        self.end_field(dialect, line.get(start..), from, &state);
        None
    }

    /// After an escape: in a field it makes text of a quote or an escape, and everywhere else it is nothing.
    fn escape(&mut self, dialect: &Dialect, line: &str, next: usize, state: &State) -> usize {
        if !(state.is_quoted || state.is_inside) {
            return next;
        }
        let marks = [&dialect.quote, &dialect.escape];
        let after = marks
            .iter()
            .find_map(|mark| mark.after(line.as_bytes(), next));
        match after.and_then(|after| Some((after, line.get(next..after)?))) {
            Some((after, text)) => {
                self.texts.push_str(text);
                after
            }
            None => next,
        }
    }

    /// At a quote, with `next` after it.
    fn quote(
        &mut self,
        dialect: &Dialect,
        line: &str,
        at: usize,
        next: usize,
        from: usize,
        state: &mut State,
    ) -> usize {
        let bytes = line.as_bytes();
        let quote = line.get(at..next).unwrap_or_default();
        let doubled = dialect.quote.after(bytes, next);
        let after = match doubled {
            Some(after) if state.is_quoted || state.is_inside => {
                self.texts.push_str(quote);
                after
            }
            _ => {
                let before = bytes.get(..at).unwrap_or_default();
                let is_within = is_past_third(line, at)
                    && !before.ends_with(dialect.separator.bytes())
                    && next < bytes.len()
                    && dialect.separator.after(bytes, next).is_none();
                let text = self.texts.get(from..).unwrap_or_default();
                if !is_within {
                    state.had_quotes = true;
                } else if !text.is_empty() && is_blank(text) {
                    self.texts.truncate(from);
                    state.had_quotes = true;
                } else {
                    self.texts.push_str(quote);
                }
                state.is_quoted = !state.is_quoted;
                next
            }
        };
        state.is_inside = !state.is_inside;
        after
    }

    fn end_field(&mut self, dialect: &Dialect, raw: Option<&str>, from: usize, state: &State) {
        let literal = dialect.null_literal.as_str();
        let text = self.texts.get(from..).unwrap_or_default();
        // A quote that nothing closes leaves NULL.
        let is_null = state.is_quoted
            || (!state.had_quotes && text == literal)
            || (dialect.is_null_marked && raw == Some(literal));
        self.fields.push(Field {
            start: from,
            end: self.texts.len(),
            source: if is_null { Source::Null } else { Source::Texts },
        });
    }
}

/// The field that begins at `start`, if quotes are around all of it and none, nor an escape, is within: its text lies in
/// the line then. Gives where the next begins, too.
fn quoted_whole(dialect: &Dialect, bytes: &[u8], start: usize) -> Option<(Field, Option<usize>)> {
    let text = dialect.quote.after(bytes, start)?;
    let rest = bytes.get(text..)?;
    let end = text + memchr2(dialect.quote.first(), dialect.escape.first(), rest)?;
    let after = dialect.quote.after(bytes, end)?;
    let next = match dialect.separator.after(bytes, after) {
        Some(next) => Some(next),
        None if after == bytes.len() => None,
        None => return None,
    };
    let literal = dialect.null_literal.as_bytes();
    let is_null = dialect.is_null_marked && bytes.get(start..after) == Some(literal);
    let field = Field {
        start: text,
        end,
        source: if is_null { Source::Null } else { Source::Line },
    };
    Some((field, next))
}

/// Whether three units of UTF-16, in which Java counts, lie before a place.
fn is_past_third(line: &str, at: usize) -> bool {
    // Two units have six bytes at most.
    at > 6
        || line
            .get(..at)
            .is_some_and(|before| before.encode_utf16().nth(2).is_some())
}

/// How many fields the rest of a line has that begins at `start`.
pub(super) fn count_fields(
    dialect: &Dialect,
    line: &str,
    start: usize,
    spare: &mut Record,
) -> usize {
    let bytes = line.as_bytes();
    let rest = bytes.get(start..).unwrap_or_default();
    if !dialect.may_be_quoted(rest) {
        let separators = memchr::memchr_iter(dialect.separator.first(), rest);
        let separators = separators.filter(|at| dialect.separator.after(rest, *at).is_some());
        return 1 + separators.count();
    }
    spare.fields.clear();
    let mut next = Some(start);
    while let Some(start) = next {
        next = spare.field(dialect, line, start);
    }
    spare.texts.clear();
    spare.len()
}
