//! Loading a key: from a file that someone renews, or from the metadata of an ECS instance.

use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;
use tokio::task::spawn_blocking;

use super::super::http::Transport;
use super::credentials::Credentials;
use crate::Result;
use crate::error::CredentialsSnafu;

/// How often a file is read: whoever renews it may be writing just now.
const READS: u32 = 5;

/// Loads keys.
#[async_trait]
pub(super) trait Loader: Debug + Send + Sync {
    /// The key there is now.
    ///
    /// # Errors
    /// Where there is none; the message names the place and no secret.
    async fn load(&self) -> Result<Credentials>;
}

/// A file with a token document.
#[derive(Debug)]
pub(super) struct FileLoader {
    pub(super) path: String,
}

#[async_trait]
impl Loader for FileLoader {
    /// Reads up to five times, after waits of 1, 2, 3 and 4 seconds.
    async fn load(&self) -> Result<Credentials> {
        let mut reads = 0;
        loop {
            reads += 1;
            let message = match self.read().await {
                Ok(credentials) => return Ok(credentials),
                Err(message) => message,
            };
            if reads == READS {
                return CredentialsSnafu {
                    place: format!("file '{}' (option 'dlf.token-path')", self.path),
                    message,
                }
                .fail();
            }
            tokio::time::sleep(Duration::from_secs(reads.into())).await;
        }
    }
}

impl FileLoader {
    async fn read(&self) -> Result<Credentials, String> {
        let path = self.path.clone();
        match spawn_blocking(move || std::fs::read_to_string(path)).await {
            Ok(Ok(text)) => Credentials::parse(&text),
            Ok(Err(error)) => Err(format!("it cannot be read: {}", error.kind())),
            Err(_) => Err("reading it was cut short".to_owned()),
        }
    }
}

/// The metadata service of an ECS instance.
#[derive(Debug)]
pub(super) struct EcsLoader {
    pub(super) transport: Transport,
    /// Where roles are listed and, with a role appended, a key is given.
    pub(super) url: String,
    /// The role; asked for when it is not given.
    pub(super) role: Option<String>,
}

#[async_trait]
impl Loader for EcsLoader {
    async fn load(&self) -> Result<Credentials> {
        self.fetch().await.map_err(|message| {
            CredentialsSnafu {
                place: format!("'{}' (option 'dlf.token-ecs-metadata-url')", self.url),
                message,
            }
            .build()
        })
    }
}

impl EcsLoader {
    async fn fetch(&self) -> Result<Credentials, String> {
        let role = match &self.role {
            Some(role) => role.clone(),
            None => {
                let role = self.transport.text(&self.url).await?;
                role.trim().to_owned()
            }
        };
        if role.is_empty() {
            return Err("the instance has no role".to_owned());
        }
        let document = self.transport.text(&format!("{}{role}", self.url)).await?;
        Credentials::parse(&document)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use tokio::time::Instant;

    use ftable_core::Options;

    use super::super::super::clock::Clock;
    use super::super::super::http::{RetryPolicy, Timeouts};
    use super::super::super::testing::{Reply, Server};
    use super::*;

    const DOCUMENT: &str = r#"{"AccessKeyId":"AKID","AccessKeySecret":"hunter2"}"#;

    #[tokio::test(start_paused = true)]
    async fn a_file_is_read_again_while_it_is_being_written() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&DOCUMENT.as_bytes()[..20]).unwrap();
        let path = file.path().to_str().unwrap().to_owned();
        let start = Instant::now();
        let load = tokio::spawn(async move { FileLoader { path }.load().await });
        tokio::time::sleep(Duration::from_millis(1500)).await;
        file.write_all(&DOCUMENT.as_bytes()[20..]).unwrap();
        let loaded = load.await.unwrap().unwrap();
        assert_eq!(loaded.access_key_id, "AKID");
        // The first wait is 1 s, the second 2 s.
        assert_eq!(start.elapsed().as_secs(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn a_file_that_is_not_there_is_named_after_five_reads() {
        let start = Instant::now();
        let path = "/nowhere/token.json".to_owned();
        let error = FileLoader { path }.load().await.unwrap_err();
        assert!(error.to_string().contains("/nowhere/token.json"), "{error}");
        assert_eq!(start.elapsed().as_secs(), 1 + 2 + 3 + 4);
    }

    async fn from_metadata(
        role: Option<&str>,
        replies: Vec<Reply>,
    ) -> (Server, Result<Credentials>) {
        let mut replies = replies.into_iter();
        let server = Server::start(move |_| replies.next().unwrap()).await;
        let options = Options::new();
        let timeouts = Timeouts::from_options(&options).unwrap();
        let retry = RetryPolicy::from_options(&options).unwrap();
        let loader = EcsLoader {
            transport: Transport::new(false, &timeouts, retry, Clock::system()).unwrap(),
            url: format!("{}/meta/", server.uri()),
            role: role.map(str::to_owned),
        };
        let loaded = loader.load().await;
        (server, loaded)
    }

    fn text(body: &str) -> Reply {
        Reply::Raw(200, Vec::new(), body.to_owned())
    }

    #[tokio::test]
    async fn the_metadata_of_an_instance_tells_its_role_and_the_key() {
        let (server, loaded) = from_metadata(None, vec![text("reader\n"), text(DOCUMENT)]).await;
        assert_eq!(loaded.unwrap().access_key_id, "AKID");
        assert_eq!(server.lines(), ["GET /meta/", "GET /meta/reader"]);
        assert_eq!(server.received()[0].header("authorization"), None);
        let (server, loaded) = from_metadata(Some("writer"), vec![text(DOCUMENT)]).await;
        assert_eq!(loaded.unwrap().access_key_secret, "hunter2");
        assert_eq!(server.lines(), ["GET /meta/writer"]);
    }

    #[tokio::test]
    async fn metadata_that_tells_no_key_is_named_by_its_address_and_not_shown() {
        for (replies, word) in [
            (
                vec![Reply::Raw(404, Vec::new(), "hunter2".to_owned())],
                "404",
            ),
            (vec![text(" ")], "no role"),
            (vec![text("reader"), text("hunter2")], "no JSON"),
            (vec![Reply::Close], "did not answer"),
        ] {
            let (server, loaded) = from_metadata(None, replies).await;
            let error = loaded.unwrap_err().to_string();
            assert!(
                error.contains(server.uri()) && error.contains(word),
                "{error}"
            );
            assert!(!error.contains("hunter2"), "{error}");
        }
    }
}
