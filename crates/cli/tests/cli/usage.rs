//! Wrong usage, help, the demo and readers that go away.

use super::*;

#[test]
fn wrong_usage_is_two() {
    let shop = Shop::with_orders();
    shop.file("a.csv", "id\n");
    for arguments in [
        &["scan"][..],
        &["optimize", "shop.orders"],
        &["scan", "shop.orders", "--schema", "a INT"],
        &["scan", "shop.orders", "--path", "x"],
        &["scan", "shop.orders", "--limit", "-1"],
        &["scan", "shop.orders", "--to", "out.xlsx"],
        &["insert", "shop.orders"],
        &["insert", "shop.orders", "rows"],
        &["insert", "shop.orders", "--partition", "dt", "a.csv"],
        &["insert", "shop.orders", "--schema", "a INT", "a.csv"],
        &["-c", "novalue", "databases"],
    ] {
        let ran = shop.run(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(ran.err.starts_with("error: "), "{}", ran.err);
    }
    let ran = shop.bare(&["scan", "shop.orders"]);
    assert_eq!(ran.code, Some(2));
    assert_eq!(
        ran.err,
        "error: no warehouse is given; say --warehouse URI, or name a table by --path LOCATION\n"
    );
    let ran = shop.bare(&["-c", "warehouse=wh", "tables"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

#[test]
fn help_has_an_example_for_every_verb() {
    let shop = Shop::new();
    for verb in [
        "create",
        "infer",
        "drop",
        "databases",
        "tables",
        "schema",
        "insert",
        "scan",
        "count",
        "partitions",
        "files",
        "demo",
    ] {
        let help = shop.bare(&["help", verb]).ok();
        assert!(
            help.contains("Example:\n") && help.contains(&format!("ftable {verb}")),
            "{help}"
        );
        assert!(
            shop.bare(&["--help"])
                .ok()
                .contains(&format!("\n  {verb} ")),
            "{verb}"
        );
    }
    assert!(shop.bare(&["--version"]).ok().starts_with("ftable 0."));
}

#[test]
fn the_demo_is_short_and_tells_of_both_formats() {
    let shop = Shop::new();
    let story = shop.bare(&["demo"]).ok();
    assert!(story.lines().count() < 40, "{story}");
    for part in [
        "Parquet",
        "ORC",
        "6 rows, 4 files, 4 partitions",
        "\"region\":null",
        "\"price\":\"27.50\"",
        "dt=2024-01-02",
        "dt=19724",
    ] {
        assert!(story.contains(part), "{part}: {story}");
    }
    let warehouse = story
        .lines()
        .next()
        .unwrap()
        .rsplit(' ')
        .next()
        .unwrap()
        .trim_end_matches('.');
    assert!(!Path::new(warehouse).exists());
}

#[test]
#[cfg(unix)]
fn a_reader_that_goes_away_ends_the_command_quietly() {
    let shop = Shop::with_orders();
    let rows: String = (0..50_000).map(|id| format!("{id},2024-01-01\n")).collect();
    shop.file("many.csv", &format!("id,dt\n{rows}"));
    shop.run(&["insert", "shop.orders", "many.csv"]).ok();
    let mut command = shop.command(&["--warehouse", "wh", "scan", "shop.orders"]);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (output.status.code(), output.stderr.as_slice()),
        (Some(0), &b""[..])
    );
}
