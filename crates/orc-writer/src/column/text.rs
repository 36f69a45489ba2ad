//! STRING, CHAR and VARCHAR: with a dictionary while that pays, else one after the other.

use std::borrow::Cow;

use arrow_array::Array;
use arrow_schema::DataType;

use super::binary::Direct;
use super::dictionary::Dictionary;
use super::values::for_bytes;
use super::{Encoded, Encoder, Group, Refusal};
use crate::compress::Codec;
use crate::error::Result;
use crate::statistics::Values;
use crate::types::OrcKind;

/// Characters of a refused value that an error shows.
const SHOWN: usize = 40;

pub(super) struct TextEncoder {
    length: Length,
    threshold: f64,
    texts: Texts,
}

/// How many characters a text has.
#[derive(Clone, Copy)]
enum Length {
    Any,
    Exactly(u32),
    AtMost(u32),
}

enum Texts {
    Dictionary(Box<Dictionary>),
    Direct(Box<Direct>),
}

impl TextEncoder {
    pub(super) fn new(kind: &OrcKind, threshold: f64) -> Self {
        let length = match kind {
            OrcKind::Char { length } => Length::Exactly(*length),
            OrcKind::Varchar { length } => Length::AtMost(*length),
            _ => Length::Any,
        };
        let texts = if threshold > 0.0 {
            Texts::Dictionary(Box::default())
        } else {
            Texts::Direct(Box::new(Direct::new()))
        };
        Self {
            length,
            threshold,
            texts,
        }
    }

    fn push(&mut self, text: &[u8], group: &mut Group) {
        let first = match &mut self.texts {
            Texts::Direct(direct) => {
                direct.push(text);
                true
            }
            Texts::Dictionary(dictionary) => match dictionary.push(text) {
                Some(first) => first,
                None => {
                    let mut direct = dictionary.unfold();
                    direct.push(text);
                    self.texts = Texts::Direct(Box::new(direct));
                    true
                }
            },
        };
        if let Values::Text(range) = &mut group.statistics.values {
            range.add(text, first);
        }
        if let Some(bloom) = group.bloom.as_mut().filter(|_| first) {
            bloom.add_bytes(text);
        }
    }
}

impl Encoder for TextEncoder {
    fn write(&mut self, array: &dyn Array, group: &mut Group) -> Result<(), Refusal> {
        if !matches!(
            array.data_type(),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
        ) {
            return Err(Refusal::Type);
        }
        let length = self.length;
        for_bytes(array, |text| {
            self.push(&length.fit(text)?, group);
            Ok(())
        })?;
        Ok(())
    }

    fn begin_group(&mut self) {
        if let Texts::Dictionary(dictionary) = &mut self.texts
            && dictionary.values() > 0
            && !dictionary.pays(self.threshold)
        {
            // Once a row group has shown that it does not pay, the rest of the file goes without.
            self.texts = Texts::Direct(Box::new(dictionary.unfold()));
        }
        match &mut self.texts {
            Texts::Dictionary(dictionary) => dictionary.begin_group(),
            Texts::Direct(direct) => direct.begin_group(),
        }
    }

    fn settle(&mut self, codec: &mut Codec) -> Result<()> {
        match &mut self.texts {
            Texts::Dictionary(_) => Ok(()),
            Texts::Direct(direct) => direct.settle(codec),
        }
    }

    fn encoded_bytes(&self) -> usize {
        match &self.texts {
            Texts::Dictionary(dictionary) => dictionary.encoded_bytes(),
            Texts::Direct(direct) => direct.encoded_bytes(),
        }
    }

    fn finish(&mut self, codec: &mut Codec) -> Result<Encoded> {
        match &mut self.texts {
            Texts::Direct(direct) => direct.finish(codec),
            Texts::Dictionary(dictionary) => {
                let dictionary = std::mem::take(dictionary);
                if dictionary.pays(self.threshold) {
                    dictionary.encode(codec)
                } else {
                    dictionary.unfold().finish(codec)
                }
            }
        }
    }
}

impl Length {
    /// The text as it is stored: CHAR is filled up with blanks, and blanks are what it may lose.
    fn fit(self, text: &[u8]) -> Result<Cow<'_, [u8]>, Refusal> {
        let limit = match self {
            Self::Any => return Ok(Cow::Borrowed(text)),
            Self::Exactly(limit) | Self::AtMost(limit) => limit as usize,
        };
        let padded = matches!(self, Self::Exactly(_));
        // A byte that does not continue a character begins one.
        let characters = text.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
        if characters > limit {
            let over = characters - limit;
            let kept = text.len().checked_sub(over).map(|end| text.split_at(end));
            return match kept {
                Some((kept, blanks)) if padded && blanks.iter().all(|byte| *byte == b' ') => {
                    Ok(Cow::Borrowed(kept))
                }
                _ => Err(too_long(text, characters, limit)),
            };
        }
        if !padded || characters == limit {
            return Ok(Cow::Borrowed(text));
        }
        let mut filled = text.to_vec();
        filled.resize(text.len() + limit - characters, b' ');
        Ok(Cow::Owned(filled))
    }
}

fn too_long(text: &[u8], characters: usize, limit: usize) -> Refusal {
    let text = String::from_utf8_lossy(text);
    let end = text.char_indices().nth(SHOWN).map(|(end, _)| end);
    let value = match end.and_then(|end| text.get(..end)) {
        Some(beginning) => format!("'{beginning}…'"),
        None => format!("'{text}'"),
    };
    Refusal::Value {
        value,
        reason: format!("has {characters} characters, and the type has room for {limit}"),
    }
}
