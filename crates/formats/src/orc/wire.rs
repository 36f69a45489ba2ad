//! A walk over protobuf messages: what is needed of an ORC tail before, or instead of, the decoder's own reading.

/// Fields of a message, in the order they stand in.
pub(super) struct Fields<'a> {
    bytes: &'a [u8],
}

/// The content of one field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    /// Four or eight bytes, of which nothing here is made.
    Fixed,
}

impl<'a> Fields<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// The next field's number and content; `Ok(None)` at the end, `Err` where the bytes are no message.
    pub(super) fn next(&mut self) -> Result<Option<(u64, Content<'a>)>, Malformed> {
        if self.bytes.is_empty() {
            return Ok(None);
        }
        let tag = self.varint()?;
        let content = match tag & 7 {
            0 => Content::Number(self.varint()?),
            1 => {
                self.take(8)?;
                Content::Fixed
            }
            2 => {
                let length = usize::try_from(self.varint()?).map_err(|_| Malformed)?;
                Content::Bytes(self.take(length)?)
            }
            5 => {
                self.take(4)?;
                Content::Fixed
            }
            _ => return Err(Malformed),
        };
        Ok(Some((tag >> 3, content)))
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.bytes.split_at_checked(count).ok_or(Malformed)?;
        self.bytes = rest;
        Ok(taken)
    }

    fn varint(&mut self) -> Result<u64, Malformed> {
        varint(&mut self.bytes).ok_or(Malformed)
    }
}

/// The bytes are no message of this kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Malformed;

/// A number of seven bits a byte, the lowest first.
pub(super) fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// The same with as many bits as decimals have.
pub(super) fn varint_128(bytes: &mut &[u8]) -> Option<u128> {
    let mut value = 0_u128;
    for shift in (0..128).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u128::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Numbers of a repeated field, which stand one a field or packed into one.
pub(super) fn extend_numbers(
    numbers: &mut Vec<u64>,
    content: Content<'_>,
) -> Result<(), Malformed> {
    match content {
        Content::Number(number) => numbers.push(number),
        Content::Bytes(mut packed) => {
            while !packed.is_empty() {
                numbers.push(varint(&mut packed).ok_or(Malformed)?);
            }
        }
        Content::Fixed => return Err(Malformed),
    }
    Ok(())
}

/// Writes messages.
#[derive(Debug, Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    pub(super) fn number(&mut self, field: u64, number: u64) -> &mut Self {
        self.varint(field << 3);
        self.varint(number);
        self
    }

    pub(super) fn bytes(&mut self, field: u64, bytes: &[u8]) -> &mut Self {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    pub(super) fn message(&mut self, field: u64, message: &Self) -> &mut Self {
        self.bytes(field, &message.0)
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }
}
