//! The settings from the environment, where scripts/read-bulk.sh sets them.

use std::env;
use std::fs;
use std::time::Duration;

use tonic::transport::{Certificate, ClientTlsConfig};

use crate::Result;

pub struct Settings {
    pub address: String,
    pub key: String,
    pub tags: Vec<String>,
    pub duration: Duration,
    pub warmup: Duration,
    pub tls: Option<ClientTlsConfig>,
}

impl Settings {
    pub fn from_environment() -> Result<Settings> {
        let (address, key, tags) = (text("MXGW_URL", ""), text("MXGW_KEY", ""), text("TAGS", ""));
        if [&address, &key, &tags].iter().any(|text| text.is_empty()) {
            return Err("MXGW_URL (host:port), MXGW_KEY and TAGS (names with commas between them) must be set".into());
        }

        Ok(Settings {
            address,
            key,
            tags: tags.split(',').map(String::from).collect(),
            duration: seconds("DURATION", "30s")?,
            warmup: seconds("WARMUP", "2s")?,
            tls: if text("TLS", "") == "true" { Some(tls()?) } else { None },
        })
    }
}

/// TLS with the authorities in a file, or those of the system without a file.
fn tls() -> Result<ClientTlsConfig> {
    let (file, server_name) = (text("TLS_CA", ""), text("TLS_SERVER_NAME", ""));
    let mut config = ClientTlsConfig::new();
    config = if file.is_empty() { config.with_native_roots() } else { config.ca_certificate(Certificate::from_pem(fs::read(file)?)) };

    Ok(if server_name.is_empty() { config } else { config.domain_name(server_name) })
}

fn text(name: &str, fallback: &str) -> String {
    env::var(name).ok().filter(|value| !value.is_empty()).unwrap_or_else(|| fallback.into())
}

/// Parses a duration in seconds, such as 30s or 0.5s, the only form of read-bulk.sh.
fn seconds(name: &str, fallback: &str) -> Result<Duration> {
    let value = text(name, fallback);
    let number = value.strip_suffix('s').and_then(|number| number.parse().ok());
    number
        .and_then(|number| Duration::try_from_secs_f64(number).ok())
        .ok_or_else(|| format!("{name} must be seconds, such as 30s, but is {value:?}").into())
}
