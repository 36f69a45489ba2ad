//! What the text of a location means.
//!
//! A location is `[scheme:][//authority]path`, unescaped text as in Paimon's `Path`: `%20`, `#`, `?`
//! and spaces are ordinary characters and case is kept. The scheme is what precedes the first `:` if
//! that comes before the first `/`. Runs of `/` collapse, a trailing `/` is dropped, `.` and `..` are
//! resolved by text alone.
//!
//! | text | normal form | |
//! | --- | --- | --- |
//! | `/data//wh/` | `/data/wh` | local |
//! | `file:///data/wh`, `file:/data/wh` | `file:/data/wh` | local |
//! | `file://data/wh` | refused | `data` would be a host |
//! | `s3://b`, `s3://b/` | as they are | both are the root of the bucket |
//! | `s3://b//p/../q/` | `s3://b/q` | |
//! | `./t`, `t` | `t` | local, under the working directory |
//! | `a:b` | refused | a scheme with a relative path |
//!
//! No URL parser is used: they encode spaces, lower the case of hosts, give `#` and `?` a meaning and
//! refuse `_` in hosts.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, InvalidLocationSnafu, Result};
use crate::path::{check_relative, components};

const FILE: &str = "file";

/// A place in some store: scheme, authority and absolute path.
///
/// `Display` gives the text as it was given. Two locations are compared with
/// [`same_place`](Self::same_place).
///
/// ```
/// use ftable_io::Location;
///
/// let location: Location = "s3://my_bucket//wh/./db.db/".parse()?;
/// assert_eq!(location.to_string(), "s3://my_bucket//wh/./db.db/");
/// assert_eq!(location.normalized(), "s3://my_bucket/wh/db.db");
/// assert_eq!(location.authority(), "my_bucket");
/// assert_eq!(location.path(), "/wh/db.db");
/// # Ok::<(), ftable_io::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Location {
    given: String,
    scheme: Option<String>,
    authority: String,
    /// The path in normal form as the text has it: relative, empty (`s3://b`) or absolute.
    shown: String,
    /// The absolute path.
    path: String,
}

impl Location {
    /// The scheme as given, `file` when there is none.
    pub fn scheme(&self) -> &str {
        self.scheme.as_deref().unwrap_or(FILE)
    }

    /// The authority as given (a bucket, a name node), empty when there is none.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// The absolute path inside the store, without a trailing slash except for the root.
    ///
    /// A relative local path is resolved against the working directory of the moment it was parsed.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The text in normal form; parsing it gives the same place.
    pub fn normalized(&self) -> String {
        let mut text = String::new();
        if let Some(scheme) = &self.scheme {
            text.push_str(scheme);
            text.push(':');
        }
        if !self.authority.is_empty() {
            text.push_str("//");
            text.push_str(&self.authority);
        }
        text.push_str(&self.shown);
        text
    }

    /// The location of something below this one.
    ///
    /// # Errors
    /// `InvalidArgument` for an absolute path, a `.`, `..` or empty component, and a control character.
    pub fn join(&self, relative: &str) -> Result<Self> {
        check_relative(relative)?;
        let mut joined = Self {
            shown: if self.shown.is_empty() {
                ["/", relative].concat()
            } else {
                crate::path::join(&self.shown, relative)
            },
            path: crate::path::join(&self.path, relative),
            given: String::new(),
            scheme: self.scheme.clone(),
            authority: self.authority.clone(),
        };
        joined.given = joined.normalized();
        Ok(joined)
    }

    /// Whether two texts name the same place: `file` and no scheme are equal, as are the two
    /// spellings of a bucket's root, and a relative path and what it resolves to.
    pub fn same_place(&self, other: &Self) -> bool {
        self.scheme().eq_ignore_ascii_case(other.scheme())
            && self.authority == other.authority
            && self.path == other.path
    }
}

impl FromStr for Location {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let invalid = |message: &str| InvalidLocationSnafu { text, message }.build();
        if text.is_empty() {
            return Err(invalid("it is empty"));
        }
        if text.contains('\0') {
            return Err(invalid("it has a NUL character in it"));
        }
        let (scheme, rest) = split_scheme(text).map_err(invalid)?;
        let (authority, path) = split_authority(rest);
        let is_file = scheme.is_none_or(|scheme| scheme.eq_ignore_ascii_case(FILE));
        if is_file && !authority.is_empty() {
            return Err(invalid(&format!(
                "'{authority}' would be a host, and local files have none; did you forget a slash? \
                 Write {}/{authority}{path}",
                if scheme.is_some() { "file://" } else { "" },
            )));
        }
        let absolute = path.starts_with('/') || !authority.is_empty();
        if scheme.is_some() && !absolute {
            return Err(invalid(
                "a path after a scheme must begin with '/'; write ./ before a name with a colon in it",
            ));
        }
        let resolved = resolve(path, absolute)
            .ok_or_else(|| invalid("'..' leads out of the root of the store"))?;
        let (shown, full) = if absolute {
            let full = ["/", &resolved.join("/")].concat();
            (
                if path.is_empty() {
                    String::new()
                } else {
                    full.clone()
                },
                full,
            )
        } else {
            (
                show_relative(&resolved),
                in_working_directory(path).map_err(|m| invalid(&m))?,
            )
        };
        Ok(Self {
            given: text.to_owned(),
            scheme: scheme.map(str::to_owned),
            authority: authority.to_owned(),
            shown,
            path: full,
        })
    }
}

impl fmt::Display for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.given)
    }
}

/// Splits `scheme:` off, if the first colon comes before the first slash.
fn split_scheme(text: &str) -> Result<(Option<&str>, &str), &'static str> {
    let Some((scheme, rest)) = text.split_once(':') else {
        return Ok((None, text));
    };
    if scheme.contains('/') {
        return Ok((None, text));
    }
    let mut letters = scheme.chars();
    if !letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic())
        || !letters.all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    {
        return Err(
            "what precedes the colon is no scheme; write ./ before a name with a colon in it",
        );
    }
    Ok((Some(scheme), rest))
}

/// Splits `//authority` off; a lone `//` is a path.
fn split_authority(rest: &str) -> (&str, &str) {
    match rest.strip_prefix("//") {
        Some(after) if !after.is_empty() => after.split_at(after.find('/').unwrap_or(after.len())),
        _ => ("", rest),
    }
}

/// The components with `.` and `..` resolved; `None` when `..` leads out of the root.
///
/// A relative path keeps the `..` it begins with.
fn resolve(path: &str, absolute: bool) -> Option<Vec<&str>> {
    let mut resolved: Vec<&str> = Vec::new();
    for component in components(path) {
        match component {
            "." => {}
            ".." => match resolved.last() {
                Some(&last) if last != ".." => {
                    resolved.pop();
                }
                _ if absolute => return None,
                _ => resolved.push(component),
            },
            _ => resolved.push(component),
        }
    }
    Some(resolved)
}

/// A relative path in normal form that reads as itself again.
fn show_relative(resolved: &[&str]) -> String {
    match resolved.first() {
        None => ".".to_owned(),
        Some(first) if first.contains(':') => ["./", &resolved.join("/")].concat(),
        Some(_) => resolved.join("/"),
    }
}

fn in_working_directory(path: &str) -> Result<String, String> {
    let directory = std::env::current_dir().map_err(|_| {
        "it is relative, and the working directory cannot be found; write an absolute path"
            .to_owned()
    })?;
    let Some(directory) = directory.to_str() else {
        return Err(
            "it is relative, and the working directory's name is not UTF-8; write an absolute path"
                .to_owned(),
        );
    };
    let whole = crate::path::join(directory, path);
    match resolve(&whole, true) {
        Some(resolved) => Ok(["/", &resolved.join("/")].concat()),
        None => Err("'..' leads out of the root of the store".to_owned()),
    }
}

#[cfg(test)]
mod tests;
