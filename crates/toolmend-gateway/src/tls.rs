//! Certificates: whom the upstream is trusted by, and with what clients are served.

use std::path::Path;
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig};

use crate::settings::SetupError;

/// Trusts what the machine trusts, and the certificates of this file.
pub(crate) fn for_upstream(extra: Option<&Path>, is_https: bool) -> Result<ClientConfig, SetupError> {
    let mut roots = RootCertStore::empty();
    if let Some(path) = extra {
        for certificate in certificates("upstream-ca", path)? {
            roots.add(certificate).map_err(|error| pem("upstream-ca", path, error))?;
        }
    }
    if is_https {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if roots.is_empty() {
            return Err(SetupError::NoRoots);
        }
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(SetupError::Identity)?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

/// Serves clients under this certificate.
pub(crate) fn for_clients(chain: &Path, key: &Path) -> Result<Arc<ServerConfig>, SetupError> {
    let chain = certificates("tls-cert", chain)?;
    let private = PrivateKeyDer::from_pem_file(key).map_err(|error| pem("tls-key", key, error))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|config| config.with_no_client_auth().with_single_cert(chain, private))
        .map_err(SetupError::Identity)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn certificates(setting: &'static str, path: &Path) -> Result<Vec<CertificateDer<'static>>, SetupError> {
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let certificates = read.map_err(|error| pem(setting, path, error))?;
    if certificates.is_empty() {
        return Err(pem(setting, path, "it holds no certificate"));
    }
    Ok(certificates)
}

fn pem(setting: &'static str, path: &Path, why: impl ToString) -> SetupError {
    SetupError::Pem { setting, path: path.to_owned(), why: why.to_string() }
}
