//! Files → splits: small files packed together, large ones cut.

use ftable_core::FormatTableOptions;
use ftable_io::contained;
use ftable_io::walk::LeafFile;
use serde::{Deserialize, Serialize};

use super::FoundPartition;

/// The form of a serialized split.
const VERSION: u32 = 1;

/// Files, or ranges of files, of one partition that are read together.
///
/// A split can be serialized: it is planned in one process and read in another. Paths are relative to the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split {
    version: u32,
    /// The partition's directory; empty for an unpartitioned table.
    partition: Box<str>,
    files: Box<[FileSlice]>,
}

/// A file, or a range of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSlice {
    /// Path relative to the partition's directory.
    name: Box<str>,
    /// Bytes of the whole file.
    size: u64,
    /// First byte of the range.
    offset: u64,
    /// Bytes of the range.
    length: u64,
}

impl FileSlice {
    /// Path relative to the partition's directory.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Bytes of the whole file.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// First byte of the range.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Bytes of the range; those of the file where it is not cut.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The range, where the file is cut.
    pub(crate) fn range(&self) -> Option<std::ops::Range<u64>> {
        (self.offset > 0 || self.length < self.size).then(|| self.offset..self.offset + self.length)
    }
}

impl Split {
    /// The partition's directory relative to the table; `None` for an unpartitioned table.
    pub fn partition(&self) -> Option<&str> {
        (!self.partition.is_empty()).then_some(&*self.partition)
    }

    /// The files in the order they are read.
    pub fn files(&self) -> &[FileSlice] {
        &self.files
    }

    /// The path of one of its files relative to the table.
    pub fn path_of(&self, file: &FileSlice) -> String {
        if self.partition.is_empty() {
            file.name.to_string()
        } else {
            format!("{}/{}", self.partition, file.name)
        }
    }

    /// Bytes to be read.
    pub fn total_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.length).sum()
    }

    /// What is wrong with a split that came from elsewhere.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.version != VERSION {
            return Err(format!(
                "its form {} is not the form {VERSION} of this version",
                self.version
            ));
        }
        for file in &self.files {
            let path = self.path_of(file);
            // Names are as the store gave them, whatever characters they have; only their place matters.
            if contained("/", &format!("/{path}")).as_deref() != Some(path.as_str()) {
                return Err(format!("path {path} does not lie inside the table"));
            }
            if file
                .offset
                .checked_add(file.length)
                .is_none_or(|end| end > file.size)
            {
                return Err(format!(
                    "range {}+{} of {path} reaches beyond its {} bytes",
                    file.offset, file.length, file.size
                ));
            }
        }
        Ok(())
    }
}

/// How files are packed, as Paimon's `SplitEnumerator` and `BinPacking.packForOrdered` do.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packing {
    target: u64,
    open_cost: u64,
}

impl Packing {
    pub(super) fn new(options: &FormatTableOptions) -> Self {
        Self {
            target: options.split_target_size.max(1),
            open_cost: options.split_open_file_cost,
        }
    }

    /// Adds the splits of a partition. Order is kept, and no split spans partitions. `can_cut` says of the name of a file
    /// whether its ranges can be read apart.
    pub(super) fn pack(
        &self,
        partition: FoundPartition,
        can_cut: impl Fn(&str) -> bool,
        splits: &mut Vec<Split>,
    ) {
        let mut bin = Vec::new();
        let mut weight = 0_u64;
        for file in partition.files {
            self.cut(file, &can_cut, |slice| {
                let added = slice.length.max(self.open_cost);
                if !bin.is_empty() && weight.saturating_add(added) > self.target {
                    splits.push(split(&partition.path, std::mem::take(&mut bin)));
                    weight = 0;
                }
                weight = weight.saturating_add(added);
                bin.push(slice);
            });
        }
        if !bin.is_empty() {
            splits.push(split(&partition.path, bin));
        }
    }

    fn cut(&self, file: LeafFile, can_cut: impl Fn(&str) -> bool, mut add: impl FnMut(FileSlice)) {
        let LeafFile { name, size, .. } = file;
        if size <= self.target || !can_cut(&name) {
            return add(FileSlice {
                name,
                size,
                offset: 0,
                length: size,
            });
        }
        let mut offset = 0;
        while offset < size {
            let length = self.target.min(size - offset);
            add(FileSlice {
                name: name.clone(),
                size,
                offset,
                length,
            });
            offset += length;
        }
    }
}

fn split(partition: &str, files: Vec<FileSlice>) -> Split {
    Split {
        version: VERSION,
        partition: partition.into(),
        files: files.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pack(target: u64, open_cost: u64, sizes: &[(&str, u64)]) -> Vec<Vec<(String, u64, u64)>> {
        let packing = Packing { target, open_cost };
        let files = sizes.iter().map(|(name, size)| LeafFile {
            name: (*name).into(),
            size: *size,
            modified_millis: None,
        });
        let partition = FoundPartition {
            values: Vec::new(),
            path: "p=1".to_owned(),
            files: files.collect(),
        };
        let mut splits = Vec::new();
        packing.pack(partition, |name| name != "z", &mut splits);
        let slices = |split: &Split| {
            split
                .files
                .iter()
                .map(|file| (file.name.to_string(), file.offset, file.length))
                .collect()
        };
        splits.iter().map(slices).collect()
    }

    fn slice(name: &str, offset: u64, length: u64) -> (String, u64, u64) {
        (name.to_owned(), offset, length)
    }

    /// The example of Paimon's bins: target 10, files a2 b6 c18 d2 e10.
    const SIZES: [(&str, u64); 5] = [("a", 2), ("b", 6), ("c", 18), ("d", 2), ("e", 10)];

    #[test]
    fn files_weigh_at_least_the_cost_of_opening_them() {
        assert_eq!(
            pack(10, 4, &SIZES),
            [
                vec![slice("a", 0, 2), slice("b", 0, 6)],
                vec![slice("c", 0, 10)],
                vec![slice("c", 10, 8)],
                vec![slice("d", 0, 2)],
                vec![slice("e", 0, 10)],
            ]
        );
    }

    #[test]
    fn without_a_cost_ranges_and_files_share_a_split() {
        assert_eq!(
            pack(10, 0, &SIZES),
            [
                vec![slice("a", 0, 2), slice("b", 0, 6)],
                vec![slice("c", 0, 10)],
                vec![slice("c", 10, 8), slice("d", 0, 2)],
                vec![slice("e", 0, 10)],
            ]
        );
    }

    #[test]
    fn files_that_cannot_be_cut_are_whole() {
        assert_eq!(
            pack(10, 0, &[("y", 12), ("z", 30)]),
            [
                vec![slice("y", 0, 10)],
                vec![slice("y", 10, 2)],
                vec![slice("z", 0, 30)],
            ]
        );
    }

    #[test]
    fn exactly_the_target_still_fits() {
        assert_eq!(pack(10, 4, &[("a", 2), ("b", 6)]).len(), 1);
        assert_eq!(pack(10, 4, &[("a", 2), ("b", 7)]).len(), 2);
    }

    #[test]
    fn empty_files_are_planned_and_a_target_of_nothing_ends() {
        assert_eq!(pack(10, 0, &[("a", 0)]), [vec![slice("a", 0, 0)]]);
        assert_eq!(pack(1, 0, &[("a", 3)]).len(), 3);
    }

    #[test]
    fn a_split_that_reaches_outside_is_refused() {
        let ok = split(
            "p=1",
            vec![FileSlice {
                name: "f".into(),
                size: 3,
                offset: 0,
                length: 3,
            }],
        );
        assert_eq!(ok.check(), Ok(()));
        let outside = split(
            "p=1",
            vec![FileSlice {
                name: "../../f".into(),
                size: 3,
                offset: 0,
                length: 3,
            }],
        );
        assert!(outside.check().is_err());
        let beyond = split(
            "p=1",
            vec![FileSlice {
                name: "f".into(),
                size: 3,
                offset: 2,
                length: u64::MAX,
            }],
        );
        assert!(beyond.check().unwrap_err().contains("beyond its 3 bytes"));
        let newer = Split { version: 2, ..ok };
        assert!(newer.check().unwrap_err().contains("form 2"));
    }
}
