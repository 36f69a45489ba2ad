//! TLS as all clients of this workspace use it.

use std::sync::{Arc, OnceLock};

use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;

/// The certificate authorities of this machine, loaded once; or with `secure` false none, where nothing is encrypted and
/// no `https` server can be reached.
///
/// # Errors
/// When the authorities of this machine cannot be used.
pub fn client_config(secure: bool) -> Result<ClientConfig, rustls::Error> {
    static SECURE: OnceLock<ClientConfig> = OnceLock::new();
    if let (true, Some(config)) = (secure, SECURE.get()) {
        return Ok(config.clone());
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    if !secure {
        let none = RootCertStore::empty();
        return Ok(builder.with_root_certificates(none).with_no_client_auth());
    }
    let config = builder.with_platform_verifier()?.with_no_client_auth();
    Ok(SECURE.get_or_init(|| config).clone())
}
