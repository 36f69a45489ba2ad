//! What a commit that replaces rows is about to do, written down before it begins.
//!
//! ```text
//! <table>/_ftable/<id>.json      the intent
//! <table>/_ftable/<id>.done      everything is published; what is left is to delete what was replaced
//! <table>/_ftable/<id>.undo      the commit is being taken back
//! <table>/_ftable/<id>/<path>    a replaced file, moved out of sight
//! ```

use ftable_core::partition::is_hidden;
use ftable_io::check_relative;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The private directory below a table. Its name is hidden, so no reader of any engine looks into it.
pub(crate) const PRIVATE_DIRECTORY: &str = "_ftable";
/// The form of an intent.
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
    /// Directories whose rows are replaced; the empty path is the whole table.
    pub(super) replaces: Vec<String>,
    /// Files that are replaced.
    pub(super) hide: Vec<String>,
    pub(super) publish: Vec<Publication>,
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
            hide: Vec::new(),
            publish: Vec::new(),
            remove_directories: Vec::new(),
        }
    }

    pub(super) fn to_json(&self) -> Result<String, String> {
        serde_json::to_string_pretty(self).map_err(|error| error.to_string())
    }

    /// Reads an intent, trusting nothing in it: no path may lead out of the table or to hidden files that are not
    /// staged ones.
    pub(super) fn from_json(text: &str) -> Result<Self, String> {
        let intent: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if intent.version != VERSION {
            return Err(format!("its form {} is not the form {VERSION} of this version", intent.version));
        }
        if Uuid::parse_str(&intent.id).is_err() {
            return Err(format!("its id '{}' is no UUID", intent.id));
        }
        let visible = |path: &String| {
            check_relative(path).map_err(|error| error.to_string())?;
            match path.rsplit('/').next().is_some_and(is_hidden) {
                true => Err(format!("{path} is hidden")),
                false => Ok(()),
            }
        };
        intent.hide.iter().try_for_each(visible)?;
        for directory in intent.replaces.iter().chain(&intent.remove_directories).filter(|path| !path.is_empty()) {
            check_relative(directory).map_err(|error| error.to_string())?;
        }
        for publication in &intent.publish {
            visible(&publication.target)?;
            check_relative(&publication.staged).map_err(|error| error.to_string())?;
            if !crate::write::is_staged(&publication.staged) {
                return Err(format!("{} is no staged file", publication.staged));
            }
        }
        Ok(intent)
    }

    /// Whether both replace rows of one directory, or of one below the other.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        let covers = |upper: &str, lower: &str| {
            upper.is_empty()
                || lower.strip_prefix(upper).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.replaces.iter().any(|a| other.replaces.iter().any(|b| covers(a, b) || covers(b, a)))
    }

    pub(super) fn file(&self) -> String {
        intent_file(&self.id)
    }

    pub(super) fn done_marker(&self) -> String {
        format!("{PRIVATE_DIRECTORY}/{}.done", self.id)
    }

    pub(super) fn undo_marker(&self) -> String {
        format!("{PRIVATE_DIRECTORY}/{}.undo", self.id)
    }

    /// Where replaced files are moved to.
    pub(super) fn attic(&self) -> String {
        format!("{PRIVATE_DIRECTORY}/{}", self.id)
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

pub(super) fn intent_file(id: &str) -> String {
    format!("{PRIVATE_DIRECTORY}/{id}.json")
}

/// The id in the name of an intent file.
pub(super) fn id_of_file(name: &str) -> Option<&str> {
    name.strip_suffix(".json").filter(|id| Uuid::parse_str(id).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn intent(replaces: &[&str]) -> Intent {
        Intent { replaces: replaces.iter().map(|path| (*path).to_owned()).collect(), ..Intent::new(0, 1000) }
    }

    #[test]
    fn directories_overlap_when_one_holds_the_other() {
        assert!(intent(&["y=1"]).overlaps(&intent(&["y=1"])));
        assert!(intent(&["y=1"]).overlaps(&intent(&["y=1/m=2"])));
        assert!(intent(&["y=1/m=2"]).overlaps(&intent(&[""])));
        assert!(!intent(&["y=1"]).overlaps(&intent(&["y=10", "y=2"])));
    }

    #[test]
    fn what_is_written_is_read_back() {
        let mut written = intent(&["y=1"]);
        written.hide.push("y=1/a.parquet".to_owned());
        let staged = format!("y=1/_temporary/.tmp.{}", Uuid::new_v4());
        written.publish.push(Publication { staged, target: "y=1/b.parquet".to_owned() });
        assert_eq!(Intent::from_json(&written.to_json().unwrap()).unwrap(), written);
    }

    #[test]
    fn hostile_paths_are_refused() {
        for path in ["../a", "/etc/passwd", "y=1/../../a", "y=1/_hidden"] {
            let mut hostile = intent(&["y=1"]);
            hostile.hide.push(path.to_owned());
            assert!(Intent::from_json(&hostile.to_json().unwrap()).is_err(), "{path}");
        }
        let mut hostile = intent(&["y=1"]);
        hostile.publish.push(Publication { staged: "y=1/a".to_owned(), target: "y=1/b".to_owned() });
        assert!(Intent::from_json(&hostile.to_json().unwrap()).unwrap_err().contains("no staged file"));
    }

    #[test]
    fn a_lease_ends() {
        let intent = Intent::new(5_000, 1_000);
        assert!(intent.is_leased(5_999));
        assert!(!intent.is_leased(6_000));
    }
}
