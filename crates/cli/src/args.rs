//! The arguments, and the texts that `--help` shows.

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::input::InputFormat;
use crate::render::OutputFormat;

const ABOUT: &str =
    "Format tables: directories of Parquet or ORC files in Hive layout, read and written as tables";

const LONG_ABOUT: &str = "\
Format tables: directories of Parquet or ORC files in Hive layout, read and written as tables.

A table is named db.t in a warehouse directory (--warehouse), or is a directory of any engine (--path).
Start with `ftable demo`, which makes a table in a temporary directory and tells what it does.";

const AFTER: &str = "\
Examples:
  ftable --warehouse ./wh create db.events --schema 'id BIGINT NOT NULL, name STRING, dt DATE' --partitioned-by dt
  ftable --warehouse ./wh insert db.events day1.parquet
  ftable --warehouse ./wh scan db.events --where \"dt >= DATE '2024-01-01'\" --columns id,name
  ftable --warehouse ./wh infer --path ./events --register db.events
  ftable scan --path ./events --limit 10

Exit codes: 0 done; 1 refused or failed, with one line on stderr; 2 wrong usage.";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(name = "ftable", version, about = ABOUT, long_about = LONG_ABOUT, after_help = AFTER, max_term_width = 120)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every verb takes, before the verb or behind it.
#[derive(Debug, Default, Clone, Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct Global {
    /// Directory that holds the databases: a path or a URI such as file:///data/wh
    #[arg(long, value_name = "URI")]
    pub(crate) warehouse: Option<String>,
    /// Option of the catalog, or of the table for this call; repeatable
    #[arg(short = 'c', long = "conf", value_name = "KEY=VALUE", value_parser = key_value)]
    pub(crate) options: Vec<(String, String)>,
    /// How output is written [default: table on a terminal, else json]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) output: Option<OutputFormat>,
    /// No warnings and no progress on stderr
    #[arg(long)]
    pub(crate) quiet: bool,
}

impl Global {
    /// What was given behind the verb, over what was given before it.
    pub(crate) fn merged_over(self, before: Self) -> Self {
        Self {
            warehouse: self.warehouse.or(before.warehouse),
            options: before.options.into_iter().chain(self.options).collect(),
            output: self.output.or(before.output),
            quiet: self.quiet || before.quiet,
        }
    }
}

/// A verb's own arguments with those of every verb.
#[derive(Debug, Args)]
pub(crate) struct Verb<T: Args> {
    #[command(flatten)]
    pub(crate) own: T,
    #[command(flatten)]
    pub(crate) global: Global,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create a table, and its database
    #[command(after_help = "\
Example:
  ftable --warehouse ./wh create shop.orders \\
      --schema 'id BIGINT NOT NULL, item STRING, price DECIMAL(10, 2), dt DATE' \\
      --partitioned-by dt -o file.format=parquet

Types: BOOLEAN TINYINT SMALLINT INT BIGINT FLOAT DOUBLE DECIMAL(p, s) CHAR(n) VARCHAR(n) STRING BINARY(n) BYTES DATE
TIME TIMESTAMP(p) [WITH LOCAL TIME ZONE] ARRAY<T> MAP<K, V> ROW<a T, ...>, each optionally NOT NULL")]
    Create(Verb<CreateArgs>),
    /// Find the schema of a directory of files; print it, or make the directory a table
    #[command(after_help = "\
Example:
  ftable infer --path ./events
  ftable --warehouse ./wh infer --path ./events --register db.events

Partition keys come from directories named key=value, or with --partition-keys from those named by values alone; the
format comes from the names or first bytes of the files, the columns from the schemas of a sample of files or of all.
A partition column is INT, BIGINT or DATE where every value is spelled as that type is, else STRING. What can be read in
two ways is refused. Prints the CREATE TABLE statement (--output json: a schema file for --schema), or with --register
keeps the schema in the warehouse; the files stay where they are.")]
    Infer(Verb<InferArgs>),
    /// Drop a table and, unless they lie outside the warehouse, its files
    #[command(after_help = "Example:\n  ftable --warehouse ./wh drop shop.orders")]
    Drop(Verb<DropArgs>),
    /// List the databases
    #[command(after_help = "Example:\n  ftable --warehouse ./wh databases")]
    Databases(Verb<NoArgs>),
    /// List the tables of one database or of all
    #[command(after_help = "Example:\n  ftable --warehouse ./wh tables shop")]
    Tables(Verb<TablesArgs>),
    /// Show the columns, partition keys and options of a table
    #[command(after_help = "\
Example:
  ftable --warehouse ./wh schema shop.orders
  ftable --warehouse ./wh schema shop.orders --output json   # as a Paimon schema file")]
    Schema(Verb<SchemaArgs>),
    /// Append rows from files, or replace rows by them
    #[command(
        override_usage = "ftable insert [OPTIONS] <TABLE> <FILE>...\n       ftable insert [OPTIONS] --path <LOCATION> <FILE>...",
        after_help = "\
Example:
  ftable --warehouse ./wh insert shop.orders day1.parquet day2.parquet
  ftable --warehouse ./wh insert shop.orders --partition dt=2024-01-01 day1.csv
  cat rows.jsonl | ftable --warehouse ./wh insert shop.orders --input-format json -

Columns are matched by name; a nullable column that a file does not have becomes NULL. Rows go to the partitions
that their own columns name, or with --partition all to that one. All files are committed together, or none.

With --overwrite rows are replaced: those of the partitions written to (--overwrite-mode dynamic, the default), of the
partition named by --partition (static), or of the whole table (table). A crash in the middle loses nothing:
`ftable repair` finishes it or brings the old rows back.
  ftable --warehouse ./wh insert shop.orders --overwrite --partition dt=2024-01-01 day1.parquet
  ftable --warehouse ./wh insert shop.orders --overwrite --dry-run day1.parquet   # lists what would go
In csv the first line is the header, an empty field is NULL, \"\" is the empty text; in json each line is an object.
BINARY columns are base64 there. Prints rows, files, bytes and partitions written."
    )]
    Insert(Verb<InsertArgs>),
    /// Print rows, or write them to a file
    #[command(after_help = "\
Example:
  ftable --warehouse ./wh scan shop.orders --where \"dt >= DATE '2024-01-01' AND price > 10\" --columns id,price
  ftable --warehouse ./wh scan shop.orders --to orders.parquet
  ftable scan --path ./events --limit 10
  ftable scan --path ./events --schema 'id INT, name STRING, dt DATE' --partitioned-by dt")]
    Scan(Verb<ScanArgs>),
    /// Count rows, from file footers where that is exact
    #[command(
        after_help = "Example:\n  ftable --warehouse ./wh count shop.orders --where \"dt = DATE '2024-01-01'\""
    )]
    Count(Verb<FilteredArgs>),
    /// List the partitions, empty ones included
    #[command(
        after_help = "Example:\n  ftable --warehouse ./wh partitions shop.orders --where \"dt >= DATE '2024-01-01'\""
    )]
    Partitions(Verb<FilteredArgs>),
    /// List the files that a scan reads, split by split
    #[command(
        after_help = "Example:\n  ftable --warehouse ./wh files shop.orders --where \"dt = DATE '2024-01-01'\""
    )]
    Files(Verb<FilteredArgs>),
    /// Remove the rows of a table or of partitions; the directories of partitions stay
    #[command(
        after_help = "Example:\n  ftable --warehouse ./wh truncate shop.orders --partition dt=2024-01-01"
    )]
    Truncate(Verb<TruncateArgs>),
    /// Remove a partition, or all below a prefix of keys: its rows and its directory
    #[command(
        after_help = "Example:\n  ftable --warehouse ./wh drop-partition shop.orders --partition dt=2024-01-01"
    )]
    DropPartition(Verb<DropPartitionArgs>),
    /// Register a partition in the catalog that manages the table's partitions, and make its directory
    #[command(after_help = "\
Example:
  ftable -c metastore=rest -c uri=http://localhost:8080 add-partition shop.orders --partition dt=2024-01-01

Files that lie in the partition's directory already are rows of the table from then on.")]
    AddPartition(Verb<AddPartitionArgs>),
    /// Measure partitions and have the catalog that manages them take the numbers in place of its own
    #[command(after_help = "\
Example:
  ftable -c metastore=rest -c uri=http://localhost:8080 analyze shop.orders --partition dt=2024-01-01

Counts files and bytes, and the rows from the footers of all files unless --no-scan is given. Prints a line a partition.")]
    Analyze(Verb<AnalyzeArgs>),
    /// Finish or undo what a process left when it died; register directories as partitions
    #[command(after_help = "\
Example:
  ftable --warehouse ./wh repair shop.orders --dry-run

Interrupted overwrites are finished where they had published everything, and else undone. Staged files that lay untouched
for a day are removed. What may still be under way is left to its process, unless --now says that there is none.

Where a catalog manages the table's partitions, directories that it does not know are registered then, as --add says.
--drop unregisters partitions that have no directory in place of that, and --sync does both. No data file is touched.")]
    Repair(Verb<RepairArgs>),
    /// Show the main job end to end in a temporary directory
    #[command(after_help = "Example:\n  ftable demo")]
    Demo(Verb<NoArgs>),
}

/// Nothing.
#[derive(Debug, Args)]
pub(crate) struct NoArgs {}

/// A directory in place of a table's name.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct PathArgs {
    /// Directory of the table, in place of its name
    #[arg(long, value_name = "LOCATION")]
    pub(crate) path: Option<String>,
    /// Columns of the table at --path ('id INT, dt DATE'), or a FILE.json with members fields, partitionKeys, options;
    /// without it the schema that lies under the path, else one inferred from the files
    #[arg(long, value_name = "DDL|FILE.json", requires = "path")]
    pub(crate) schema: Option<String>,
    /// Partition keys of the table at --path, in the order of the directories
    #[arg(
        long,
        value_name = "COLUMNS",
        value_delimiter = ',',
        requires = "schema"
    )]
    pub(crate) partitioned_by: Vec<String>,
    /// Format of the files at --path: parquet or orc [default: parquet with --schema, else what the files are]
    #[arg(long, value_name = "FORMAT", requires = "path")]
    pub(crate) format: Option<String>,
    /// Partition keys of the directories at --path that are named by values alone, where no schema says them
    #[arg(
        long,
        value_name = "COLUMNS",
        value_delimiter = ',',
        requires = "path",
        conflicts_with = "schema"
    )]
    pub(crate) partition_keys: Vec<String>,
    /// How many files at --path a schema is inferred from: a number, or all [default: 16]
    #[arg(long, value_name = "FILES", value_parser = sample, requires = "path", conflicts_with = "schema")]
    pub(crate) sample: Option<Sample>,
}

/// How many files a schema is inferred from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sample {
    /// This many, at least one.
    Files(usize),
    /// Every one.
    All,
}

/// `infer`
#[derive(Debug, Args)]
pub(crate) struct InferArgs {
    /// Directory of the files
    #[arg(long, value_name = "LOCATION")]
    pub(crate) path: String,
    /// Make it a table of the warehouse under this name; the files stay where they are
    #[arg(long, value_name = "TABLE")]
    pub(crate) register: Option<String>,
    /// Do nothing if the table exists
    #[arg(long, requires = "register")]
    pub(crate) if_not_exists: bool,
    /// Format of the files: parquet or orc [default: what the files are]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<String>,
    /// Partition keys in the order of the directories, where these are named by values alone
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub(crate) partition_keys: Vec<String>,
    /// How many files are looked at: the first, the last and between, evenly; a number, or all [default: 16]
    #[arg(long, value_name = "FILES", value_parser = sample, conflicts_with = "all")]
    pub(crate) sample: Option<Sample>,
    /// Look at every file, as --sample all does
    #[arg(long)]
    pub(crate) all: bool,
    /// Option of the table, such as partition.default-name=none; repeatable
    #[arg(short = 'o', long = "option", value_name = "KEY=VALUE", value_parser = key_value)]
    pub(crate) table_options: Vec<(String, String)>,
}

/// One table.
#[derive(Debug, Clone, Args)]
pub(crate) struct TableArgs {
    /// Table in the warehouse, as db.t
    #[arg(value_name = "TABLE", required_unless_present = "path")]
    pub(crate) table: Option<String>,
    #[command(flatten)]
    pub(crate) place: PathArgs,
}

/// `create`
#[derive(Debug, Args)]
pub(crate) struct CreateArgs {
    /// Table to create, as db.t
    #[arg(value_name = "TABLE")]
    pub(crate) table: String,
    /// Columns ('id INT NOT NULL, dt DATE'), or a FILE.json with members fields, partitionKeys, options
    #[arg(long, value_name = "DDL|FILE.json")]
    pub(crate) schema: String,
    /// Partition keys, in the order of the directories
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub(crate) partitioned_by: Vec<String>,
    /// Option of the table, such as file.format=orc; repeatable
    #[arg(short = 'o', long = "option", value_name = "KEY=VALUE", value_parser = key_value)]
    pub(crate) table_options: Vec<(String, String)>,
    /// Keep the data there; only the schema lies in the warehouse, and dropping the table keeps the data
    #[arg(long, value_name = "URI")]
    pub(crate) location: Option<String>,
    /// Do nothing if the table exists
    #[arg(long)]
    pub(crate) if_not_exists: bool,
}

/// `drop`
#[derive(Debug, Args)]
pub(crate) struct DropArgs {
    /// Table to drop, as db.t
    #[arg(value_name = "TABLE")]
    pub(crate) table: String,
}

/// `tables`
#[derive(Debug, Args)]
pub(crate) struct TablesArgs {
    /// Database; without it all of them
    #[arg(value_name = "DATABASE")]
    pub(crate) database: Option<String>,
}

/// `schema`
#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
}

/// `insert`
#[derive(Debug, Args)]
pub(crate) struct InsertArgs {
    /// Table, then files; with --path all are files, and - is the standard input
    #[arg(value_name = "TABLE|FILE", required = true)]
    pub(crate) operands: Vec<String>,
    #[command(flatten)]
    pub(crate) place: PathArgs,
    /// Format of the files [default: by their extensions]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) input_format: Option<InputFormat>,
    /// Write all rows to this partition: a value for every partition key, or with --overwrite the first keys
    #[arg(long, value_name = "KEY=VALUE,...", value_delimiter = ',', value_parser = key_value)]
    pub(crate) partition: Vec<(String, String)>,
    /// Replace rows instead of adding to them
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// What is replaced [default: static with --partition, else as the table's options say]
    #[arg(long, value_name = "MODE", requires = "overwrite")]
    pub(crate) overwrite_mode: Option<OverwriteMode>,
    /// Only list the files that would be replaced
    #[arg(long, requires = "overwrite")]
    pub(crate) dry_run: bool,
}

/// What an overwrite replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OverwriteMode {
    /// The partitions that rows are written to
    Dynamic,
    /// The partition named by --partition, or all below it
    Static,
    /// The whole table
    Table,
}

/// `truncate`
#[derive(Debug, Args)]
pub(crate) struct TruncateArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
    /// Only this partition, or all below these first keys
    #[arg(long, value_name = "KEY=VALUE,...", value_delimiter = ',', value_parser = key_value)]
    pub(crate) partition: Vec<(String, String)>,
}

/// `drop-partition`
#[derive(Debug, Args)]
pub(crate) struct DropPartitionArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
    /// The partition, or the first keys of several
    #[arg(long, value_name = "KEY=VALUE,...", value_delimiter = ',', value_parser = key_value, required = true)]
    pub(crate) partition: Vec<(String, String)>,
}

/// `add-partition`
#[derive(Debug, Args)]
pub(crate) struct AddPartitionArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
    /// The partition: a value for every partition key
    #[arg(long, value_name = "KEY=VALUE,...", value_delimiter = ',', value_parser = key_value, required = true)]
    pub(crate) partition: Vec<(String, String)>,
    /// Do nothing if the partition is registered
    #[arg(long)]
    pub(crate) if_not_exists: bool,
}

/// `analyze`
#[derive(Debug, Args)]
pub(crate) struct AnalyzeArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
    /// Only this partition, or all below these first keys
    #[arg(long, value_name = "KEY=VALUE,...", value_delimiter = ',', value_parser = key_value)]
    pub(crate) partition: Vec<(String, String)>,
    /// Do not count rows, which reads the footer of every file
    #[arg(long)]
    pub(crate) no_scan: bool,
}

/// `repair`
#[derive(Debug, Args)]
pub(crate) struct RepairArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
    /// Register directories that the catalog does not know as partitions; the default where it manages partitions
    #[arg(long, conflicts_with_all = ["drop", "sync"])]
    pub(crate) add: bool,
    /// Unregister partitions that have no directory
    #[arg(long, conflicts_with = "sync")]
    pub(crate) drop: bool,
    /// Both
    #[arg(long)]
    pub(crate) sync: bool,
    /// Only tell what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not wait for commits that may still be under way: no other process works on the table
    #[arg(long)]
    pub(crate) now: bool,
}

/// A table and a filter.
#[derive(Debug, Args)]
pub(crate) struct FilteredArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
    /// Only what matches, as a SQL condition: "dt >= DATE '2024-01-01' AND name LIKE 'a%'"
    #[arg(long = "where", value_name = "EXPR")]
    pub(crate) filter: Option<String>,
}

/// `scan`
#[derive(Debug, Args)]
pub(crate) struct ScanArgs {
    #[command(flatten)]
    pub(crate) filtered: FilteredArgs,
    /// Columns to read, in this order [default: all, in the table's order]
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub(crate) columns: Option<Vec<String>>,
    /// At most this many rows
    #[arg(long, value_name = "ROWS")]
    pub(crate) limit: Option<u64>,
    /// Begin each row with the column _VALUE_KIND (0 = inserted)
    #[arg(long)]
    pub(crate) value_kind: bool,
    /// Write the rows to a file whose extension says the format: .parquet, .orc, .csv, .json or .arrow
    #[arg(long, value_name = "FILE")]
    pub(crate) to: Option<String>,
}

/// A number of files, or all of them.
fn sample(text: &str) -> Result<Sample, String> {
    match text.parse() {
        _ if text.eq_ignore_ascii_case("all") => Ok(Sample::All),
        Ok(files) if files > 0 => Ok(Sample::Files(files)),
        _ => Err("it must be a number of files, at least 1, or all".to_owned()),
    }
}

/// `key=value` at the first equals sign.
fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => {
            Ok((key.trim().to_owned(), value.to_owned()))
        }
        _ => Err("it must be KEY=VALUE".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn global_options_before_and_behind_the_verb_add_up() {
        let line =
            "ftable -c a=1 --warehouse x --output csv databases -c b=2=3 --warehouse y --quiet";
        let cli = Cli::try_parse_from(line.split(' ')).unwrap();
        let Command::Databases(verb) = cli.command else {
            panic!("another verb")
        };
        let merged = verb.global.merged_over(cli.global);
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(merged.options, [pair("a", "1"), pair("b", "2=3")]);
        assert_eq!(merged.warehouse.as_deref(), Some("y"));
        assert_eq!(merged.output, Some(OutputFormat::Csv));
        assert!(merged.quiet);
    }

    #[test]
    fn a_table_is_a_name_or_a_path() {
        for (line, accepted) in [
            ("ftable scan db.t", true),
            ("ftable scan --path d", true),
            ("ftable scan", false),
            ("ftable scan db.t --schema x", false),
            ("ftable scan --path d --partitioned-by x", false),
            (
                "ftable scan --path d --schema x --partitioned-by x --format orc",
                true,
            ),
            ("ftable scan --path d --partition-keys y,m --sample 3", true),
            ("ftable scan --path d --sample all --format orc", true),
            ("ftable scan --path d --sample 0", false),
            ("ftable scan --path d --schema x --partition-keys y", false),
            ("ftable scan db.t --sample 3", false),
            (
                "ftable infer --path d --register db.t --if-not-exists --all",
                true,
            ),
            ("ftable infer --path d --sample 3 -o a=b", true),
            ("ftable infer --path d --sample 3 --all", false),
            ("ftable infer --path d --if-not-exists", false),
            ("ftable infer", false),
            ("ftable scan db.t u", false),
            ("ftable insert db.t -", true),
            ("ftable insert", false),
            ("ftable -c novalue databases", false),
            ("ftable", false),
            ("ftable truncate db.t", true),
            ("ftable drop-partition db.t", false),
            ("ftable insert db.t f --dry-run", false),
            (
                "ftable add-partition db.t --partition a=1,b=2 --if-not-exists",
                true,
            ),
            ("ftable add-partition db.t", false),
            ("ftable analyze db.t --partition a=1 --no-scan", true),
            ("ftable repair db.t --sync --dry-run", true),
            ("ftable repair db.t --add --drop", false),
            ("ftable repair db.t --drop --sync", false),
        ] {
            let parsed = Cli::try_parse_from(line.split(' '));
            assert_eq!(
                parsed.is_ok(),
                accepted,
                "{line}: {:?}",
                parsed.err().map(|error| error.to_string())
            );
        }
    }
}
