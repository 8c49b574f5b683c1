//! The HTTP transport: one request, with a time limit and a size limit.
//!
//! Never follows a redirect, so that the key goes to no other host. Builds no client before the first request, because
//! that takes longer than a whole command. Must not be called on a thread of an async runtime; use `spawn_blocking`
//! there.

use std::io::Read;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use reqwest::blocking::{Client, Response};
use reqwest::header::HeaderMap;

use super::hosted::{HttpRequest, HttpResponse, Transport, TransportError};
use super::{host_url, retry};

/// Largest accepted response body, in bytes.
const MAX_BODY_BYTES: u64 = 8 << 20;
/// Time limit for connecting. It is separate from the request's, which must allow for slow models.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The transport that uses the network.
pub struct HttpTransport;

impl Transport for HttpTransport {
    fn send(&self, request_data: &HttpRequest<'_>) -> Result<HttpResponse, TransportError> {
        let client = shared_client(ClientKind::of(request_data.url))?;
        let deadline = Instant::now() + request_data.timeout;
        let mut request = match request_data.body {
            Some(body) => client.post(request_data.url).header("content-type", "application/json").body(body.to_vec()),
            None => client.get(request_data.url),
        };
        for (name, value) in request_data.headers {
            let mut value = reqwest::header::HeaderValue::try_from(value).map_err(|e| connection_error(&e))?;
            value.set_sensitive(true);
            request = request.header(*name, value);
        }
        let response = request.timeout(request_data.timeout).send().map_err(|e| request_error(&e))?;
        let status = response.status().as_u16();
        let headers = response.headers();
        let should_retry = header_value(headers, "x-should-retry").and_then(|value| value.parse().ok());
        let retry_after = retry::requested_delay(
            header_value(headers, "retry-after-ms"),
            header_value(headers, "retry-after"),
            Timestamp::now(),
        );
        Ok(HttpResponse { status, retry_after, should_retry, body: read_body(response, deadline)? })
    }
}

fn header_value<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Reads the body, up to the size limit and the time limit.
fn read_body(mut response: Response, deadline: Instant) -> Result<Vec<u8>, TransportError> {
    let mut body = Vec::new();
    let mut block = vec![0; 64 << 10];
    loop {
        if Instant::now() >= deadline {
            return Err(TransportError::Timeout);
        }
        let n = response.read(&mut block).map_err(|e| read_error(&e, deadline))?;
        match n {
            0 => return Ok(body),
            n if (body.len() + n) as u64 > MAX_BODY_BYTES => return Err(TransportError::TooLarge),
            n => body.extend_from_slice(&block[..n]),
        }
    }
}

fn read_error(error: &std::io::Error, deadline: Instant) -> TransportError {
    let inner = error.get_ref().and_then(|e| e.downcast_ref::<reqwest::Error>());
    match inner {
        _ if error.kind() == std::io::ErrorKind::TimedOut || Instant::now() >= deadline => TransportError::Timeout,
        Some(inner) => request_error(inner),
        None => connection_error(error),
    }
}

fn request_error(error: &reqwest::Error) -> TransportError {
    // A timeout while connecting may be retried; one after the request was sent may not, since the host may still be
    // working on it.
    if error.is_timeout() && !error.is_connect() { TransportError::Timeout } else { connection_error(error) }
}

fn connection_error(error: &(dyn std::error::Error + 'static)) -> TransportError {
    TransportError::Connection(innermost(error).to_string())
}

/// The innermost cause: the outer ones only repeat the URL.
fn innermost<'e>(error: &'e (dyn std::error::Error + 'static)) -> &'e (dyn std::error::Error + 'static) {
    let mut inner = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner
}

/// What a client is for. Hosts on this machine are never reached through a proxy; plain HTTP needs no certificates,
/// and a system without any must still reach a model of its own.
#[derive(Clone, Copy)]
enum ClientKind {
    LoopbackHttp,
    LoopbackHttps,
    RemoteHttp,
    RemoteHttps,
}

impl ClientKind {
    fn of(url: &str) -> ClientKind {
        match (host_url::is_loopback(url), url.starts_with("http://")) {
            (true, true) => ClientKind::LoopbackHttp,
            (true, false) => ClientKind::LoopbackHttps,
            (false, true) => ClientKind::RemoteHttp,
            (false, false) => ClientKind::RemoteHttps,
        }
    }

    fn is_loopback(self) -> bool {
        matches!(self, ClientKind::LoopbackHttp | ClientKind::LoopbackHttps)
    }

    fn is_plain(self) -> bool {
        matches!(self, ClientKind::LoopbackHttp | ClientKind::RemoteHttp)
    }
}

/// The shared client, built on first use. It is never dropped, because dropping waits for pending DNS lookups.
fn shared_client(kind: ClientKind) -> Result<&'static Client, TransportError> {
    static CLIENTS: [OnceLock<Result<Client, String>>; 4] = [const { OnceLock::new() }; 4];
    let slot = &CLIENTS[kind as usize];
    slot.get_or_init(|| build_client(kind)).as_ref().map_err(|error| TransportError::Connection(error.clone()))
}

fn build_client(kind: ClientKind) -> Result<Client, String> {
    // Fails if the process already has a default provider; any provider will do.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder()
        .user_agent(concat!("memdir/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(None);
    let builder = if kind.is_loopback() { builder.no_proxy() } else { builder };
    // Without this, a client fails to build where the system has no certificates, although it needs none.
    let builder = if kind.is_plain() { builder.tls_certs_only([]) } else { builder };
    builder.build().map_err(|error| {
        let cause = innermost(&error).to_string();
        if cause.contains("CA certificates") {
            "https needs CA certificates, and this system has none; install ca-certificates, or name a file \
             with them in SSL_CERT_FILE"
                .to_owned()
        } else {
            cause
        }
    })
}
