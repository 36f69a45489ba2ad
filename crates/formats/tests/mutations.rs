//! Files of every format but text, changed at random: an error that names the file or the rows, no crash, bounded memory.
//!
//! A plain run takes the same few thousand inputs each time. `cargo xtask fuzz` runs for longer with other seeds.

// What cannot be made fails the test that needs it.
#![allow(clippy::panic, clippy::unwrap_used)]

mod common;

use std::alloc::System;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Once};
use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;
use cap::Cap;
use common::{ORC, PARQUET, PATH, columns, data, options, request, runtime};
use ftable_core::{DataField, ErrorKind, FileFormatKind, FormatTableOptions, Options, TableSchema};
use ftable_formats::{Error, ReadRequest, WriteRequest, file_format};
use futures::{StreamExt, TryStreamExt};

#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, usize::MAX);

/// The most memory that the process may ever hold, whatever a small file says of itself.
const MOST_BYTES: usize = 256 * 1024 * 1024;
/// Files of the corpus are no larger, so that whatever takes much memory claims it.
const LARGEST_FILE: u64 = 40 * 1024;
/// Rows are counted up to here: a few bytes may stand for many rows of nothing.
const MOST_BATCHES: usize = 200;
/// Longer than any of these files takes by far.
const LONGEST: Duration = Duration::from_secs(20);

/// Minutes to run for, instead of a number of inputs.
const MINUTES: &str = "FTABLE_FUZZ_MINUTES";

/// Panics of the decoders, which become errors, by their places.
static PANICS: Mutex<BTreeMap<String, u64>> = Mutex::new(BTreeMap::new());

/// A file and the columns that are read of it.
struct Sample {
    name: String,
    bytes: Bytes,
    fields: Arc<[DataField]>,
}

/// Numbers that a seed leads to.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    /// A place in a file: half of them near the end, where a file says what it holds.
    fn place(&mut self, length: usize) -> usize {
        let last = length.min(600);
        match self.below(2) {
            0 => length - last + self.below(last),
            _ => self.below(length),
        }
    }

    /// A number that means much wherever a length or a count is expected.
    fn extreme(&mut self) -> u64 {
        const NUMBERS: [u64; 10] = [
            0,
            1,
            0x7f,
            0xff,
            0xffff,
            0x7fff_ffff,
            0x8000_0000,
            0xffff_ffff,
            0x7fff_ffff_ffff_ffff,
            u64::MAX,
        ];
        NUMBERS[self.below(NUMBERS.len())]
    }
}

/// A file like another, but not quite.
fn changed(bytes: &[u8], others: &[Sample], random: &mut Random) -> Vec<u8> {
    let mut changed = bytes.to_vec();
    for _ in 0..1 + random.below(3) {
        if changed.is_empty() {
            break;
        }
        let at = random.place(changed.len());
        let left = changed.len() - at;
        match random.below(8) {
            // Bits.
            0 | 1 => changed[at] ^= 1 << random.below(8),
            2 => changed[at] = random.next() as u8,
            // The end is cut, or bytes in the middle.
            3 => changed.truncate(at),
            4 => drop(changed.drain(at..at + random.below(left.min(32)))),
            // Lengths, as four or eight bytes or of seven bits each.
            5 => {
                let number = random.extreme().to_le_bytes();
                let width = left.min(if random.below(2) == 0 { 4 } else { 8 });
                changed[at..at + width].copy_from_slice(&number[..width]);
            }
            6 => {
                let mut number = random.extreme();
                let mut varint = Vec::new();
                while number >= 0x80 {
                    varint.push(number as u8 | 0x80);
                    number >>= 7;
                }
                varint.push(number as u8);
                changed.splice(at..at + 1, varint);
            }
            // A piece of another file.
            _ => {
                let other = &others[random.below(others.len())].bytes;
                let from = random.below(other.len());
                let length = (other.len() - from).min(1 + random.below(200));
                let replaced = length.min(left);
                changed.splice(at..at + replaced, other[from..from + length].to_vec());
            }
        }
    }
    changed
}

fn names_file(error: &Error) -> Result<(), String> {
    let kinds = [
        ErrorKind::CorruptFile,
        ErrorKind::TypeMismatch,
        ErrorKind::Unsupported,
    ];
    match error.to_string().contains(PATH) && kinds.contains(&error.kind()) {
        true => Ok(()),
        false => Err(format!("the error is {:?}: {error}", error.kind())),
    }
}

/// How a file is read besides its columns.
#[derive(Debug, Clone, Default)]
struct Way {
    options: Vec<(&'static str, &'static str)>,
    /// Parts of 64 of the file where it is cut; the whole file if there are none.
    range: Option<[u8; 2]>,
}

impl Way {
    /// What the options of a text format are set to, and a range. Footers say where their files may be cut.
    fn random(kind: FileFormatKind, random: &mut Random) -> Self {
        let settings: &[(&'static str, &[&'static str])] = match kind {
            FileFormatKind::Csv => &[
                ("csv.mode", &["permissive", "dropmalformed", "failfast"]),
                ("csv.include-header", &["false", "true"]),
                ("csv.field-delimiter", &[",", ";", "\t", "é", "1"]),
                ("csv.quote-character", &["\"", "'", "\0"]),
                ("csv.null-literal", &["", "\\N", "1"]),
            ],
            FileFormatKind::Json => &[("json.ignore-parse-errors", &["false", "true"])],
            _ => return Self::default(),
        };
        let setting = |(key, values): &(&'static str, &[&'static str])| {
            (*key, values[random.below(values.len())])
        };
        let options = settings.iter().map(setting).collect();
        let mut ends = [random.below(65) as u8, random.below(65) as u8];
        ends.sort_unstable();
        Self {
            options,
            range: (random.below(2) == 0 && ends[0] < ends[1]).then_some(ends),
        }
    }

    fn request(
        &self,
        kind: FileFormatKind,
        bytes: &Bytes,
        fields: &Arc<[DataField]>,
    ) -> ReadRequest {
        let size = bytes.len() as u64;
        let cut = |[start, end]: [u8; 2]| u64::from(start) * size / 64..u64::from(end) * size / 64;
        ReadRequest {
            options: options(kind, &self.options),
            range: self.range.map(cut).filter(|range| !range.is_empty()),
            ..request(kind, bytes, fields)
        }
    }
}

/// Whether the file could be read; `Err` says what must not be.
fn look_at(kind: FileFormatKind, bytes: &Bytes, fields: &Arc<[DataField]>) -> Result<bool, String> {
    look_in_a_way(kind, bytes, fields, &Way::default())
}

fn look_in_a_way(
    kind: FileFormatKind,
    bytes: &Bytes,
    fields: &Arc<[DataField]>,
    way: &Way,
) -> Result<bool, String> {
    let start = Instant::now();
    let format = file_format(kind);
    let outcome = runtime().block_on(async {
        let request = way.request(kind, bytes, fields);
        if let Err(error) = format.count_rows(request.clone()).await {
            names_file(&error)?;
        }
        let mut stream = match format.read(request).await {
            Ok(stream) => stream,
            Err(error) => return names_file(&error).map(|()| false),
        };
        for _ in 0..MOST_BATCHES {
            match stream.next().await {
                Some(Ok(batch)) => assert!(batch.num_rows() <= 1024),
                Some(Err(error)) => return names_file(&error).map(|()| false),
                None => break,
            }
        }
        Ok(true)
    });
    let most = MEMORY.max_allocated();
    if most > MOST_BYTES {
        return Err(format!("it took {most} bytes of memory"));
    }
    match start.elapsed() {
        elapsed if elapsed > LONGEST => Err(format!("it took {elapsed:?}")),
        _ => outcome,
    }
}

/// The files that changes are made to.
fn corpus(kind: FileFormatKind) -> Vec<Sample> {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden");
    let mut samples = Vec::new();
    for table in sorted(&golden) {
        let Ok(text) = std::fs::read_to_string(table.join("table.json")) else {
            continue;
        };
        let is_of_kind = text.contains(&format!("\"{}\"", kind.name()));
        // One file of each table: its others are alike.
        let must_fail = table.join("expected-error.json").exists();
        if let (true, false, Some(path)) = (is_of_kind, must_fail, first_file(&table.join("data")))
        {
            samples.push(sample(&path, data_fields(&text)));
        }
    }
    for (name, ddl) in DATA {
        if name.ends_with(kind.name()) {
            samples.push(sample(&data().join(name), columns(ddl)));
        }
    }
    if has_lines(kind) {
        // Compressed under other names, or of other options than the default ones.
        samples.retain(|sample| look_at(kind, &sample.bytes, &sample.fields) == Ok(true));
    } else {
        let all_types = samples
            .iter()
            .find(|sample| sample.name.contains("data/types."));
        let rewritten: Vec<Sample> = codecs(kind)
            .iter()
            .map(|codec| rewritten(kind, codec, all_types.unwrap()))
            .collect();
        samples.extend(rewritten);
    }
    assert!(samples.len() > 4, "{} samples", samples.len());
    samples
}

fn has_lines(kind: FileFormatKind) -> bool {
    matches!(
        kind,
        FileFormatKind::Csv | FileFormatKind::Json | FileFormatKind::Text
    )
}

fn codecs(kind: FileFormatKind) -> &'static [&'static str] {
    match kind {
        ORC => &["none", "zlib", "snappy", "lz4", "zstd"],
        _ => &["none", "snappy", "gzip", "lz4", "lz4_raw", "zstd", "brotli"],
    }
}

/// The rows of a file as our own writer puts them, with what it can be asked for.
fn rewritten(kind: FileFormatKind, codec: &str, of: &Sample) -> Sample {
    let format = file_format(kind);
    let options = Options::from([
        ("file.format", kind.name()),
        ("file.compression", codec),
        ("orc.row.index.stride", "1000"),
        ("orc.bloom.filter.columns", "string"),
    ]);
    let mut encoder = format
        .encoder(WriteRequest {
            fields: Arc::clone(&of.fields),
            options: Arc::new(FormatTableOptions::resolve(&options).unwrap()),
        })
        .unwrap();
    let rows = runtime().block_on(async {
        let stream = format.read(request(kind, &of.bytes, &of.fields)).await;
        stream.unwrap().try_collect::<Vec<_>>().await.unwrap()
    });
    let mut bytes = Vec::new();
    for batch in rows.iter().chain(&rows) {
        encoder.write(batch).unwrap();
        encoder.flush().unwrap();
        bytes.extend_from_slice(&encoder.take_bytes());
    }
    bytes.extend_from_slice(&encoder.finish().unwrap());
    Sample {
        name: format!("{}, written in {codec}", of.name),
        bytes: bytes.into(),
        fields: Arc::clone(&of.fields),
    }
}

/// The files of `data` with the columns that are read of them.
const DATA: [(&str, &str); 4] = [
    (
        "types.parquet",
        "int8 INT, int32_small TINYINT, dec_5_2 DECIMAL(9, 4), dec_30_2 DECIMAL(38, 4), string CHAR(9), half DOUBLE, \
         time_us TIME(3), ts_us_far TIMESTAMP(6), uuid BYTES, null INT, list_struct ARRAY<ROW<a INT, z STRING>>, \
         map_int16 MAP<STRING, BIGINT>, struct_list ROW<l ARRAY<INT>>",
    ),
    (
        "int96.parquet",
        "even TIMESTAMP(3), odd TIMESTAMP(6), fine TIMESTAMP(9)",
    ),
    (
        "types.orc",
        "int8 INT, dec_5_2 DECIMAL(9, 4), dec_30_2 DECIMAL(38, 4), string CHAR(9), int32_day TIME(3), \
         ts_fine TIMESTAMP(9), instant TIMESTAMP(6) WITH LOCAL TIME ZONE, list_struct ARRAY<ROW<a INT, z STRING>>, \
         map_int16 MAP<STRING, BIGINT>, struct_list ROW<l ARRAY<INT>>",
    ),
    (
        "hive.orc",
        "char5 CHAR(5), varchar5 VARCHAR(9), far TIMESTAMP(3)",
    ),
];

fn sample(path: &Path, fields: Arc<[DataField]>) -> Sample {
    Sample {
        name: path.display().to_string(),
        bytes: std::fs::read(path).unwrap().into(),
        fields,
    }
}

/// The columns of a golden table that lie in its files.
fn data_fields(text: &str) -> Arc<[DataField]> {
    let at = text.find("\"fields\"").unwrap();
    let rest = &text[at..];
    let from = rest.find('[').unwrap();
    let mut depth = 0;
    let length = rest[from..]
        .find(|character| {
            depth += i32::from(character == '[') - i32::from(character == ']');
            depth == 0
        })
        .unwrap();
    let schema = format!(
        "{{\"version\": 3, \"id\": 0, \"fields\": {}, \"highestFieldId\": 99, \"partitionKeys\": [], \
         \"primaryKeys\": [], \"options\": {{}}, \"timeMillis\": 0}}",
        &rest[from..=from + length]
    );
    let fields = TableSchema::from_json(&schema).unwrap().fields;
    let (_, keys) = text.split_once("\"partitionKeys\"").unwrap();
    let keys = keys.split(']').next().unwrap();
    let is_key = |field: &DataField| keys.contains(&format!("\"{}\"", field.name));
    fields.into_iter().filter(|field| !is_key(field)).collect()
}

fn sorted(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// The first data file of a table that has bytes and not too many.
fn first_file(directory: &Path) -> Option<PathBuf> {
    sorted(directory).into_iter().find_map(|path| {
        let hidden = path.file_name()?.to_str()?.starts_with(['_', '.']);
        match (hidden, path.is_dir()) {
            (true, _) => None,
            (false, true) => first_file(&path),
            (false, false) => {
                let size = path.metadata().ok()?.len();
                (100..LARGEST_FILE).contains(&size).then_some(path)
            }
        }
    })
}

/// Where inputs are kept that must not do what they did.
fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/fuzz")
}

fn mutate(kind: FileFormatKind, inputs: u64) {
    let samples = corpus(kind);
    for sample in &samples {
        match look_at(kind, &sample.bytes, &sample.fields) {
            Ok(true) => {}
            other => panic!("{}: {other:?}", sample.name),
        }
    }
    count_panics();
    let minutes: Option<f64> = std::env::var(MINUTES)
        .ok()
        .map(|text| text.parse().unwrap());
    let (end, seed) = match minutes {
        Some(minutes) => {
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
            let end = Instant::now() + Duration::from_secs_f64(minutes * 60.0);
            (Some(end), now.unwrap().as_nanos() as u64)
        }
        None => (None, 7),
    };
    let mut random = Random(seed);
    let (mut count, mut readable, mut slowest) = (0_u64, 0_u64, Duration::ZERO);
    while end.map_or(count < inputs, |end| Instant::now() < end) {
        let sample = &samples[random.below(samples.len())];
        let input = Bytes::from(changed(&sample.bytes, &samples, &mut random));
        if end.is_some() {
            // What ends the process is found here.
            keep("last", kind, &input);
        }
        let way = Way::random(kind, &mut random);
        let start = Instant::now();
        match look_in_a_way(kind, &input, &sample.fields, &way) {
            Ok(read) => readable += u64::from(read),
            Err(fault) => {
                let path = keep(&format!("{seed}-{count}"), kind, &input);
                panic!(
                    "{}, changed, {way:?}: {fault}; it is {}",
                    sample.name,
                    path.display()
                );
            }
        }
        slowest = slowest.max(start.elapsed());
        count += 1;
    }
    let panics = std::mem::take(&mut *PANICS.lock().unwrap());
    println!(
        "{}: {count} inputs of {} files from seed {seed}: {readable} readable, {} refused, {} of them where a decoder \
         panicked; at most {} KiB of memory, {slowest:?} for one",
        kind.name(),
        samples.len(),
        count - readable,
        panics.values().sum::<u64>(),
        MEMORY.max_allocated() / 1024,
    );
    for (place, times) in panics {
        println!("  panicked {times} times at {place}");
    }
}

fn keep(name: &str, kind: FileFormatKind, input: &Bytes) -> PathBuf {
    std::fs::create_dir_all(kept()).unwrap();
    let path = kept().join(format!("{name}.{}", kind.name()));
    std::fs::write(&path, input).unwrap();
    path
}

/// Decoders panic on threads of their own, where it becomes an error: such panics are counted and not printed.
fn count_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(hook);
}

fn hook() {
    let tests = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let thread = std::thread::current();
        match thread.name() {
            Some(name) if name.starts_with("tokio") => {
                let place = info
                    .location()
                    .map_or_else(String::new, ToString::to_string);
                // Without the folder that packages are unpacked to.
                let place = place.rsplit_once("/src/").map_or(&*place, |(_, file)| file);
                *PANICS.lock().unwrap().entry(place.to_owned()).or_insert(0) += 1;
            }
            _ => tests(info),
        }
    }));
}

/// One test after the other, as memory and panics are counted for the process.
static TURN: Mutex<()> = Mutex::new(());

#[test]
fn changed_parquet_files_are_refused_or_read_in_bounded_memory() {
    let _turn = TURN.lock();
    mutate(PARQUET, 3_000);
}

#[test]
fn changed_orc_files_are_refused_or_read_in_bounded_memory() {
    let _turn = TURN.lock();
    mutate(ORC, 3_000);
}

#[test]
fn changed_csv_files_are_refused_or_read_in_bounded_memory() {
    let _turn = TURN.lock();
    mutate(FileFormatKind::Csv, 3_000);
}

#[test]
fn changed_json_files_are_refused_or_read_in_bounded_memory() {
    let _turn = TURN.lock();
    mutate(FileFormatKind::Json, 3_000);
}

/// Inputs that once did what they must not.
#[test]
fn inputs_that_were_found_are_refused_or_read() {
    for path in sorted(&data().join("found")) {
        let kind = match path.extension().and_then(|extension| extension.to_str()) {
            Some("parquet") => PARQUET,
            Some("orc") => ORC,
            Some("csv") => FileFormatKind::Csv,
            Some("json") => FileFormatKind::Json,
            _ => panic!("{}: its ending names no format", path.display()),
        };
        let input: Bytes = std::fs::read(&path).unwrap().into();
        // The options that an input was found with are not kept with it.
        let mut random = Random(7);
        let ways = [(); 20].map(|()| Way::random(kind, &mut random));
        let ways = if has_lines(kind) {
            &ways[..]
        } else {
            &ways[..1]
        };
        for sample in corpus(kind) {
            for way in ways {
                if let Err(fault) = look_in_a_way(kind, &input, &sample.fields, way) {
                    panic!("{}, {way:?}: {fault}", path.display());
                }
            }
        }
    }
}
