use ftable_testkit::s3_server::S3Options;
use opendal::Operator;

use crate::client::{BUCKET, KEYS, get, operator, server, server_of};

/// What a client lists, sorted: of a page it tells the common prefixes first.
async fn listed(store: &Operator, path: &str, recursive: bool) -> Vec<String> {
    let entries = store.list_with(path).recursive(recursive).await.unwrap();
    let mut paths: Vec<_> = entries
        .iter()
        .map(|entry| entry.path().to_owned())
        .collect();
    paths.sort_unstable();
    paths
}

#[tokio::test]
async fn pages_give_every_key_once() {
    let server = server_of(S3Options::new().page_size(2));
    let keys = ["a", "b/1", "b/2", "b/3", "c", "d/1", "e"];
    for key in keys {
        server.put_object(BUCKET, key, "1".into());
    }
    let store = operator(&server, KEYS);
    assert_eq!(listed(&store, "", true).await, keys);
    // Seven keys in pages of two.
    assert_eq!(server.requests().len(), 4);
    assert_eq!(listed(&store, "", false).await, ["a", "b/", "c", "d/", "e"]);
    // Five entries in pages of two.
    assert_eq!(server.requests().len(), 4 + 3);
}

#[tokio::test]
async fn a_delimiter_shows_one_level() {
    let server = server();
    for key in ["t/a/1", "t/a/2", "t/b", "t/c/d/1", "u"] {
        server.put_object(BUCKET, key, "1".into());
    }
    let reply = get(&server, "/lake", "delimiter=%2F&list-type=2&prefix=t%2F").await;
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(reply.texts("Key"), ["t/b"]);
    // The prefix of the request, and the common ones.
    assert_eq!(reply.texts("Prefix"), ["t/", "t/a/", "t/c/"]);
    assert_eq!(reply.texts("KeyCount"), ["3"]);
    assert_eq!(reply.texts("IsTruncated"), ["false"]);
    assert_eq!(reply.texts("Size"), ["1"]);
    // The MD5 digest of `1`, in quotes.
    let e_tag = "\"c4ca4238a0b923820dcc509a6f75849b\"";
    assert_eq!(reply.texts("ETag"), [e_tag]);
    assert_eq!(reply.texts("LastModified").len(), 1);

    let reply = get(&server, "/lake", "list-type=2&prefix=t%2Fc").await;
    assert_eq!(reply.texts("Key"), ["t/c/d/1"]);
    let reply = get(&server, "/lake", "list-type=2&prefix=nothing").await;
    assert_eq!(reply.texts("KeyCount"), ["0"]);
}

#[tokio::test]
async fn clients_say_where_pages_begin_and_how_long_they_are() {
    let server = server_of(S3Options::new().page_size(3));
    for key in ["a", "b", "c", "d", "e"] {
        server.put_object(BUCKET, key, "1".into());
    }
    let reply = get(&server, "/lake", "list-type=2&max-keys=2&start-after=b").await;
    assert_eq!(reply.texts("Key"), ["c", "d"]);
    assert_eq!(reply.texts("IsTruncated"), ["true"]);
    let token = reply.texts("NextContinuationToken")[0].replace('=', "%3D");
    let query = format!("continuation-token={token}&list-type=2");
    let reply = get(&server, "/lake", &query).await;
    assert_eq!(reply.texts("Key"), ["e"]);
    assert_eq!(reply.texts("IsTruncated"), ["false"]);
    assert!(reply.texts("NextContinuationToken").is_empty());
    // Not more than the server gives.
    let reply = get(&server, "/lake", "list-type=2&max-keys=100").await;
    assert_eq!(reply.texts("Key"), ["a", "b", "c"]);
    let reply = get(&server, "/lake", "list-type=2&max-keys=0").await;
    assert_eq!(reply.texts("KeyCount"), ["0"]);
    assert_eq!(reply.texts("IsTruncated"), ["false"]);
    for query in [
        "list-type=2&max-keys=-1",
        "continuation-token=a&list-type=2",
        "encoding-type=xml&list-type=2",
    ] {
        let reply = get(&server, "/lake", query).await;
        assert_eq!(reply.error(), (400, "InvalidArgument"), "{query}");
    }
}

#[tokio::test]
async fn keys_come_back_as_they_were_put() {
    let server = server_of(S3Options::new().page_size(2));
    let store = operator(&server, KEYS);
    let keys = [
        "day=2024-01-01 10:00:00/a b",
        "day=2024-01-01 10:00:00/a%20b",
        "day=2024-01-01 10:00:00/a+b",
        "percent%/100%25",
        "x&y=<z>\"'/ä#?;,@~",
    ];
    for key in keys {
        store.write(key, key).await.unwrap();
    }
    assert_eq!(server.objects(BUCKET), keys);
    assert_eq!(listed(&store, "", true).await, keys);
    for key in keys {
        let read = store.read(key).await.unwrap();
        assert_eq!(read.to_vec(), key.as_bytes());
        assert_eq!(server.object(BUCKET, key).unwrap(), key.as_bytes());
    }
    let below = listed(&store, "day=2024-01-01 10:00:00/", false).await;
    assert_eq!(below, keys[..3]);

    let query = "delimiter=%2F&encoding-type=url&list-type=2&prefix=percent%25%2F";
    let reply = get(&server, "/lake", query).await;
    assert_eq!(reply.texts("Key"), ["percent%25/100%2525"]);
    assert_eq!(reply.texts("Prefix"), ["percent%25/"]);
    assert_eq!(reply.texts("EncodingType"), ["url"]);
    for key in keys {
        store.delete(key).await.unwrap();
    }
    assert_eq!(server.objects(BUCKET), Vec::<String>::new());
}
