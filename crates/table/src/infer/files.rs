//! The files that are met on the way, of which a few are kept: the first, the last, and some between.

use std::collections::BTreeMap;

use ftable_core::FileFormatKind;

/// A file to be looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SampledFile {
    /// Path relative to the table.
    pub(super) path: String,
    /// Bytes, as listed.
    pub(super) size: u64,
}

/// Counts files, remembers one of each kind and keeps a sample, in memory that depends on the sample alone.
#[derive(Debug)]
pub(super) struct Files {
    /// How many were met.
    pub(super) total: u64,
    /// The first of each format that an extension says.
    pub(super) by_kind: BTreeMap<FileFormatKind, String>,
    /// The format that the caller chose: files that say another are left out of the sample.
    chosen: Option<FileFormatKind>,
    limit: Option<usize>,
    /// Every so many are kept.
    stride: u64,
    /// Files that can be sampled.
    seen: u64,
    kept: Vec<SampledFile>,
    last: Option<SampledFile>,
}

impl Files {
    pub(super) fn new(chosen: Option<FileFormatKind>, limit: Option<usize>) -> Self {
        Self {
            total: 0,
            by_kind: BTreeMap::new(),
            chosen,
            limit,
            stride: 1,
            seen: 0,
            kept: Vec::new(),
            last: None,
        }
    }

    pub(super) fn add(&mut self, path: String, size: u64) {
        self.total += 1;
        if let Some(kind) = kind_by_name(&path) {
            self.by_kind.entry(kind).or_insert_with(|| path.clone());
            if self.chosen.is_some_and(|chosen| chosen != kind) {
                return;
            }
        }
        let file = SampledFile { path, size };
        if self.seen.is_multiple_of(self.stride) {
            self.kept.push(file.clone());
        }
        self.seen += 1;
        self.last = Some(file);
        if let Some(limit) = self.limit
            && self.kept.len() > limit.saturating_mul(2)
        {
            let mut at = 0;
            self.kept.retain(|_| {
                at += 1;
                at % 2 == 1
            });
            self.stride = self.stride.saturating_mul(2);
        }
    }

    /// The first, the last and as many between as are wanted, in the order they were met.
    pub(super) fn sample(&self) -> Vec<SampledFile> {
        let limit = self.limit.unwrap_or(usize::MAX);
        let (Some(first), Some(last)) = (self.kept.first(), &self.last) else {
            return Vec::new();
        };
        if limit == 1 {
            return vec![first.clone()];
        }
        let mut spread = self.kept.clone();
        if spread.last() != Some(last) {
            spread.push(last.clone());
        }
        if spread.len() <= limit {
            return spread;
        }
        let (steps, end) = (limit - 1, spread.len() - 1);
        (0..limit)
            .filter_map(|step| spread.get(step * end / steps).cloned())
            .collect()
    }
}

/// The format that the extension of a file says, compression left off.
pub(super) fn kind_by_name(path: &str) -> Option<FileFormatKind> {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let mut parts = name.rsplit('.');
    let mut last = parts.next()?;
    if matches!(
        last,
        "gz" | "bz2" | "deflate" | "snappy" | "lz4" | "zst" | "zstd"
    ) {
        last = parts.next()?;
    }
    // A name without a dot is no extension.
    parts.next()?;
    match last {
        "parquet" => Some(FileFormatKind::Parquet),
        "orc" => Some(FileFormatKind::Orc),
        "csv" => Some(FileFormatKind::Csv),
        "json" | "jsonl" | "ndjson" => Some(FileFormatKind::Json),
        "text" | "txt" => Some(FileFormatKind::Text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions() {
        for (name, kind) in [
            ("p=1/part-0.parquet", Some(FileFormatKind::Parquet)),
            ("part-0.snappy.PARQUET", Some(FileFormatKind::Parquet)),
            ("a.zlib.orc", Some(FileFormatKind::Orc)),
            ("a.csv.gz", Some(FileFormatKind::Csv)),
            ("a.jsonl", Some(FileFormatKind::Json)),
            ("a.txt", Some(FileFormatKind::Text)),
            ("000000_0", None),
            ("part-00000-4c2e.c000", None),
            ("parquet", None),
            ("gz", None),
            ("orc.gz", None),
            ("x.parquet/000000_0", None),
        ] {
            assert_eq!(kind_by_name(name), kind, "{name}");
        }
    }

    fn sampled(total: u64, limit: Option<usize>) -> Vec<u64> {
        let mut files = Files::new(None, limit);
        for number in 0..total {
            files.add(format!("{number}.parquet"), number);
        }
        assert_eq!(files.total, total);
        if let Some(limit) = limit {
            assert!(files.kept.len() <= 2 * limit);
        }
        files.sample().iter().map(|file| file.size).collect()
    }

    #[test]
    fn a_sample_is_first_last_and_evenly_between() {
        assert_eq!(sampled(0, Some(4)), [0; 0]);
        assert_eq!(sampled(3, Some(4)), [0, 1, 2]);
        assert_eq!(sampled(10, Some(1)), [0]);
        assert_eq!(sampled(10, Some(2)), [0, 9]);
        assert_eq!(sampled(7, Some(4)), [0, 2, 4, 6]);
        assert_eq!(sampled(1000, None).len(), 1000);
        let many = sampled(100_000, Some(16));
        assert_eq!(many.len(), 16);
        assert_eq!((many[0], many[15]), (0, 99_999));
        // Evenly: none is further from its place than the files that are kept lie apart.
        for (at, number) in many.iter().enumerate() {
            let place = at as u64 * 99_999 / 15;
            assert!(number.abs_diff(place) <= 8192, "{many:?}");
        }
    }

    #[test]
    fn files_of_another_format_than_the_chosen_are_left_out() {
        let mut files = Files::new(Some(FileFormatKind::Orc), None);
        for path in ["a.parquet", "b.orc", "c", "d.csv"] {
            files.add(path.to_owned(), 1);
        }
        let sample = files.sample();
        let names: Vec<&str> = sample.iter().map(|file| file.path.as_str()).collect();
        assert_eq!((names, files.total), (vec!["b.orc", "c"], 4));
    }
}
