use ftable_core::ErrorKind;

use super::*;

fn location(text: &str) -> Location {
    text.parse().unwrap()
}

/// Text, normal form, scheme, authority, path.
const TABLE: &[(&str, &str, &str, &str, &str)] = &[
    ("/data/wh/", "/data/wh", "file", "", "/data/wh"),
    ("/data//wh///db", "/data/wh/db", "file", "", "/data/wh/db"),
    ("file:/data/wh", "file:/data/wh", "file", "", "/data/wh"),
    ("file:///data/wh", "file:/data/wh", "file", "", "/data/wh"),
    ("file:////data/wh", "file:/data/wh", "file", "", "/data/wh"),
    ("s3://b", "s3://b", "s3", "b", "/"),
    ("s3://b/", "s3://b/", "s3", "b", "/"),
    ("s3://b//p/../q/", "s3://b/q", "s3", "b", "/q"),
    ("s3a://B/p q", "s3a://B/p q", "s3a", "B", "/p q"),
    ("hdfs:///p", "hdfs:/p", "hdfs", "", "/p"),
    (
        "oss://b.endpoint/p",
        "oss://b.endpoint/p",
        "oss",
        "b.endpoint",
        "/p",
    ),
    (
        "s3://my_bucket/p",
        "s3://my_bucket/p",
        "s3",
        "my_bucket",
        "/p",
    ),
    (
        "s3://b/p#q?r%20s",
        "s3://b/p#q?r%20s",
        "s3",
        "b",
        "/p#q?r%20s",
    ),
    ("/wh/T.db/Été", "/wh/T.db/Été", "file", "", "/wh/T.db/Été"),
    ("/wh/a/./b/../c", "/wh/a/c", "file", "", "/wh/a/c"),
    ("/wh/a:b", "/wh/a:b", "file", "", "/wh/a:b"),
    ("/", "/", "file", "", "/"),
    ("//", "/", "file", "", "/"),
    ("///data", "/data", "file", "", "/data"),
    ("memory:/wh", "memory:/wh", "memory", "", "/wh"),
    (
        "abfs://c@a.dfs.core.windows.net/p",
        "abfs://c@a.dfs.core.windows.net/p",
        "abfs",
        "c@a.dfs.core.windows.net",
        "/p",
    ),
];

#[test]
fn texts_mean_what_the_table_says() {
    for &(text, normalized, scheme, authority, path) in TABLE {
        let location = location(text);
        assert_eq!(location.to_string(), text);
        assert_eq!(location.normalized(), normalized, "{text}");
        assert_eq!(location.scheme(), scheme, "{text}");
        assert_eq!(location.authority(), authority, "{text}");
        assert_eq!(location.path(), path, "{text}");
    }
}

#[test]
fn the_normal_form_is_read_as_itself() {
    for &(text, normalized, ..) in TABLE {
        let again = location(normalized);
        assert_eq!(again.normalized(), normalized);
        assert!(again.same_place(&location(text)), "{text}");
    }
}

#[test]
fn relative_paths_lie_under_the_working_directory() {
    let directory = std::env::current_dir().unwrap();
    let directory = directory.to_str().unwrap();
    for (text, normalized, below) in [
        ("t", "t", "/t"),
        ("./t", "t", "/t"),
        ("t/../u//v/", "u/v", "/u/v"),
        (".", ".", ""),
        ("./a:b", "./a:b", "/a:b"),
        ("t/a:b", "t/a:b", "/t/a:b"),
    ] {
        let location = location(text);
        assert_eq!(location.to_string(), text);
        assert_eq!(location.normalized(), normalized, "{text}");
        assert_eq!(location.path(), format!("{directory}{below}"), "{text}");
        assert_eq!(location.scheme(), "file");
        assert!(self::location(normalized).same_place(&location));
    }
    let above = location("../t");
    assert_eq!(above.normalized(), "../t");
    let expected = crate::path::join(crate::path::parent(directory).unwrap(), "t");
    assert_eq!(above.path(), expected);
}

#[test]
fn what_cannot_be_a_location_is_refused() {
    for (text, reason) in [
        ("", "empty"),
        ("a:b", "must begin with '/'"),
        ("file:t", "must begin with '/'"),
        ("s3:", "must begin with '/'"),
        (":/p", "no scheme"),
        ("my scheme:/p", "no scheme"),
        ("1a:/p", "no scheme"),
        (
            "file://data/wh",
            "did you forget a slash? Write file:///data/wh",
        ),
        ("file://localhost/wh", "did you forget a slash?"),
        ("//data/wh", "did you forget a slash? Write /data/wh"),
        ("/..", "out of the root"),
        ("/data/../../wh", "out of the root"),
        ("s3://b/../c", "out of the root"),
        ("/data\0", "NUL"),
    ] {
        let error = text.parse::<Location>().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{text:?}");
        assert!(error.to_string().contains(reason), "{text:?}: {error}");
    }
    let deep = "../".repeat(200);
    assert!(deep.parse::<Location>().is_err());
}

#[test]
fn joining_gives_the_normal_form() {
    for (base, relative, text, path) in [
        (
            "file:///data/wh",
            "db.db",
            "file:/data/wh/db.db",
            "/data/wh/db.db",
        ),
        ("s3://b", "t", "s3://b/t", "/t"),
        ("s3://b/", "t", "s3://b/t", "/t"),
        ("/", "t", "/t", "/t"),
        ("/wh/", "a/b", "/wh/a/b", "/wh/a/b"),
        (
            "s3://b/p q",
            "dt=1/x%2F",
            "s3://b/p q/dt=1/x%2F",
            "/p q/dt=1/x%2F",
        ),
    ] {
        let joined = location(base).join(relative).unwrap();
        assert_eq!(joined.to_string(), text);
        assert_eq!(joined.normalized(), text);
        assert_eq!(joined.path(), path);
    }
    let joined = location("t").join("u").unwrap();
    assert_eq!(joined.to_string(), "t/u");
    assert!(joined.same_place(&location(joined.path())));
}

#[test]
fn joining_never_leaves_the_base() {
    for relative in ["..", "a/../..", "/etc", "", ".", "a//b", "a/", "a\nb"] {
        let error = location("/wh/d.db").join(relative).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{relative:?}");
    }
}

#[test]
fn same_place_compares_what_is_meant() {
    for (one, other) in [
        ("/data/wh", "file:///data//wh/"),
        ("s3://b", "s3://b/"),
        ("S3://b/x", "s3://b/x"),
        ("/data/./a/../wh", "/data/wh"),
    ] {
        assert!(location(one).same_place(&location(other)), "{one} {other}");
    }
    for (one, other) in [
        ("/data/wh", "/data/WH"),
        ("s3://b/x", "s3://B/x"),
        ("s3://b/x", "oss://b/x"),
        ("memory:/wh", "/wh"),
        ("memory:/wh", "memory://a/wh"),
        ("/a%20b", "/a b"),
    ] {
        assert!(!location(one).same_place(&location(other)), "{one} {other}");
    }
}
