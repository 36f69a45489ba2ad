use super::*;

fn store() -> OpendalFileSystem {
    OpendalFileSystem::memory(&uuid::Uuid::new_v4().to_string()).unwrap()
}

async fn put(store: &OpendalFileSystem, path: &str) {
    assert!(
        store
            .create_whole(path, Bytes::from_static(b"abc"))
            .await
            .unwrap()
    );
}

#[tokio::test]
async fn markers_are_directories_and_never_data() {
    let store = store();
    for key in ["t/", "t/dt=1/", "t/dt=2/"] {
        store.operator.create_dir(key).await.unwrap();
    }
    put(&store, "/t/dt=1/a.parquet").await;
    let told = |listed: Vec<FileStatus>| -> Vec<(String, EntryKind)> {
        listed
            .into_iter()
            .map(|status| (status.path, status.kind))
            .collect()
    };
    assert_eq!(
        told(store.list("/t").await.unwrap()),
        [
            ("/t/dt=1".to_owned(), EntryKind::Directory),
            ("/t/dt=2".to_owned(), EntryKind::Directory),
        ]
    );
    let file = ("/t/dt=1/a.parquet".to_owned(), EntryKind::File);
    assert_eq!(told(store.list("/t/dt=1").await.unwrap()), [file]);
    assert_eq!(store.list("/t/dt=2").await.unwrap(), []);
    let root = ("/t".to_owned(), EntryKind::Directory);
    assert_eq!(told(store.list("/").await.unwrap()), [root]);
}

#[tokio::test]
async fn keys_are_the_names_themselves() {
    let store = store();
    put(&store, "/t/p=x%3Ay/ a b+c%.csv").await;
    let entries = store.operator.list_with("/").recursive(true).await.unwrap();
    let keys: Vec<&str> = entries
        .iter()
        .map(|entry| entry.path())
        .filter(|key| *key != "/")
        .collect();
    assert_eq!(keys, ["t/p=x%3Ay/ a b+c%.csv"]);
}

#[tokio::test]
async fn a_file_name_the_client_would_change_is_refused() {
    let store = store();
    let error = store
        .create_whole("/t/a.csv ", Bytes::new())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert_eq!(store.stat("/t/a.csv").await.unwrap(), None);
    assert!(store.create("/t/").await.is_err());
}

#[tokio::test]
async fn a_file_that_appears_before_the_close_is_not_replaced() {
    let store = store();
    let mut file = store.create("/t/.a").await.unwrap();
    file.write(Bytes::from_static(b"late")).await.unwrap();
    put(&store, "/t/.a").await;
    let error = file.close().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert_eq!(
        store
            .open("/t/.a", None)
            .await
            .unwrap()
            .read(0..3)
            .await
            .unwrap(),
        "abc"
    );
}

#[tokio::test]
async fn a_file_replaced_by_a_shorter_one_is_corrupt() {
    let store = store();
    put(&store, "/t/a").await;
    let file = store.open("/t/a", None).await.unwrap();
    store.operator.write("/t/a", "x").await.unwrap();
    for range in [0..2, 2..3] {
        let error = file.read(range.clone()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::CorruptFile);
        let expected = format!("bytes {}..{} of '/t/a'", range.start, range.end);
        assert!(error.to_string().contains(&expected), "{error}");
    }
}
