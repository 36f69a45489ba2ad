//! The line at hand, under the parser.

use std::collections::HashMap;

use jiter::{Jiter, JiterError, Peek};

use super::fault::Fault;

/// A line and how far it has been read.
///
/// Methods named `known_…` of the parser are for values whose first byte has been looked at.
pub(super) struct Cursor<'j> {
    line: &'j str,
    /// Where in the line the text of the parser begins.
    base: usize,
    /// The parser, which hands out texts that live until it goes on.
    pub(super) jiter: Jiter<'j>,
    /// Whether a value that cannot be read is NULL instead of a fault.
    pub(super) lenient: bool,
    /// Whether a value that could not be read was made NULL.
    pub(super) malformed: bool,
    /// Whether members that a later one of the same name replaces are passed over.
    careful: bool,
}

impl<'j> Cursor<'j> {
    /// Stands at the start of `line`; `tape` is where texts with escapes are decoded, kept between lines.
    pub(super) fn new(line: &'j str, tape: Vec<u8>, lenient: bool) -> Self {
        Self {
            line,
            base: 0,
            jiter: Jiter::with_tape(line.as_bytes(), tape),
            lenient,
            malformed: false,
            careful: false,
        }
    }

    /// Goes back to the start of the line, to read it with members that later ones replace passed over: whether it does,
    /// since that is done once.
    ///
    /// A line is read in one go, each member as it comes. Where one of them cannot be read, this is how to learn whether
    /// it matters at all: of several members with one name the last counts.
    pub(super) fn restart(&mut self) -> bool {
        if self.careful {
            return false;
        }
        self.base = 0;
        self.jiter = Jiter::new(self.line.as_bytes());
        (self.malformed, self.careful) = (false, true);
        true
    }

    /// The room for texts with escapes.
    pub(super) fn into_tape(self) -> Vec<u8> {
        self.jiter.into_tape()
    }

    /// The byte of the line that is next.
    #[inline]
    pub(super) fn position(&self) -> usize {
        self.base + self.jiter.current_index()
    }

    /// Where in the line the text of the parser begins, from which it counts.
    pub(super) fn base(&self) -> usize {
        self.base
    }

    /// Goes behind `opening` and `member`, the name of a member in quotes and a colon, if just these come next.
    ///
    /// This is most of what there is to parse, and most files have names in the order and form that are expected.
    #[inline]
    pub(super) fn take_member(&mut self, opening: u8, member: &[u8]) -> bool {
        let position = self.position();
        let Some((first, rest)) = self
            .line
            .as_bytes()
            .get(position..)
            .and_then(<[u8]>::split_first)
        else {
            return false;
        };
        let Some(rest) = rest.strip_prefix(member).filter(|_| *first == opening) else {
            return false;
        };
        self.base = position + 1 + member.len();
        let done = std::mem::replace(&mut self.jiter, Jiter::new(rest));
        self.jiter = Jiter::with_tape(rest, done.into_tape());
        true
    }

    /// The text read since byte `start`.
    #[inline]
    pub(super) fn since(&self, start: usize) -> &'j str {
        self.line.get(start..self.position()).unwrap_or_default()
    }

    /// What is left of the line.
    pub(super) fn rest(&self) -> &'j str {
        self.line.get(self.position()..).unwrap_or_default()
    }

    /// Looks at the first byte of the next value.
    #[inline]
    pub(super) fn peek(&mut self) -> Result<Peek, Fault> {
        Ok(self.jiter.peek()?)
    }

    /// Passes over a value, which must be JSON all the same.
    pub(super) fn skip(&mut self, peek: Peek) -> Result<(), Fault> {
        Ok(self.jiter.known_skip(peek)?)
    }

    /// The digits of a number as they stand there.
    #[inline]
    pub(super) fn number(&mut self, peek: Peek) -> Result<&'j str, Fault> {
        let start = self.position();
        self.jiter.known_number_bytes(peek)?;
        Ok(self.since(start))
    }

    /// In a second reading, standing at an object: which of its members is the last with each name, counted from 0.
    pub(super) fn last_members(&self) -> Result<Option<LastMembers>, Fault> {
        if !self.careful {
            return Ok(None);
        }
        let start = self.position();
        let fault = |error: JiterError| {
            let message = error.error_type.to_string();
            Fault::syntax(start.saturating_add(error.index), message)
        };
        let mut ahead = Jiter::new(self.rest().as_bytes());
        let mut last = HashMap::new();
        let mut next = ahead.next_object().map_err(fault)?.map(str::to_owned);
        let mut ordinal = 0;
        while let Some(name) = next {
            last.insert(name, ordinal);
            ordinal += 1;
            ahead.next_skip().map_err(fault)?;
            next = ahead.next_key().map_err(fault)?.map(str::to_owned);
        }
        Ok(Some(LastMembers(last)))
    }
}

/// Which member of an object is the last with its name.
pub(super) struct LastMembers(HashMap<String, usize>);

impl LastMembers {
    /// Whether the member `ordinal` named `name` has no later one of its name.
    pub(super) fn is_last(&self, name: &str, ordinal: usize) -> bool {
        self.0.get(name).is_none_or(|last| *last == ordinal)
    }
}
