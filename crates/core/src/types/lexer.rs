//! Splits type text into words, quoted texts and symbols.

use std::ops::Range;

/// What surrounds a quoted text; a doubled quote inside stands for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    /// `'text'`
    Single,
    /// `` `name` ``
    Back,
    /// `"name"`
    Double,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A run of characters that are no white space, quote or symbol.
    Word(&'a str),
    /// The text between quotes.
    Quoted(Quote, String),
    /// One of `< > ( ) , :`.
    Symbol(char),
}

/// A token and where it stands in the text.
pub(super) type Spanned<'a> = (Token<'a>, Range<usize>);

/// Splits `text`; white space separates and is dropped.
pub(super) fn tokenize(text: &str) -> Result<Vec<Spanned<'_>>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.char_indices().peekable();
    while let Some((start, first)) = rest.next() {
        if first.is_whitespace() {
            continue;
        }
        if is_symbol(first) {
            tokens.push((Token::Symbol(first), start..start + 1));
        } else if let Some(quote) = quote_of(first) {
            let (content, end) = quoted(&mut rest, first)?;
            tokens.push((Token::Quoted(quote, content), start..end));
        } else {
            let mut end = start + first.len_utf8();
            while let Some((at, next)) = rest.next_if(|(_, c)| is_word(*c)) {
                end = at + next.len_utf8();
            }
            tokens.push((
                Token::Word(text.get(start..end).unwrap_or_default()),
                start..end,
            ));
        }
    }
    Ok(tokens)
}

/// Whether `text` would be read as one word.
pub(super) fn is_plain_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_word)
}

/// Reads up to the closing quote and returns the content and the offset behind the quote.
fn quoted(
    rest: &mut std::iter::Peekable<std::str::CharIndices<'_>>,
    quote: char,
) -> Result<(String, usize), String> {
    let mut content = String::new();
    while let Some((at, c)) = rest.next() {
        if c != quote {
            content.push(c);
        } else if rest.next_if(|(_, next)| *next == quote).is_some() {
            content.push(quote);
        } else {
            return Ok((content, at + 1));
        }
    }
    Err(format!("the text after {quote} has no closing {quote}"))
}

fn is_symbol(c: char) -> bool {
    matches!(c, '<' | '>' | '(' | ')' | ',' | ':')
}

fn quote_of(c: char) -> Option<Quote> {
    match c {
        '\'' => Some(Quote::Single),
        '`' => Some(Quote::Back),
        '"' => Some(Quote::Double),
        _ => None,
    }
}

fn is_word(c: char) -> bool {
    !c.is_whitespace() && !is_symbol(c) && quote_of(c).is_none()
}
