//! A walk over Thrift's compact protocol that allocates nothing.
//!
//! The decoder proper takes lengths at their word where it makes room for what follows. They are looked at here
//! first, so that a file which lies about them costs no memory.

/// How deep structs may lie in each other.
const MAX_DEPTH: usize = 64;

/// Bytes of the compact protocol, read from the front.
#[derive(Debug, Clone, Copy)]
pub(super) struct Thrift<'a> {
    bytes: &'a [u8],
}

/// The type of a value, as the low four bits of a field's or list's header say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    True,
    False,
    Byte,
    Integer,
    Double,
    Binary,
    List,
    Map,
    Struct,
}

impl Kind {
    fn of(code: u8) -> Option<Self> {
        Some(match code {
            1 => Self::True,
            2 => Self::False,
            3 => Self::Byte,
            4..=6 => Self::Integer,
            7 => Self::Double,
            8 => Self::Binary,
            9 | 10 => Self::List,
            11 => Self::Map,
            12 => Self::Struct,
            _ => return None,
        })
    }
}

impl<'a> Thrift<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// How many bytes are left.
    pub(super) fn left(&self) -> usize {
        self.bytes.len()
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*first)
    }

    fn advance(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }

    /// An unsigned number, seven bits a byte.
    pub(super) fn varint(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// A signed number.
    pub(super) fn integer(&mut self) -> Option<i64> {
        let value = self.varint()?;
        // Zigzag: the sign is the lowest bit.
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// Calls `field` for each field of a struct; what it does not read is skipped by it with [`Self::skip`].
    pub(super) fn fields(
        &mut self,
        mut field: impl FnMut(&mut Self, i64, Kind) -> Option<()>,
    ) -> Option<()> {
        let mut id = 0_i64;
        loop {
            let header = self.byte()?;
            if header & 0x0f == 0 {
                return Some(());
            }
            let kind = Kind::of(header & 0x0f)?;
            id = match header >> 4 {
                0 => self.integer()?,
                delta => id.checked_add(i64::from(delta))?,
            };
            field(self, id, kind)?;
        }
    }

    /// The length of a list and what is in it.
    ///
    /// `None` too where there are fewer bytes left than elements: each of them takes one at least.
    pub(super) fn list(&mut self) -> Option<(usize, Kind)> {
        let header = self.byte()?;
        if header == 0 {
            return Some((0, Kind::Byte));
        }
        let kind = Kind::of(header & 0x0f)?;
        let length = match header >> 4 {
            15 => usize::try_from(self.varint()?).ok()?,
            length => usize::from(length),
        };
        (length <= self.left()).then_some((length, kind))
    }

    /// Passes over the value of a field.
    pub(super) fn skip(&mut self, kind: Kind) -> Option<()> {
        match kind {
            // A field's header says it all.
            Kind::True | Kind::False => Some(()),
            other => self.skip_value(other, MAX_DEPTH),
        }
    }

    fn skip_value(&mut self, kind: Kind, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match kind {
            Kind::True | Kind::False | Kind::Byte => self.byte().map(|_| ()),
            Kind::Integer => self.varint().map(|_| ()),
            Kind::Double => self.advance(8).map(|_| ()),
            Kind::Binary => {
                let length = usize::try_from(self.varint()?).ok()?;
                self.advance(length).map(|_| ())
            }
            Kind::List => {
                let (length, kind) = self.list()?;
                (0..length).try_for_each(|_| self.skip_value(kind, depth))
            }
            Kind::Map => self.skip_map(depth),
            Kind::Struct => self.fields(|thrift, _, kind| match kind {
                Kind::True | Kind::False => Some(()),
                other => thrift.skip_value(other, depth),
            }),
        }
    }

    fn skip_map(&mut self, depth: usize) -> Option<()> {
        let length = usize::try_from(self.varint()?).ok()?;
        if length == 0 {
            return Some(());
        }
        if length > self.left() {
            return None;
        }
        let kinds = self.byte()?;
        let (key, value) = (Kind::of(kinds >> 4)?, Kind::of(kinds & 0x0f)?);
        (0..length).try_for_each(|_| {
            self.skip_value(key, depth)?;
            self.skip_value(value, depth)
        })
    }
}
