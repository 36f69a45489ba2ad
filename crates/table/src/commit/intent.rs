//! What a commit is about to do, written down before it begins, and how it was decided.
//!
//! ```text
//! <table>/_ftable/<id>.json      the intent: the commit has begun
//! <table>/_ftable/<id>.outcome   the decision: it is finished or undone, whoever goes on with it
//! <table>/_ftable/<id>/<path>    a replaced file, moved out of sight
//! ```

use std::collections::HashSet;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The private directory below a table. Its name is hidden, so no reader of any engine looks into it.
pub(crate) const PRIVATE_DIRECTORY: &str = "_ftable";
/// The form of an intent and of an outcome.
const VERSION: u32 = 1;

/// A staged file and its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Publication {
    pub(super) staged: String,
    pub(super) target: String,
}

/// What will be replaced and what will be published. All paths are relative to the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Intent {
    version: u32,
    pub(super) id: String,
    /// Milliseconds since 1970, by the clock of the process that committed.
    pub(super) created_millis: i64,
    /// Milliseconds for which the process may still be at work.
    pub(super) lease_millis: i64,
    /// Directories whose rows are replaced; the empty path is the whole table. An append has none.
    pub(super) replaces: Vec<String>,
    /// Whether replaced files are moved out of sight before anything is published, rather than deleted after.
    pub(super) moves: bool,
    pub(super) publish: Vec<Publication>,
    /// Directories that must exist in the end.
    pub(super) create_directories: Vec<String>,
    /// Directories that are removed in the end, where nothing else is in them.
    pub(super) remove_directories: Vec<String>,
}

impl Intent {
    pub(super) fn new(created_millis: i64, lease_millis: i64) -> Self {
        Self {
            version: VERSION,
            id: Uuid::new_v4().to_string(),
            created_millis,
            lease_millis,
            replaces: Vec::new(),
            moves: false,
            publish: Vec::new(),
            create_directories: Vec::new(),
            remove_directories: Vec::new(),
        }
    }

    /// An intent of now.
    pub(super) fn leased(lease: Duration) -> Self {
        Self::new(
            now_millis(),
            i64::try_from(lease.as_millis()).unwrap_or(i64::MAX),
        )
    }

    pub(super) fn to_json(&self) -> Result<String, String> {
        serde_json::to_string_pretty(self).map_err(|error| error.to_string())
    }

    /// Reads an intent. Its paths are checked by [`validate`](super::validate::intent), which knows the table.
    pub(super) fn from_json(text: &str) -> Result<Self, String> {
        let intent: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        check_version(intent.version)?;
        Ok(intent)
    }

    /// Whether both replace rows of one directory, or of one below the other, or publish the same file: undoing one
    /// would then undo the other.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        let targets: HashSet<&str> = other
            .publish
            .iter()
            .map(|file| file.target.as_str())
            .collect();
        if self
            .publish
            .iter()
            .any(|file| targets.contains(file.target.as_str()))
        {
            return true;
        }
        self.replaces
            .iter()
            .any(|a| other.replaces.iter().any(|b| covers(a, b) || covers(b, a)))
    }

    /// Whether a path lies in a directory that is replaced.
    pub(super) fn replaces(&self, path: &str) -> bool {
        self.replaces
            .iter()
            .any(|directory| covers(directory, path))
    }

    pub(super) fn file(&self) -> String {
        intent_file(&self.id)
    }

    /// Where it is written how the commit was decided.
    pub(super) fn outcome_file(&self) -> String {
        outcome_file(&self.id)
    }

    /// Where replaced files are moved to.
    pub(super) fn attic(&self) -> String {
        attic(&self.id)
    }

    /// Where one replaced file is moved to.
    pub(super) fn hidden(&self, path: &str) -> String {
        format!("{}/{path}", self.attic())
    }

    /// Whether the process that wrote it may still be at work.
    pub(super) fn is_leased(&self, now_millis: i64) -> bool {
        now_millis.saturating_sub(self.created_millis) < self.lease_millis
    }
}

/// Milliseconds since 1970.
pub(super) fn now_millis() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Whether a commit is finished or undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Decision {
    Done,
    Undo,
}

/// How a commit was decided. The first to write it decides, and everybody goes by it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Outcome {
    version: u32,
    pub(super) decision: Decision,
    /// Replaced files that were not moved and are still to be deleted.
    pub(super) delete: Vec<String>,
}

impl Outcome {
    pub(super) fn done(delete: Vec<String>) -> Self {
        Self {
            version: VERSION,
            decision: Decision::Done,
            delete,
        }
    }

    pub(super) fn undo() -> Self {
        Self {
            version: VERSION,
            decision: Decision::Undo,
            delete: Vec::new(),
        }
    }

    pub(super) fn to_json(&self) -> Result<String, String> {
        serde_json::to_string_pretty(self).map_err(|error| error.to_string())
    }

    pub(super) fn from_json(text: &str) -> Result<Self, String> {
        let outcome: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        check_version(outcome.version)?;
        Ok(outcome)
    }
}

fn check_version(version: u32) -> Result<(), String> {
    match version == VERSION {
        true => Ok(()),
        false => Err(format!(
            "its form {version} is not the form {VERSION} of this version"
        )),
    }
}

/// Whether a directory is another or holds it; the empty path holds all.
pub(super) fn covers(upper: &str, lower: &str) -> bool {
    upper.is_empty()
        || lower
            .strip_prefix(upper)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

pub(super) fn intent_file(id: &str) -> String {
    format!("{PRIVATE_DIRECTORY}/{id}.json")
}

pub(super) fn outcome_file(id: &str) -> String {
    format!("{PRIVATE_DIRECTORY}/{id}.outcome")
}

pub(super) fn attic(id: &str) -> String {
    format!("{PRIVATE_DIRECTORY}/{id}")
}

/// What an entry of the private directory is, by its name, and the id of its commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry<'a> {
    Intent(&'a str),
    Outcome(&'a str),
    Attic(&'a str),
    Other,
}

impl<'a> Entry<'a> {
    pub(super) fn of(name: &'a str, is_dir: bool) -> Self {
        let is_id =
            |id: &&str| Uuid::parse_str(id).is_ok_and(|uuid| uuid.hyphenated().to_string() == **id);
        let id = |suffix: &str| name.strip_suffix(suffix).filter(is_id);
        match (is_dir, id(".json"), id(".outcome"), id("")) {
            (false, Some(id), ..) => Self::Intent(id),
            (false, _, Some(id), _) => Self::Outcome(id),
            (true, .., Some(id)) => Self::Attic(id),
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn intent(replaces: &[&str]) -> Intent {
        Intent {
            replaces: replaces.iter().map(|path| (*path).to_owned()).collect(),
            ..Intent::new(0, 1000)
        }
    }

    #[test]
    fn directories_overlap_when_one_holds_the_other() {
        assert!(intent(&["y=1"]).overlaps(&intent(&["y=1"])));
        assert!(intent(&["y=1"]).overlaps(&intent(&["y=1/m=2"])));
        assert!(intent(&["y=1/m=2"]).overlaps(&intent(&[""])));
        assert!(!intent(&["y=1"]).overlaps(&intent(&["y=10", "y=2"])));
        assert!(!intent(&[]).overlaps(&intent(&[""])));
    }

    #[test]
    fn commits_of_the_same_file_overlap() {
        let file = |target: &str| Publication {
            staged: String::new(),
            target: target.to_owned(),
        };
        let (mut a, mut b) = (intent(&[]), intent(&["y=2"]));
        a.publish = vec![file("y=1/a"), file("y=1/b")];
        b.publish = vec![file("y=2/a")];
        assert!(!a.overlaps(&b) && !b.overlaps(&a));
        b.publish.push(file("y=1/b"));
        assert!(a.overlaps(&b) && b.overlaps(&a));
    }

    #[test]
    fn what_is_written_is_read_back() {
        let mut written = intent(&["y=1"]);
        let staged = format!("y=1/_temporary/.tmp.{}", Uuid::new_v4());
        written.publish.push(Publication {
            staged,
            target: "y=1/b.parquet".to_owned(),
        });
        assert_eq!(
            Intent::from_json(&written.to_json().unwrap()).unwrap(),
            written
        );
        let outcome = Outcome::done(vec!["y=1/a.parquet".to_owned()]);
        assert_eq!(
            Outcome::from_json(&outcome.to_json().unwrap()).unwrap(),
            outcome
        );
    }

    #[test]
    fn another_form_is_refused() {
        let mut later = intent(&["y=1"]);
        later.version = 2;
        assert!(
            Intent::from_json(&later.to_json().unwrap())
                .unwrap_err()
                .contains("form 2")
        );
    }

    #[test]
    fn entries_are_told_apart_by_name() {
        let id = Uuid::new_v4().to_string();
        assert_eq!(Entry::of(&format!("{id}.json"), false), Entry::Intent(&id));
        assert_eq!(
            Entry::of(&format!("{id}.outcome"), false),
            Entry::Outcome(&id)
        );
        assert_eq!(Entry::of(&id, true), Entry::Attic(&id));
        for (name, is_dir) in [
            (id.as_str(), false),
            ("a.json", false),
            (&id.to_uppercase(), true),
            ("..", true),
        ] {
            assert_eq!(Entry::of(name, is_dir), Entry::Other, "{name}");
        }
    }

    #[test]
    fn a_lease_ends() {
        let intent = Intent::new(5_000, 1_000);
        assert!(intent.is_leased(5_999));
        assert!(!intent.is_leased(6_000));
    }
}
