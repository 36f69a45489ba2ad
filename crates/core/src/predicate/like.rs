//! The patterns of `LIKE`.

use std::fmt;

/// A compiled `LIKE` pattern, for any evaluator.
///
/// ```
/// # use ftable_core::predicate::LikePattern;
/// let pattern = LikePattern::new("5!%%", Some('!')).unwrap();
/// assert!(pattern.matches("5% off"));
/// assert!(!pattern.matches("50"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LikePattern {
    text: String,
    escape: Option<char>,
    tokens: Vec<Token>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    /// This character.
    Literal(char),
    /// `_`
    AnyOne,
    /// `%`
    AnyMany,
}

impl LikePattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    ///
    /// What is wrong, as text, when the escape character is followed by nothing, or by a character
    /// other than `%`, `_` and itself: SQL gives that no meaning.
    pub fn new(pattern: &str, escape: Option<char>) -> Result<Self, String> {
        let mut tokens = Vec::with_capacity(pattern.len());
        let mut characters = pattern.chars();
        while let Some(character) = characters.next() {
            let token = match character {
                _ if Some(character) == escape => match characters.next() {
                    Some(next @ ('%' | '_')) => Token::Literal(next),
                    Some(next) if next == character => Token::Literal(next),
                    _ => {
                        return Err(format!(
                            "LIKE pattern '{pattern}': the escape character '{character}' must be \
                             followed by '%', '_' or itself"
                        ));
                    }
                },
                '%' => Token::AnyMany,
                '_' => Token::AnyOne,
                other => Token::Literal(other),
            };
            // Several `%` in a row say what one says.
            if token != Token::AnyMany || tokens.last() != Some(&Token::AnyMany) {
                tokens.push(token);
            }
        }
        Ok(Self {
            text: pattern.to_owned(),
            escape,
            tokens,
        })
    }

    /// The pattern as given.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The escape character as given.
    pub fn escape(&self) -> Option<char> {
        self.escape
    }

    /// Whether the whole text matches.
    pub fn matches(&self, text: &str) -> bool {
        let mut rest = text.chars();
        let mut at = 0;
        // Where to go on when a match fails: after the last `%`, one character further.
        let mut retry: Option<(usize, std::str::Chars<'_>)> = None;
        loop {
            let here = rest.clone();
            let step = match (self.tokens.get(at), rest.next()) {
                (Some(Token::AnyMany), _) => {
                    if at + 1 == self.tokens.len() {
                        return true;
                    }
                    rest = here.clone();
                    retry = Some((at + 1, here));
                    true
                }
                (Some(Token::AnyOne), Some(_)) => true,
                (Some(Token::Literal(wanted)), Some(found)) => *wanted == found,
                (None, None) => return true,
                // No text is left for what the pattern still wants; further on there is less.
                (Some(_), None) => return false,
                (None, Some(_)) => false,
            };
            if step {
                at += 1;
                continue;
            }
            let Some((token, from)) = &mut retry else {
                return false;
            };
            if from.next().is_none() {
                return false;
            }
            (at, rest) = (*token, from.clone());
        }
    }

    /// What every matching text begins with; a bound for pruning by minimum and maximum.
    pub fn prefix(&self) -> String {
        self.tokens.iter().map_while(Token::character).collect()
    }

    /// The one text that matches, when there are no wildcards.
    pub fn exact(&self) -> Option<String> {
        self.tokens.iter().map(Token::character).collect()
    }
}

impl Token {
    fn character(&self) -> Option<char> {
        match self {
            Self::Literal(character) => Some(*character),
            Self::AnyOne | Self::AnyMany => None,
        }
    }
}

impl fmt::Display for LikePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matches(pattern: &str, escape: Option<char>, text: &str) -> bool {
        LikePattern::new(pattern, escape).unwrap().matches(text)
    }

    #[test]
    fn wildcards() {
        for (pattern, text, expected) in [
            ("", "", true),
            ("", "a", false),
            ("%", "", true),
            ("%", "abc", true),
            ("a%", "a", true),
            ("a%", "ab", true),
            ("a%", "ba", false),
            ("%a", "ba", true),
            ("%a", "ab", false),
            ("a_c", "abc", true),
            ("a_c", "aéc", true),
            ("a_c", "ac", false),
            ("_", "日", true),
            ("_", "", false),
            ("__", "a", false),
            ("%日本%", "x日本y", true),
            ("a%b%c", "aXbYc", true),
            ("a%b%c", "aXcYb", false),
            ("%ab", "aab", true),
            ("%aab", "aaab", true),
            ("a%%b", "ab", true),
            ("%_%", "", false),
            ("%_%", "x", true),
            ("abc", "ABC", false),
            ("a\nb", "a\nb", true),
            ("%", "a\nb", true),
            ("_b%", "ab", true),
            ("%b_", "abb", true),
            ("back\\slash", "back\\slash", true),
        ] {
            assert_eq!(
                matches(pattern, None, text),
                expected,
                "{text} LIKE {pattern}"
            );
        }
    }

    #[test]
    fn escapes() {
        for (pattern, text, expected) in [
            ("5!%", "5%", true),
            ("5!%", "50", false),
            ("a!_b", "a_b", true),
            ("a!_b", "axb", false),
            ("!!", "!", true),
            ("%!%%", "50% off", true),
        ] {
            assert_eq!(
                matches(pattern, Some('!'), text),
                expected,
                "{text} LIKE {pattern}"
            );
        }
        assert!(LikePattern::new("a!", Some('!')).is_err());
        assert!(LikePattern::new("!a", Some('!')).is_err());
        let percent = LikePattern::new("%%", Some('%')).unwrap();
        assert_eq!(percent.exact().as_deref(), Some("%"));
    }

    #[test]
    fn bounds() {
        let pattern = LikePattern::new("ab!%c%d", Some('!')).unwrap();
        assert_eq!((pattern.prefix().as_str(), pattern.exact()), ("ab%c", None));
        assert_eq!(
            LikePattern::new("abc", None).unwrap().exact().as_deref(),
            Some("abc")
        );
    }

    /// What the pattern means, spelled out.
    fn oracle(pattern: &[char], text: &[char]) -> bool {
        match (pattern.split_first(), text.split_first()) {
            (None, rest) => rest.is_none(),
            (Some(('%', more)), None) => oracle(more, text),
            (Some(('%', more)), Some((_, later))) => oracle(more, text) || oracle(pattern, later),
            (Some(_), None) => false,
            (Some((wanted, more)), Some((found, later))) => {
                (*wanted == '_' || wanted == found) && oracle(more, later)
            }
        }
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition(pattern in "[ab%_é]{0,8}", text in "[abé]{0,8}") {
            let (p, t): (Vec<_>, Vec<_>) = (pattern.chars().collect(), text.chars().collect());
            prop_assert_eq!(matches(&pattern, None, &text), oracle(&p, &t));
        }
    }
}
