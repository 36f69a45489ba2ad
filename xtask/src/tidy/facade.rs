//! What the facade re-exports is a list that is kept beside it: a name that comes or goes is a change to that list.

use super::SourceFile;

/// The facade, whose only items are re-exports.
const SOURCE: &str = "crates/ftable/src/lib.rs";
/// Its public items, `crate::Name` line by line, in the order of the bytes.
pub const LISTING: &str = "crates/ftable/public-items.txt";

/// Sentences for each item that is public and not listed, or listed and not public. `listing` is the content of
/// [`LISTING`].
pub fn check(files: &[SourceFile], listing: &str) -> Vec<String> {
    let Some(source) = files.iter().find(|file| file.path == SOURCE) else {
        return vec![format!("facade: {SOURCE} is missing")];
    };
    let public = public_items(&source.text);
    let listed: Vec<&str> = listing.lines().collect();
    let unlisted = public
        .iter()
        .filter(|item| !listed.contains(&item.as_str()))
        .map(|item| format!("facade: {item} is public but not in {LISTING}; is it meant to be?"));
    let gone = listed
        .iter()
        .filter(|item| !public.iter().any(|known| known == *item))
        .map(|item| format!("facade: {item} is in {LISTING} but not public; users may rely on it"));
    let mut findings: Vec<String> = unlisted.chain(gone).collect();
    if !listed.is_sorted() {
        findings.push(format!("facade: {LISTING} is not sorted"));
    }
    findings
}

/// The items of `pub use` declarations, `crate::Name`.
fn public_items(source: &str) -> Vec<String> {
    let declarations = source.split("pub use ").skip(1);
    let mut items: Vec<String> = declarations
        .filter_map(|rest| rest.split_once(';')?.0.split_once("::"))
        .flat_map(|(krate, names)| {
            let names = names.trim_start_matches('{').trim_end_matches('}');
            names
                .split(',')
                .map(str::trim)
                .filter(|name| !name.is_empty())
                .map(move |name| format!("{krate}::{name}"))
        })
        .collect();
    items.sort();
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_and_what_goes_is_told() {
        let text = "pub use a::B;\npub use c::{\n    D, E,\n};\n";
        let files = [SourceFile {
            path: SOURCE.to_owned(),
            text: text.to_owned(),
        }];
        assert_eq!(check(&files, "a::B\nc::D\nc::E\n"), [""; 0]);
        assert_eq!(
            check(&files, "a::B\nc::D\nc::F\n"),
            [
                format!("facade: c::E is public but not in {LISTING}; is it meant to be?"),
                format!("facade: c::F is in {LISTING} but not public; users may rely on it"),
            ]
        );
        assert_eq!(
            check(&files, "c::E\nc::D\na::B\n"),
            [format!("facade: {LISTING} is not sorted")]
        );
        assert_eq!(check(&[], ""), [format!("facade: {SOURCE} is missing")]);
    }
}
