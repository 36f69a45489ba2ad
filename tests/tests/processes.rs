//! Processes that write one table at the same time.

#![allow(clippy::unwrap_used)] // what cannot be made fails the test that needs it

mod common;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{ID_AND_P, Place, append, commit, ids_and_p, lines_of, schema, stage};
use ftable::{CommitMessage, FormatTable};

/// Where the table lies; set in children only.
const LOCATION: &str = "FTABLE_TEST_LOCATION";
const NUMBER: &str = "FTABLE_TEST_NUMBER";
/// Directory of files with messages to commit, for children that compete.
const MESSAGES: &str = "FTABLE_TEST_MESSAGES";

const PROCESSES: usize = 4;
const COMMITS: i64 = 10;
const ROUNDS: usize = 15;

fn rows_of(process: usize, commit: i64) -> [(i64, Option<&'static str>); 3] {
    let id = process as i64 * 1000 + commit * 10;
    [(id, Some("a")), (id + 1, Some("b")), (id + 2, None)]
}

/// Says that this process is here, and waits for the others.
fn wait_for_all(directory: &Path, number: usize) {
    std::fs::write(directory.join(format!("ready-{number}")), "").unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while !(0..PROCESSES).all(|other| directory.join(format!("ready-{other}")).exists()) {
        assert!(Instant::now() < deadline, "a process is missing");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Not a test of its own: does the work of one process when another test starts it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn child() {
    let (Ok(location), Ok(number)) = (std::env::var(LOCATION), std::env::var(NUMBER)) else {
        return;
    };
    let number: usize = number.parse().unwrap();
    let builder = FormatTable::builder(&location).unwrap();
    let table = builder
        .schema(schema(ID_AND_P, &["p"], &[]))
        .open()
        .await
        .unwrap();
    let beside = Path::new(&location).parent().unwrap();
    wait_for_all(beside, number);
    let Ok(messages) = std::env::var(MESSAGES) else {
        for number_of_commit in 0..COMMITS {
            append(&table, ids_and_p(&rows_of(number, number_of_commit)))
                .await
                .unwrap();
        }
        return;
    };
    let mut won = Vec::new();
    for round in 0..ROUNDS {
        let text = std::fs::read_to_string(format!("{messages}/{round}")).unwrap();
        let messages: Vec<CommitMessage> = serde_json::from_str(&text).unwrap();
        if commit(&table, messages).await.is_ok() {
            won.push(round.to_string());
        }
    }
    std::fs::write(beside.join(format!("won-{number}")), won.join("\n")).unwrap();
}

fn start(place: &Place, messages: Option<&Path>) -> Vec<Child> {
    let child = |number: usize| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "child", "--nocapture"])
            .env(LOCATION, place.root())
            .env(NUMBER, number.to_string())
            .stdout(Stdio::null());
        if let Some(messages) = messages {
            command.env(MESSAGES, messages);
        }
        command.spawn().unwrap()
    };
    (0..PROCESSES).map(child).collect()
}

fn is_child() -> bool {
    std::env::var(LOCATION).is_ok()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_that_append_lose_nothing_and_readers_never_fail() {
    if is_child() {
        return;
    }
    let place = Place::new(ID_AND_P, &["p"], &[]).await;
    let mut children = start(&place, None);
    let (mut scans, mut before) = (0, BTreeSet::new());
    while children
        .iter_mut()
        .any(|child| child.try_wait().unwrap().is_none())
    {
        let rows = place.rows().await;
        let seen: BTreeSet<String> = rows.iter().cloned().collect();
        assert_eq!(seen.len(), rows.len(), "a row is there twice");
        assert!(seen.is_superset(&before), "a row is gone");
        before = seen;
        scans += 1;
    }
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let commits =
        (0..PROCESSES).flat_map(|process| (0..COMMITS).map(move |commit| (process, commit)));
    let rows: Vec<_> = commits
        .flat_map(|(process, commit)| rows_of(process, commit))
        .collect();
    assert_eq!(place.rows().await, lines_of(&rows));
    assert_eq!(place.data_files().len(), 3 * PROCESSES * COMMITS as usize);
    assert_eq!(place.staged(), [""; 0]);
    assert!(scans > 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_processes_that_commit_the_same_file_one_wins() {
    if is_child() {
        return;
    }
    let place = Place::new(ID_AND_P, &["p"], &[]).await;
    let directory = place.root().parent().unwrap().join("messages");
    std::fs::create_dir(&directory).unwrap();
    let mut staged = Vec::new();
    for round in 0..ROUNDS {
        let row = [(round as i64, Some("a"))];
        let messages = stage(&place.table, ids_and_p(&row)).await.unwrap();
        let text = serde_json::to_string(&messages).unwrap();
        std::fs::write(directory.join(round.to_string()), text).unwrap();
        staged.extend(messages);
    }
    let content = |path: &str| std::fs::read(place.path(path)).unwrap();
    let files = place.staged();
    let contents: BTreeSet<Vec<u8>> = files.iter().map(|file| content(file)).collect();
    for mut child in start(&place, Some(&directory)) {
        assert!(child.wait().unwrap().success());
    }
    let mut won: Vec<usize> = Vec::new();
    for number in 0..PROCESSES {
        let text = place.root().parent().unwrap().join(format!("won-{number}"));
        let text = std::fs::read_to_string(text).unwrap();
        won.extend(text.lines().map(|line| line.parse::<usize>().unwrap()));
    }
    won.sort_unstable();
    assert_eq!(won, (0..ROUNDS).collect::<Vec<_>>());
    let published: BTreeSet<Vec<u8>> = staged
        .iter()
        .map(|message| content(message.target()))
        .collect();
    assert_eq!(published, contents);
    let rows: Vec<_> = (0..ROUNDS as i64).map(|id| (id, Some("a"))).collect();
    assert_eq!(place.rows().await, lines_of(&rows));
}
