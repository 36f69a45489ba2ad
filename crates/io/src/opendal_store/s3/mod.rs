//! Buckets of S3 and of what speaks its protocol.

mod settings;
#[cfg(test)]
mod tests;
mod transport;

use std::sync::Arc;
use std::time::Duration;

use ftable_core::Options;
use opendal::{HttpTransporter, OperationContext, Operator, services};
use reqsign_aws_v4::Credential;
use reqsign_core::time::Timestamp;
use reqsign_core::{Context, ProvideCredential, ProvideCredentialChain};

use self::settings::{Keys, Settings};
use self::transport::Transport;
use super::OpendalFileSystem;
use crate::credentials::CredentialSource;
use crate::error::{Error, Result};
use crate::location::Location;

/// How long credentials are good for that a source gives: so little that they are never kept, and the source is asked
/// each time.
const LIFE: Duration = Duration::from_secs(60);

impl OpendalFileSystem {
    /// The bucket of `s3://bucket`, or `s3a://bucket`.
    ///
    /// Without keys in `options` they come from where those of AWS usually lie: the environment, the profile of the
    /// user, the machine. With `credentials` none of these is looked at.
    ///
    /// # Errors
    /// `InvalidOption` for options that contradict each other; what TLS or opendal says when the bucket cannot be set
    /// up. Nothing is asked of the bucket yet.
    pub fn s3(
        location: &Location,
        options: &Options,
        credentials: Option<Arc<dyn CredentialSource>>,
    ) -> Result<Self> {
        let settings = Settings::new(location, options)?;
        let keys = Keys::new(options)?;
        let mut service = services::S3::default()
            .root("/")
            .bucket(&settings.bucket)
            .region(&settings.region)
            .endpoint(&settings.endpoint);
        if settings.virtual_host {
            service = service.enable_virtual_host_style();
        }
        let has_keys = credentials.is_some() || settings.anonymous || keys.is_some();
        if has_keys {
            service = service.disable_config_load().disable_ec2_metadata();
        }
        match (&credentials, keys) {
            (Some(source), _) => {
                let provider = Provider {
                    source: Arc::clone(source),
                };
                let chain = ProvideCredentialChain::new().push(provider);
                service = service.credential_provider_chain(chain);
            }
            (None, _) if settings.anonymous => service = service.skip_signature(),
            (None, Some(keys)) => {
                service = service
                    .access_key_id(&keys.access_key)
                    .secret_access_key(&keys.secret_key);
                if let Some(token) = &keys.session_token {
                    service = service.session_token(token);
                }
            }
            (None, None) => {}
        }
        // Keys that lie elsewhere may have to be fetched from a server of AWS.
        let secure = !has_keys || settings.endpoint.starts_with("https:");
        let transport = Transport::new(&settings.region, secure, credentials)?;
        let context = OperationContext::new().with_http_transport(HttpTransporter::new(transport));
        let operator = Operator::new(service)
            .map_err(|error| Error::from_opendal("open", location.path(), error))?;
        Ok(Self {
            operator: operator.with_context(context),
            name: format!("s3://{}", settings.bucket),
        })
    }
}

/// Gives the credentials of the moment to every request that is signed.
#[derive(Debug)]
struct Provider {
    source: Arc<dyn CredentialSource>,
}

impl ProvideCredential for Provider {
    type Credential = Credential;

    /// A failure would be forgotten on the way: requests are signed with no key then, and the transport, which sends none
    /// of them, tells why.
    async fn provide_credential(
        &self,
        _context: &Context,
    ) -> reqsign_core::Result<Option<Credential>> {
        let given = self.source.options().await.ok();
        let known = given.and_then(|options| Keys::new(&options).ok().flatten());
        Ok(Some(credential(known.unwrap_or_else(Keys::none))))
    }
}

fn credential(keys: Keys) -> Credential {
    Credential {
        access_key_id: keys.access_key,
        secret_access_key: keys.secret_key,
        session_token: keys.session_token,
        expires_in: Some(Timestamp::now() + LIFE),
    }
}
