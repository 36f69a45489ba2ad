//! The tree of directories: which levels are partitions, and which files lie in them.

use ftable_core::Options;
use ftable_core::options::keys::FORMAT_TABLE_PARTITION_PATH_ONLY_VALUE;
use ftable_core::partition::{is_hidden, key_and_value, unescape};
use ftable_io::FileStatus;
use ftable_io::data_files::list_data_files;
use ftable_io::path::join;
use futures::{StreamExt, TryStreamExt, stream};
use snafu::ResultExt;

use super::Place;
use super::files::Files;
use super::format::chosen;
use super::values::Values;
use crate::error::{CoreSnafu, IoSnafu, Result};

/// Directories that are listed side by side.
const CONCURRENT_LISTINGS: usize = 16;

/// What the tree says.
pub(super) struct Found {
    pub(super) keys: Vec<String>,
    /// Whether directories are named by values alone.
    pub(super) value_only: bool,
    pub(super) values: Values,
    pub(super) files: Files,
    /// The first directory with data whose name is no partition.
    pub(super) plain_directory: Option<String>,
}

/// Looks through the tree, level by level and in the order of the names.
pub(super) struct Layout<'a> {
    place: &'a Place,
    value_only: Option<bool>,
    found: Found,
    /// For each key that was found the first directory that has it.
    examples: Vec<String>,
    /// The first directory whose files are data, and its level.
    leaf: Option<(String, usize)>,
}

/// The visible entries of a directory.
#[derive(Default)]
struct Entries {
    /// Name, key and value of each.
    partitions: Vec<(String, String, String)>,
    plain: Vec<String>,
    files: Vec<(String, u64)>,
}

impl<'a> Layout<'a> {
    pub(super) fn new(place: &'a Place, options: &Options, sample: Option<usize>) -> Result<Self> {
        let key = &FORMAT_TABLE_PARTITION_PATH_ONLY_VALUE;
        let value_only = match options.contains(key.name()) {
            true => Some(options.get(key).context(CoreSnafu {
                table: &place.table,
            })?),
            false => None,
        };
        Ok(Self {
            place,
            value_only,
            found: Found {
                keys: Vec::new(),
                value_only: false,
                values: Values::new(place, options)?,
                files: Files::new(chosen(place, options)?, sample),
                plain_directory: None,
            },
            examples: Vec::new(),
            leaf: None,
        })
    }

    /// Looks through everything; `given` are the keys that the caller names.
    pub(super) async fn find(mut self, given: &[String]) -> Result<Found> {
        if self.value_only == Some(true) && given.is_empty() {
            return self.place.contradiction(
                "directories that are named by values alone do not tell the keys; give the partition keys",
            );
        }
        let root = self.list(String::new()).await?.1;
        let named = root.iter().any(|entry| {
            entry.is_dir() && !is_hidden(entry.name()) && key_and_value(entry.name()).is_some()
        });
        self.found.value_only = !given.is_empty() && self.value_only.unwrap_or(!named);
        if self.found.value_only {
            self.found.keys = given.to_vec();
        }
        self.walk().await?;
        if self.found.keys != given && !given.is_empty() {
            return self.place.contradiction(format!(
                "its directories have the keys [{}], not the given [{}]",
                self.found.keys.join(", "),
                given.join(", ")
            ));
        }
        Ok(self.found)
    }

    async fn walk(&mut self) -> Result<()> {
        let place = self.place;
        let mut level = vec![String::new()];
        let mut depth = 0;
        while !level.is_empty() {
            let mut next = Vec::new();
            let mut listings = stream::iter(level)
                .map(|directory| list(place, directory))
                .buffered(CONCURRENT_LISTINGS);
            while let Some((directory, entries)) = listings.try_next().await? {
                let is_leaf = match self.found.value_only {
                    true => self.values_at(depth, &directory, &entries, &mut next)?,
                    false => self.partitions_at(depth, &directory, &entries, &mut next)?,
                };
                if is_leaf {
                    self.leaf(&directory, &entries).await?;
                }
            }
            level = next;
            depth += 1;
        }
        Ok(())
    }

    async fn list(&self, directory: String) -> Result<(String, Vec<FileStatus>)> {
        list(self.place, directory).await
    }

    /// Takes in a directory of a tree named `key=value`; whether its files are data.
    fn partitions_at(
        &mut self,
        depth: usize,
        directory: &str,
        listed: &[FileStatus],
        next: &mut Vec<String>,
    ) -> Result<bool> {
        let entries = Entries::of(listed);
        let path = |name: &str| relative(directory, name);
        let Some((first, _, _)) = entries.partitions.first() else {
            let is_leaf = !entries.files.is_empty() || !entries.plain.is_empty();
            if is_leaf {
                self.check_depth(directory, depth)?;
            }
            return Ok(is_leaf);
        };
        if let Some((file, _)) = entries.files.first() {
            return self.place.contradiction(format!(
                "the file {} lies beside the partition {} and would not be read; move one of them",
                path(file),
                path(first)
            ));
        }
        if let Some(plain) = entries.plain.first() {
            return self.place.contradiction(format!(
                "the directory {} lies beside the partition {}, and its name is not key=value; move one of them",
                path(plain),
                path(first)
            ));
        }
        for (name, key, value) in &entries.partitions {
            self.check_key(depth, key, &path(name))?;
            self.found.values.add(depth, value, &path(name));
            next.push(path(name));
        }
        if let Some((leaf, level)) = &self.leaf
            && *level <= depth
        {
            return ragged(self.place, leaf, &path(first));
        }
        Ok(false)
    }

    /// Every directory of a level has the same key, and none has the key of a level above.
    fn check_key(&mut self, depth: usize, key: &str, path: &str) -> Result<()> {
        let place = self.place;
        let refuse = |message: String| place.contradiction(message);
        match (self.found.keys.get(depth), self.examples.get(depth)) {
            (Some(known), _) if known == key => Ok(()),
            (Some(_), Some(example)) => refuse(format!(
                "{example} and {path} are partitions of different keys at the same level; move one of them"
            )),
            _ if self.found.keys.iter().any(|known| known == key) => {
                refuse(format!("{path} has the key '{key}' twice"))
            }
            _ => {
                self.found.keys.push(key.to_owned());
                self.examples.push(path.to_owned());
                Ok(())
            }
        }
    }

    fn check_depth(&mut self, directory: &str, depth: usize) -> Result<()> {
        match &self.leaf {
            Some((leaf, level)) if *level != depth => ragged(self.place, leaf, directory),
            Some(_) => Ok(()),
            // A partition of a deeper level elsewhere is met on the same level as this directory's entries.
            None if self.found.keys.len() > depth => {
                let deeper = self.examples.get(depth).map_or("", String::as_str);
                ragged(self.place, directory, deeper)
            }
            None => {
                self.leaf = Some((directory.to_owned(), depth));
                Ok(())
            }
        }
    }

    /// Takes in a directory of a tree named by values alone; whether its files are data.
    fn values_at(
        &mut self,
        depth: usize,
        directory: &str,
        listed: &[FileStatus],
        next: &mut Vec<String>,
    ) -> Result<bool> {
        if depth == self.found.keys.len() {
            return Ok(true);
        }
        for entry in listed {
            let text = unescape(entry.name());
            if is_hidden(entry.name()) && !(entry.is_dir() && self.found.values.may_be_null(&text))
            {
                continue;
            }
            let path = relative(directory, entry.name());
            if entry.is_file() {
                let key = self.found.keys.get(depth).map_or("", String::as_str);
                return self.place.contradiction(format!(
                    "the file {path} lies where directories hold the values of '{key}' and would not be read; move it"
                ));
            }
            self.found.values.add(depth, &text, &path);
            next.push(path);
        }
        Ok(false)
    }

    /// Takes in the files of a leaf, those in directories below it included.
    async fn leaf(&mut self, directory: &str, listed: &[FileStatus]) -> Result<()> {
        let visible = listed.iter().filter(|entry| !is_hidden(entry.name()));
        for entry in visible {
            let path = relative(directory, entry.name());
            if entry.is_file() {
                self.found.files.add(path, entry.size);
                continue;
            }
            let below = self.place.full(&path);
            let files = list_data_files(&*self.place.file_system, &below, &[]).await;
            let files = files.context(IoSnafu {
                table: &self.place.table,
            })?;
            for file in files {
                let inside = file.path.strip_prefix(&below).unwrap_or(&file.path);
                let inside = inside.trim_start_matches('/');
                self.check_plain(&path, inside)?;
                self.found.files.add(relative(&path, inside), file.size);
            }
        }
        Ok(())
    }

    /// Notes a directory that is no partition, and refuses one inside it that looks like one.
    fn check_plain(&mut self, directory: &str, inside: &str) -> Result<()> {
        let mut above = directory.to_owned();
        let names: Vec<&str> = inside.split('/').collect();
        for name in names.iter().take(names.len().saturating_sub(1)) {
            let path = relative(&above, name);
            if key_and_value(name).is_some() {
                return self.place.contradiction(format!(
                    "{path} is named like a partition, and {above} above it is none; move one of them"
                ));
            }
            above = path;
        }
        self.found
            .plain_directory
            .get_or_insert_with(|| directory.to_owned());
        Ok(())
    }
}

impl Entries {
    fn of(listed: &[FileStatus]) -> Self {
        let mut entries = Self::default();
        for entry in listed.iter().filter(|entry| !is_hidden(entry.name())) {
            let name = entry.name().to_owned();
            if entry.is_file() {
                entries.files.push((name, entry.size));
                continue;
            }
            match key_and_value(&name) {
                Some((key, value)) => entries.partitions.push((name, key, value)),
                None => entries.plain.push(name),
            }
        }
        entries
    }
}

/// The entries of a directory; none where it is gone by now.
async fn list(place: &Place, directory: String) -> Result<(String, Vec<FileStatus>)> {
    match place.file_system.list(&place.full(&directory)).await {
        Ok(entries) => Ok((directory, entries)),
        Err(error) if error.is_not_found() => Ok((directory, Vec::new())),
        Err(source) => Err(source).context(IoSnafu {
            table: &place.table,
        }),
    }
}

fn relative(directory: &str, name: &str) -> String {
    match directory.is_empty() {
        true => name.to_owned(),
        false => join(directory, name),
    }
}

fn ragged<T>(place: &Place, leaf: &str, deeper: &str) -> Result<T> {
    let shown = |path: &str| match path.is_empty() {
        true => "the table's own directory".to_owned(),
        false => path.to_owned(),
    };
    place.contradiction(format!(
        "{} has data files, and {} lies on another level; every file has to lie below the same keys",
        shown(leaf),
        shown(deeper)
    ))
}
