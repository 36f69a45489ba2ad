//! Several processes put files at the same targets: each target gets one of them, whole.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use bytes::Bytes;
use ftable_io::{FileSystem, LocalFileSystem, PublishOutcome};

/// Tells the child where to work; unset in the parent.
const DIRECTORY: &str = "FTABLE_IO_TEST_DIRECTORY";
const NUMBER: &str = "FTABLE_IO_TEST_NUMBER";

const PROCESSES: usize = 6;
const ROUNDS: usize = 60;

fn content_of(process: usize) -> String {
    format!("{process}").repeat(100_000)
}

/// Not a test of its own: does the work of one process when the other test starts it.
#[tokio::test]
async fn child() {
    let (Ok(directory), Ok(number)) = (std::env::var(DIRECTORY), std::env::var(NUMBER)) else {
        return;
    };
    let path = |name: String| format!("{directory}/{name}");
    let number: usize = number.parse().unwrap();
    let fs = LocalFileSystem::new();
    let content = Bytes::from(content_of(number));

    // Everyone says that they are here, and begins when all are, or gives up when one never comes.
    let deadline = Instant::now() + Duration::from_secs(60);
    std::fs::write(path(format!("ready-{number}")), "").unwrap();
    while !(0..PROCESSES).all(|other| Path::new(&path(format!("ready-{other}"))).exists()) {
        assert!(Instant::now() < deadline, "a process is missing");
        std::thread::sleep(Duration::from_millis(1));
    }
    let mut won = Vec::new();
    for round in 0..ROUNDS {
        let staged = path(format!("_temporary/.tmp.{round}.{number}"));
        let mut file = fs.create(&staged).await.unwrap();
        file.write(content.clone()).await.unwrap();
        file.close().await.unwrap();
        let target = path(format!("data-{round}"));
        if fs.publish(&staged, &target).await.unwrap() == PublishOutcome::Published {
            won.push(format!("data-{round}"));
        }
        let schema = path(format!("schema-{round}"));
        if fs.create_whole(&schema, content.clone()).await.unwrap() {
            won.push(format!("schema-{round}"));
        }
    }
    std::fs::write(path(format!("won-{number}")), won.join("\n")).unwrap();
}

#[test]
fn one_process_wins_each_target() {
    if std::env::var(DIRECTORY).is_ok() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let children: Vec<_> = (0..PROCESSES)
        .map(|number| {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "child", "--nocapture"])
                .env(DIRECTORY, directory.path())
                .env(NUMBER, number.to_string())
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }

    let mut winners: Vec<(String, usize)> = Vec::new();
    for number in 0..PROCESSES {
        let won = std::fs::read_to_string(directory.path().join(format!("won-{number}"))).unwrap();
        winners.extend(won.lines().map(|target| (target.to_owned(), number)));
    }
    winners.sort();
    let mut targets: Vec<String> = (0..ROUNDS)
        .flat_map(|round| [format!("data-{round}"), format!("schema-{round}")])
        .collect();
    targets.sort();
    let won: Vec<&String> = winners.iter().map(|(target, _)| target).collect();
    assert_eq!(won, targets.iter().collect::<Vec<_>>());
    for (target, winner) in &winners {
        let content = std::fs::read_to_string(directory.path().join(target)).unwrap();
        assert_eq!(content, content_of(*winner), "{target}");
    }
    // Losers keep what they staged, winners do not, and no temporary file is left.
    let staged = std::fs::read_dir(directory.path().join("_temporary"))
        .unwrap()
        .count();
    assert_eq!(staged, ROUNDS * (PROCESSES - 1));
    let entries = std::fs::read_dir(directory.path()).unwrap();
    let hidden = entries.filter(|entry| {
        entry
            .as_ref()
            .unwrap()
            .file_name()
            .as_encoded_bytes()
            .starts_with(b".")
    });
    assert_eq!(hidden.count(), 0);
}
