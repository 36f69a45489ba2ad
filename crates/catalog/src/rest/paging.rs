//! Listings that come page by page.

use std::collections::HashSet;

use super::models::PageAnswer;
use crate::Result;
use crate::error::AnswerSnafu;

/// One page of a listing of a REST catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// What is on it; an empty page need not be the last.
    pub items: Vec<T>,
    /// What to ask for the next page with; none on the last.
    pub next_token: Option<String>,
}

impl<T> Page<T> {
    pub(super) fn of<A: PageAnswer<Item = T>>(answer: A) -> Self {
        let (items, next_token) = answer.into_parts();
        Self { items, next_token }
    }

    /// The same page of other things.
    ///
    /// # Errors
    /// What `change` fails with.
    pub(super) fn try_map<U>(self, change: impl FnMut(T) -> Result<U>) -> Result<Page<U>> {
        Ok(Page {
            items: self.items.into_iter().map(change).collect::<Result<_>>()?,
            next_token: self.next_token,
        })
    }
}

/// A listing of which page after page is fetched until no token comes.
#[derive(Debug)]
pub(super) struct Drain<T> {
    listing: String,
    items: Vec<T>,
    seen: HashSet<String>,
    next: Option<Option<String>>,
}

impl<T> Drain<T> {
    /// Nothing fetched yet; `listing` names it in errors.
    pub(super) fn new(listing: impl Into<String>) -> Self {
        Self {
            listing: listing.into(),
            items: Vec::new(),
            seen: HashSet::new(),
            next: Some(None),
        }
    }

    /// What to ask for the next page with, which is nothing for the first; none when all are fetched.
    pub(super) fn ask(&mut self) -> Option<Option<String>> {
        self.next.take()
    }

    /// Adds a page. An empty one does not end the listing.
    ///
    /// # Errors
    /// When its token came before: the listing would never end. Tokens are not shown.
    pub(super) fn add(&mut self, page: Page<T>) -> Result<()> {
        self.items.extend(page.items);
        if let Some(token) = page.next_token {
            if !self.seen.insert(token.clone()) {
                return AnswerSnafu {
                    request: &self.listing,
                    message: "repeated page token: the listing has no end",
                }
                .fail();
            }
            self.next = Some(Some(token));
        }
        Ok(())
    }

    /// All that was fetched.
    pub(super) fn into_items(self) -> Vec<T> {
        self.items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain_pages(pages: &[(&[i32], Option<&str>)]) -> Result<Vec<i32>> {
        let mut drain = Drain::new("GET /v1/x");
        let mut before = None;
        let mut pages = pages.iter();
        while let Some(token) = drain.ask() {
            assert_eq!(token.as_deref(), before);
            let (items, next) = pages.next().unwrap();
            drain.add(Page {
                items: items.to_vec(),
                next_token: next.map(str::to_owned),
            })?;
            before = *next;
        }
        assert!(pages.next().is_none());
        Ok(drain.into_items())
    }

    #[test]
    fn an_empty_page_with_a_token_goes_on() {
        let pages: &[(&[i32], _)] = &[(&[], Some("x")), (&[1, 2], Some("y")), (&[], None)];
        assert_eq!(drain_pages(pages).unwrap(), [1, 2]);
        assert_eq!(drain_pages(&[(&[], None)]).unwrap(), [0; 0]);
    }

    #[test]
    fn a_token_that_comes_twice_is_an_error() {
        let pages: &[(&[i32], _)] = &[
            (&[1], Some("x")),
            (&[2], Some("y")),
            (&[3], Some("x")),
            (&[4], None),
        ];
        let error = drain_pages(pages).unwrap_err();
        assert!(error.to_string().contains("repeated page token"), "{error}");
    }
}
