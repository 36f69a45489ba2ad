//! Which column a member of an object is for.

use std::collections::HashMap;

use ftable_core::DataField;

use super::escape::write_string;

/// The most members of an object whose names are remembered.
const MOST_REMEMBERED: usize = 1024;

/// The longest name that is remembered, in bytes.
const LONGEST_REMEMBERED: usize = 256;

/// Columns by name.
///
/// Objects of one file mostly have the same members in the same order, so a name is compared with the one that is
/// likely there before it is looked up: with the column after the last one found, then with the name that stood at
/// this place in an earlier object.
pub(super) struct Names {
    names: Vec<Box<str>>,
    columns: HashMap<Box<str>, usize>,
    remembered: Vec<Remembered>,
}

/// The name of a member of an earlier object.
#[derive(Default)]
struct Remembered {
    name: String,
    quoted: Vec<u8>,
    column: Option<usize>,
}

/// Writes a name in quotes with a colon, the one form that needs no parser to be told; nothing if the name has
/// characters that must be escaped.
pub(super) fn write_quoted(name: &str, out: &mut Vec<u8>) {
    out.clear();
    write_string(name, out);
    out.push(b':');
    if out.len() > name.len() + 3 {
        out.clear();
    }
}

/// How far an object has been read.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Place {
    /// Members read.
    ordinal: usize,
    /// The column after the last one found.
    expected: usize,
}

impl Place {
    /// Whether no member has been read.
    pub(super) fn is_first(self) -> bool {
        self.ordinal == 0
    }

    /// The column after the last one found.
    pub(super) fn expected(self) -> usize {
        self.expected
    }

    /// The next member has been read and is for this column.
    pub(super) fn found(&mut self, column: Option<usize>) {
        self.ordinal += 1;
        if let Some(column) = column {
            self.expected = column + 1;
        }
    }

    /// The position of the member that was looked up last, from 0.
    pub(super) fn ordinal(self) -> usize {
        self.ordinal.saturating_sub(1)
    }
}

impl Names {
    pub(super) fn new(fields: &[DataField]) -> Self {
        let names: Vec<Box<str>> = fields
            .iter()
            .map(|field| field.name.as_str().into())
            .collect();
        let columns = names.iter().cloned().zip(0..).collect();
        Self {
            names,
            columns,
            remembered: Vec::new(),
        }
    }

    /// The column of the next member, `None` where no column has its name.
    #[inline]
    pub(super) fn find(&mut self, place: &mut Place, name: &str) -> Option<usize> {
        let ordinal = place.ordinal;
        let expected = self.names.get(place.expected);
        let found = if expected.is_some_and(|expected| **expected == *name) {
            Some(place.expected)
        } else if let Some(earlier) = self.remembered.get(ordinal)
            && earlier.name == name
        {
            earlier.column
        } else {
            self.look_up(ordinal, name)
        };
        place.found(found);
        found
    }

    /// The member that stood at this place in an earlier object: how it begins, and its column.
    #[inline]
    pub(super) fn remembered(&self, place: Place) -> Option<(&[u8], Option<usize>)> {
        let earlier = self.remembered.get(place.ordinal)?;
        (!earlier.quoted.is_empty()).then_some((&earlier.quoted, earlier.column))
    }

    fn look_up(&mut self, ordinal: usize, name: &str) -> Option<usize> {
        let column = self.columns.get(name).copied();
        if ordinal < MOST_REMEMBERED && name.len() <= LONGEST_REMEMBERED {
            if self.remembered.len() <= ordinal {
                self.remembered
                    .resize_with(ordinal + 1, Remembered::default);
            }
            if let Some(earlier) = self.remembered.get_mut(ordinal) {
                earlier.name.clear();
                earlier.name.push_str(name);
                write_quoted(name, &mut earlier.quoted);
                earlier.column = column;
            }
        }
        column
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::columns;

    /// What is found for the members of one object after another.
    fn found(names: &mut Names, object: &[&str]) -> Vec<Option<usize>> {
        let mut place = Place::default();
        let find = |name: &&str| names.find(&mut place, name);
        object.iter().map(find).collect()
    }

    #[test]
    fn names_are_found_in_any_order_and_whatever_stood_there_before() {
        let names = &mut Names::new(&columns("a INT, b INT, c INT"));
        assert_eq!(found(names, &["a", "b", "c"]), [Some(0), Some(1), Some(2)]);
        assert_eq!(found(names, &["c", "x", "a"]), [Some(2), None, Some(0)]);
        assert_eq!(found(names, &["c", "b", "a"]), [Some(2), Some(1), Some(0)]);
        assert_eq!(found(names, &["x", "x", "B"]), [None, None, None]);
        assert_eq!(found(names, &["a", "a", "a"]), [Some(0); 3]);
        assert_eq!(
            found(names, &["", "a", "b", ""]),
            [None, Some(0), Some(1), None]
        );
    }

    #[test]
    fn a_place_that_holds_no_name_yet_is_not_the_empty_name() {
        let names = &mut Names::new(&columns("a INT"));
        // The fourth name makes room for three places, which hold nothing.
        assert_eq!(found(names, &["a", "a", "x"]), [Some(0), Some(0), None]);
        assert_eq!(found(names, &["", ""]), [None, None]);
    }

    #[test]
    fn the_form_of_a_name_is_known_where_nothing_is_escaped() {
        let names = &mut Names::new(&columns("a INT"));
        found(names, &["x", "a", "q\"q"]);
        let mut place = Place::default();
        assert_eq!(names.remembered(place), Some((&b"\"x\":"[..], None)));
        place.found(None);
        assert_eq!(names.remembered(place), None, "it was expected");
        place.found(Some(0));
        assert_eq!(names.remembered(place), None, "it has an escape");
        place.found(None);
        assert_eq!(names.remembered(place), None);
    }

    #[test]
    fn long_objects_and_long_names_are_found_without_being_remembered() {
        let names = &mut Names::new(&columns("a INT, b INT"));
        let long = "x".repeat(LONGEST_REMEMBERED + 1);
        let mut object = vec![long.as_str(); MOST_REMEMBERED + 10];
        object.push("b");
        let last = found(names, &object).pop().flatten();
        assert_eq!(last, Some(1));
        assert!(names.remembered.is_empty());
    }
}
