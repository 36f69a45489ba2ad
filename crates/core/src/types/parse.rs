//! Both grammars of types.
//!
//! The grammar of schema files (`DataTypeJsonParser` in Paimon) has atomic types, `VECTOR<T, n>` and
//! the suffix forms `INT ARRAY` and `INT MULTISET`. SQL text adds `ARRAY<T>`, `MULTISET<T>`,
//! `MAP<K, V>` and `ROW<a T, ...>`, the latter also as `ROW(a T)` and `STRUCT<a: T>`. In both,
//! keywords have any case and white space is free.

use std::str::FromStr;

use super::data_type::{check_length, check_time_precision, too_deep};
use super::ids::assign_type_ids;
use super::lexer::{Quote, Spanned, Token, tokenize};
use super::{DataField, DataType, MAX_LENGTH, MAX_NESTING, TypeKind};
use crate::error::{Error, Result};

const DEFAULT_CRS: &str = "OGC:CRS84";
const DEFAULT_ALGORITHM: &str = "spherical";
/// How much of a text an error repeats.
const SHOWN_CHARS: usize = 200;

impl DataType {
    /// Reads a type string of a schema file, where nested types are JSON objects and not text.
    ///
    /// Defaults: `CHAR`, `VARCHAR`, `BINARY` and `VARBINARY` have length 1, `DECIMAL` is `(10, 0)`,
    /// `TIME` has precision 0, `TIMESTAMP` and `TIMESTAMP_LTZ` have precision 6.
    ///
    /// # Errors
    /// [`Error::InvalidType`]: unknown keyword, parameter out of range, or text left over.
    pub fn parse_json_text(text: &str) -> Result<Self> {
        parse_whole(text, false)
    }
}

impl FromStr for DataType {
    type Err = Error;

    /// Reads SQL text. Fields of a `ROW` are numbered from 0.
    fn from_str(text: &str) -> Result<Self> {
        parse_whole(text, true)
    }
}

fn parse_whole(text: &str, sql: bool) -> Result<DataType> {
    let parsed = Parser::new(text, sql).and_then(|mut parser| {
        let data_type = parser.data_type(0)?;
        parser.end()?;
        Ok(data_type)
    });
    let mut data_type = parsed.map_err(|message| invalid_type(text, message))?;
    data_type.check().map_err(|error| match error {
        Error::InvalidType { message, .. } => invalid_type(text, message),
        other => other,
    })?;
    assign_type_ids(&mut data_type);
    Ok(data_type)
}

/// The error for a text, of which only the beginning is repeated when it is long.
fn invalid_type(text: &str, message: String) -> Error {
    Error::InvalidType {
        text: shortened(text),
        message,
    }
}

/// The beginning of a text, which is all of it unless it is long.
pub(super) fn shortened(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN_CHARS).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// Messages are wrapped with the text once, by whoever started the parser.
type Parsed<T> = Result<T, String>;

pub(super) struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Spanned<'a>>,
    position: usize,
    sql: bool,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str, sql: bool) -> Parsed<Self> {
        Ok(Self {
            text,
            tokens: tokenize(text)?,
            position: 0,
            sql,
        })
    }

    pub(super) fn at_end(&self) -> bool {
        self.position >= self.tokens.len()
    }

    /// Fails when a token is left.
    pub(super) fn end(&self) -> Parsed<()> {
        if self.at_end() {
            Ok(())
        } else {
            Err(format!("unexpected {}", self.shown()))
        }
    }

    /// A type with its nullability and at most one suffix form.
    fn data_type(&mut self, depth: usize) -> Parsed<DataType> {
        if depth > MAX_NESTING {
            return Err(too_deep());
        }
        let kind = self.kind(depth)?;
        let data_type = DataType::new(kind, self.nullability());
        let element = Box::new(data_type);
        let kind = if self.keyword("ARRAY") {
            TypeKind::Array { element }
        } else if self.keyword("MULTISET") {
            TypeKind::Multiset { element }
        } else {
            return Ok(*element);
        };
        Ok(DataType::new(kind, self.nullability()))
    }

    fn kind(&mut self, depth: usize) -> Parsed<TypeKind> {
        let Some((Token::Word(word), _)) = self.tokens.get(self.position) else {
            return Err(format!("a type is expected, not {}", self.shown()));
        };
        let word = word.to_ascii_uppercase();
        self.position += 1;
        match word.as_str() {
            "BOOLEAN" => Ok(TypeKind::Boolean),
            "TINYINT" => Ok(TypeKind::TinyInt),
            "SMALLINT" => Ok(TypeKind::SmallInt),
            "INT" | "INTEGER" => Ok(TypeKind::Int),
            "BIGINT" => Ok(TypeKind::BigInt),
            "FLOAT" => Ok(TypeKind::Float),
            "DOUBLE" => {
                self.keyword("PRECISION");
                Ok(TypeKind::Double)
            }
            "DECIMAL" | "DEC" | "NUMERIC" => self.decimal(),
            "CHAR" => Ok(TypeKind::Char {
                length: self.length()?,
            }),
            "VARCHAR" => Ok(TypeKind::VarChar {
                length: self.length()?,
            }),
            "STRING" => Ok(TypeKind::VarChar { length: MAX_LENGTH }),
            "BINARY" => Ok(TypeKind::Binary {
                length: self.length()?,
            }),
            "VARBINARY" => Ok(TypeKind::VarBinary {
                length: self.length()?,
            }),
            "BYTES" => Ok(TypeKind::VarBinary { length: MAX_LENGTH }),
            "DATE" => Ok(TypeKind::Date),
            "TIME" => self.time(),
            "TIMESTAMP" => self.timestamp(),
            "TIMESTAMP_LTZ" => Ok(TypeKind::TimestampLtz {
                precision: self.precision(6)?,
            }),
            "VARIANT" => Ok(TypeKind::Variant),
            "BLOB" => Ok(TypeKind::Blob),
            "GEOMETRY" => self.geometry(),
            "GEOGRAPHY" => self.geography(),
            "VECTOR" => self.vector(depth),
            "ARRAY" | "MULTISET" | "MAP" | "ROW" | "STRUCT" if self.sql => {
                self.nested(&word, depth)
            }
            "ARRAY" | "MULTISET" | "MAP" | "ROW" => Err(format!(
                "{word} in a schema file is a JSON object, not text"
            )),
            _ => Err(format!("'{word}' is no type")),
        }
    }

    fn decimal(&mut self) -> Parsed<TypeKind> {
        let (mut precision, mut scale) = (10, 0);
        if self.symbol('(') {
            precision = self.number()?;
            if self.symbol(',') {
                scale = self.number()?;
            }
            self.expect(')')?;
        }
        let precision = u8::try_from(precision)
            .map_err(|_| "the precision of a DECIMAL must be between 1 and 38".to_owned())?;
        let scale = u8::try_from(scale)
            .map_err(|_| "the scale of a DECIMAL must be between 0 and its precision".to_owned())?;
        Ok(TypeKind::Decimal { precision, scale })
    }

    /// An optional `(n)`, 1 when absent.
    fn length(&mut self) -> Parsed<u32> {
        let length = self.parenthesized()?.unwrap_or(1);
        check_length(length)?;
        u32::try_from(length).map_err(|error| error.to_string())
    }

    fn precision(&mut self, default: u8) -> Parsed<u8> {
        let precision = self.parenthesized()?.unwrap_or(u64::from(default));
        check_time_precision(precision)?;
        u8::try_from(precision).map_err(|error| error.to_string())
    }

    fn time(&mut self) -> Parsed<TypeKind> {
        let precision = self.precision(0)?;
        if self.keyword("WITHOUT") {
            self.time_zone()?;
        }
        Ok(TypeKind::Time { precision })
    }

    fn timestamp(&mut self) -> Parsed<TypeKind> {
        let precision = self.precision(6)?;
        if self.keyword("WITHOUT") {
            self.time_zone()?;
        } else if self.keyword("WITH") && self.keyword("LOCAL") {
            self.time_zone()?;
            return Ok(TypeKind::TimestampLtz { precision });
        }
        // A dangling WITH is read as if it were not there, as Java does; TIME after it is left over.
        Ok(TypeKind::Timestamp { precision })
    }

    fn time_zone(&mut self) -> Parsed<()> {
        if self.keyword("TIME") && self.keyword("ZONE") {
            return Ok(());
        }
        Err(format!("TIME ZONE is expected, not {}", self.shown()))
    }

    fn vector(&mut self, depth: usize) -> Parsed<TypeKind> {
        self.expect('<')?;
        let element = Box::new(self.data_type(depth + 1)?);
        self.expect(',')?;
        let length = self.number()?;
        check_length(length)?;
        self.expect('>')?;
        let length = u32::try_from(length).map_err(|error| error.to_string())?;
        Ok(TypeKind::Vector { element, length })
    }

    fn geometry(&mut self) -> Parsed<TypeKind> {
        let mut crs = DEFAULT_CRS.to_owned();
        if self.symbol('(') {
            crs = self.parameter()?;
            self.expect(')')?;
        }
        Ok(TypeKind::Geometry { crs })
    }

    fn geography(&mut self) -> Parsed<TypeKind> {
        let (mut crs, mut algorithm) = (DEFAULT_CRS.to_owned(), DEFAULT_ALGORITHM.to_owned());
        if self.symbol('(') {
            crs = self.parameter()?;
            if self.symbol(',') {
                algorithm = self.parameter()?.to_ascii_lowercase();
            }
            self.expect(')')?;
        }
        Ok(TypeKind::Geography { crs, algorithm })
    }

    /// A quoted text, or everything up to `,` or `)` as it stands: `EPSG:4326`.
    fn parameter(&mut self) -> Parsed<String> {
        if let Some((Token::Quoted(_, content), _)) = self.tokens.get(self.position) {
            self.position += 1;
            return Ok(content.clone());
        }
        let mut span: Option<(usize, usize)> = None;
        while let Some((token, range)) = self.tokens.get(self.position) {
            if !matches!(token, Token::Word(_) | Token::Symbol(':')) {
                break;
            }
            span = Some((span.map_or(range.start, |(start, _)| start), range.end));
            self.position += 1;
        }
        let text = span.and_then(|(start, end)| self.text.get(start..end));
        text.map(str::to_owned)
            .ok_or_else(|| format!("a parameter is expected, not {}", self.shown()))
    }

    fn nested(&mut self, word: &str, depth: usize) -> Parsed<TypeKind> {
        if matches!(word, "ROW" | "STRUCT") {
            return self.row(word, depth);
        }
        self.expect('<')?;
        let first = Box::new(self.data_type(depth + 1)?);
        let kind = match word {
            "ARRAY" => TypeKind::Array { element: first },
            "MULTISET" => TypeKind::Multiset { element: first },
            _ => {
                self.expect(',')?;
                TypeKind::Map {
                    key: first,
                    value: Box::new(self.data_type(depth + 1)?),
                }
            }
        };
        self.expect('>')?;
        Ok(kind)
    }

    fn row(&mut self, word: &str, depth: usize) -> Parsed<TypeKind> {
        let close = if word == "ROW" && self.symbol('(') {
            ')'
        } else {
            self.expect('<')?;
            '>'
        };
        let mut fields = Vec::new();
        if self.symbol(close) {
            return Ok(TypeKind::Row { fields });
        }
        loop {
            fields.push(self.field(depth + 3)?);
            if !self.symbol(',') {
                self.expect(close)?;
                return Ok(TypeKind::Row { fields });
            }
        }
    }

    /// `name [:] TYPE [NOT NULL] [DEFAULT literal] [COMMENT 'text' | 'text']`, its id still open.
    pub(super) fn field(&mut self, depth: usize) -> Parsed<DataField> {
        let name = self.name()?;
        self.symbol(':');
        let data_type = self
            .data_type(depth)
            .map_err(|message| format!("field '{name}': {message}"))?;
        let mut field = DataField::new(-1, name, data_type);
        loop {
            if self.keyword("DEFAULT") {
                field.default_value = self.default_literal()?;
            } else if self.keyword("COMMENT") || self.single_quoted_follows() {
                let missing = || format!("field '{}': COMMENT needs a 'text'", field.name);
                field.description = Some(self.single_quoted().ok_or_else(missing)?);
            } else if self.keyword("NOT") {
                if !self.keyword("NULL") {
                    return Err(format!("NULL is expected, not {}", self.shown()));
                }
                field.data_type = field.data_type.not_null();
            } else {
                return Ok(field);
            }
        }
    }

    fn name(&mut self) -> Parsed<String> {
        let name = match self.tokens.get(self.position) {
            Some((Token::Word(word), _)) => (*word).to_owned(),
            Some((Token::Quoted(Quote::Back | Quote::Double, content), _)) => content.clone(),
            _ => return Err(format!("a field name is expected, not {}", self.shown())),
        };
        self.position += 1;
        Ok(name)
    }

    /// A text in quotes, a typed literal such as `DATE '2024-01-01'`, or one bare word.
    fn default_literal(&mut self) -> Parsed<Option<String>> {
        if let Some(text) = self.single_quoted() {
            return Ok(Some(text));
        }
        let Some((Token::Word(word), _)) = self.tokens.get(self.position) else {
            return Err(format!(
                "a literal is expected after DEFAULT, not {}",
                self.shown()
            ));
        };
        let word = (*word).to_owned();
        self.position += 1;
        let typed = ["DATE", "TIME", "TIMESTAMP"]
            .iter()
            .any(|t| word.eq_ignore_ascii_case(t));
        if typed && let Some(text) = self.single_quoted() {
            return Ok(Some(text));
        }
        Ok(if word.eq_ignore_ascii_case("NULL") {
            None
        } else {
            Some(word)
        })
    }

    fn single_quoted_follows(&self) -> bool {
        matches!(
            self.tokens.get(self.position),
            Some((Token::Quoted(Quote::Single, _), _))
        )
    }

    fn single_quoted(&mut self) -> Option<String> {
        match self.tokens.get(self.position) {
            Some((Token::Quoted(Quote::Single, content), _)) => {
                self.position += 1;
                Some(content.clone())
            }
            _ => None,
        }
    }

    /// Takes `NOT NULL` or `NULL` and says whether the type is nullable.
    fn nullability(&mut self) -> bool {
        if self.word_at(0, "NOT") && self.word_at(1, "NULL") {
            self.position += 2;
            return false;
        }
        self.keyword("NULL");
        true
    }

    fn parenthesized(&mut self) -> Parsed<Option<u64>> {
        if !self.symbol('(') {
            return Ok(None);
        }
        let number = self.number()?;
        self.expect(')')?;
        Ok(Some(number))
    }

    fn number(&mut self) -> Parsed<u64> {
        match self.tokens.get(self.position) {
            Some((Token::Word(word), _)) if word.bytes().all(|b| b.is_ascii_digit()) => {
                self.position += 1;
                word.parse()
                    .map_err(|_| format!("the number {word} is too large"))
            }
            _ => Err(format!("a number is expected, not {}", self.shown())),
        }
    }

    fn word_at(&self, offset: usize, keyword: &str) -> bool {
        matches!(self.tokens.get(self.position + offset),
            Some((Token::Word(word), _)) if word.eq_ignore_ascii_case(keyword))
    }

    /// Takes `keyword` if it is next.
    pub(super) fn keyword(&mut self, keyword: &str) -> bool {
        let found = self.word_at(0, keyword);
        self.position += usize::from(found);
        found
    }

    /// Whether these two keywords are next.
    pub(super) fn keywords_follow(&self, first: &str, second: &str) -> bool {
        self.word_at(0, first) && self.word_at(1, second)
    }

    /// Takes `symbol` if it is next.
    pub(super) fn symbol(&mut self, symbol: char) -> bool {
        let found =
            matches!(self.tokens.get(self.position), Some((Token::Symbol(s), _)) if *s == symbol);
        self.position += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, symbol: char) -> Parsed<()> {
        if self.symbol(symbol) {
            return Ok(());
        }
        Err(format!("'{symbol}' is expected, not {}", self.shown()))
    }

    /// The next token as an error shows it.
    fn shown(&self) -> String {
        match self.tokens.get(self.position) {
            None => "the end of the text".to_owned(),
            Some((_, range)) => {
                format!("'{}'", self.text.get(range.clone()).unwrap_or_default())
            }
        }
    }
}

#[cfg(test)]
mod tests;
