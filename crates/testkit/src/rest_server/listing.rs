//! Pages and name patterns.

use std::collections::BTreeMap;

use super::answer::{Done, Failure};

/// Which part of a listing is asked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PageRequest {
    /// How many elements, at least 1.
    size: usize,
    /// The key of the last element of the page before.
    after: Option<String>,
}

/// In which order the keys of a listing come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Ascending,
    /// As Java's mock server lists partitions.
    Descending,
}

impl PageRequest {
    /// Of the parameters of a query. A page is as large as the server's, when none or nothing is asked
    /// for, and never larger.
    pub(super) fn from_query(query: &BTreeMap<String, String>, most: usize) -> Done<Self> {
        let size = query.get("maxResults").map(|text| {
            let refuse = |_| Failure::bad_request(format!("maxResults is no number: {text}"));
            text.parse::<i64>().map_err(refuse)
        });
        Ok(Self::new(size.transpose()?, query.get("pageToken"), most))
    }

    pub(super) fn new(size: Option<i64>, after: Option<&String>, most: usize) -> Self {
        let asked = size.and_then(|size| usize::try_from(size).ok());
        let size = asked.filter(|size| *size > 0).unwrap_or(most);
        Self {
            size: size.min(most).max(1),
            after: after.filter(|token| !token.is_empty()).cloned(),
        }
    }

    /// The elements of the page, and the token of the next one. A full page has a token even when it is
    /// the last one, as those of Java's mock server do.
    pub(super) fn of<T>(
        &self,
        elements: impl IntoIterator<Item = (String, T)>,
        order: Order,
    ) -> (Vec<T>, Option<String>) {
        let is_left = |key: &String| match (&self.after, order) {
            (None, _) => true,
            (Some(after), Order::Ascending) => key > after,
            (Some(after), Order::Descending) => key < after,
        };
        let mut left: Vec<(String, T)> = elements
            .into_iter()
            .filter(|(key, _)| is_left(key))
            .collect();
        left.sort_by(|(one, _), (other, _)| match order {
            Order::Ascending => one.cmp(other),
            Order::Descending => other.cmp(one),
        });
        left.truncate(self.size);
        let last = left.last().map(|(key, _)| key.clone());
        let token = last.filter(|_| left.len() == self.size);
        (
            left.into_iter().map(|(_, element)| element).collect(),
            token,
        )
    }
}

/// A name pattern of SQL's LIKE that has its only wildcard, if it has one, at the end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NamePattern {
    Any,
    Exactly(String),
    BeginsWith(String),
}

impl NamePattern {
    /// Reads a pattern; none and an empty one fit every name. `_` is itself, a backslash takes the next
    /// character as it is.
    pub(super) fn parse(pattern: Option<&str>) -> Done<Self> {
        let mut characters = pattern.unwrap_or_default().chars();
        let mut literal = String::new();
        while let Some(character) = characters.next() {
            match character {
                '%' if characters.as_str().is_empty() => return Ok(Self::BeginsWith(literal)),
                '%' => {
                    let message = "Can only support prefix sql like pattern query now";
                    return Err(Failure::bad_request(message));
                }
                '\\' => literal.extend(characters.next()),
                _ => literal.push(character),
            }
        }
        Ok(match literal.as_str() {
            "" => Self::Any,
            _ => Self::Exactly(literal),
        })
    }

    pub(super) fn fits(&self, name: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Exactly(own) => own == name,
            Self::BeginsWith(prefix) => name.starts_with(prefix),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(count: usize, size: i64, order: Order) -> Vec<(Vec<usize>, Option<String>)> {
        let mut pages = Vec::new();
        let mut token = None;
        loop {
            let page = PageRequest::new(Some(size), token.as_ref(), 100);
            let elements = (0..count).map(|number| (format!("k{number}"), number));
            let (elements, next) = page.of(elements, order);
            pages.push((elements, next.clone()));
            match next {
                None => return pages,
                Some(_) => token = next,
            }
        }
    }

    #[test]
    fn pages_go_on_after_the_token() {
        let token = |text: &str| Some(text.to_owned());
        let expected = [
            (vec![0, 1], token("k1")),
            (vec![2, 3], token("k3")),
            (vec![4], None),
        ];
        assert_eq!(pages(5, 2, Order::Ascending), expected);
        let expected = [(vec![4, 3, 2], token("k2")), (vec![1, 0], None)];
        assert_eq!(pages(5, 3, Order::Descending), expected);
        // A full last page promises another one, which is empty.
        let expected = [(vec![0, 1], token("k1")), (vec![], None)];
        assert_eq!(pages(2, 2, Order::Ascending), expected);
        assert_eq!(pages(0, 2, Order::Ascending), [(vec![], None)]);
    }

    #[test]
    fn sizes_that_say_nothing_are_the_servers() {
        for (asked, size) in [
            (None, 100),
            (Some(0), 100),
            (Some(-3), 100),
            (Some(7), 7),
            (Some(100), 100),
            (Some(1000), 100),
        ] {
            assert_eq!(PageRequest::new(asked, None, 100).size, size, "{asked:?}");
        }
        let query = |size: &str| BTreeMap::from([("maxResults".to_owned(), size.to_owned())]);
        assert_eq!(PageRequest::from_query(&query("3"), 100).unwrap().size, 3);
        assert!(PageRequest::from_query(&query("abc"), 100).is_err());
    }

    #[test]
    fn patterns_are_prefixes() {
        let fits =
            |pattern: &str, name: &str| NamePattern::parse(Some(pattern)).unwrap().fits(name);
        assert!(NamePattern::parse(None).unwrap().fits("anything"));
        assert!(fits("", "anything") && fits("%", "anything"));
        assert!(fits("ab%", "abc") && fits("ab%", "ab") && !fits("ab%", "xab"));
        assert!(fits("ab", "ab") && !fits("ab", "abc"));
        // Neither a character of LIKE nor of a regular expression.
        assert!(fits("a_b%", "a_bc") && !fits("a_b%", "axbc"));
        assert!(fits("a.b", "a.b") && !fits("a.b", "axb"));
        assert!(fits(r"a\%b%", "a%bc") && fits(r"a\\", r"a\") && fits(r"a\_", "a_"));
        for refused in ["a%b", "%a", "a%%", r"%\%"] {
            assert!(NamePattern::parse(Some(refused)).is_err(), "{refused}");
        }
    }
}
