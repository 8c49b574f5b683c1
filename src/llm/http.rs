//! The network, the only door to it: one request to a host, within a time and a size.
//!
//! Never follows a redirect (a key must not travel on), and builds no client before it carries something: building one
//! costs more than a whole command. Not to be called on a thread of an async runtime: that is what `spawn_blocking` is for.

use std::io::Read;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use reqwest::blocking::{Client, Response};
use reqwest::header::HeaderMap;

use super::hosted::{Broken, Incoming, Line, Outgoing};
use super::{place, retry};

/// The largest body, in bytes.
const MOST: u64 = 8 << 20;
/// How long a connection may take to stand, however long its answer may take.
const CONNECT: Duration = Duration::from_secs(10);

/// The network.
pub struct Http;

impl Line for Http {
    fn carry(&self, outgoing: &Outgoing<'_>) -> Result<Incoming, Broken> {
        let client = client(place::is_loopback(outgoing.url))?;
        let until = Instant::now() + outgoing.within;
        let mut request = match outgoing.body {
            Some(body) => client.post(outgoing.url).header("content-type", "application/json").body(body.to_vec()),
            None => client.get(outgoing.url),
        };
        for (name, value) in outgoing.headers {
            let mut value = reqwest::header::HeaderValue::try_from(value).map_err(|e| connection(&e))?;
            value.set_sensitive(true);
            request = request.header(*name, value);
        }
        let response = request.timeout(outgoing.within).send().map_err(|e| broken(&e))?;
        let status = response.status().as_u16();
        let headers = response.headers();
        let again = word(headers, "x-should-retry").and_then(|said| said.parse().ok());
        let after = retry::asked(word(headers, "retry-after-ms"), word(headers, "retry-after"), Timestamp::now());
        Ok(Incoming { status, after, again, body: read(response, until)? })
    }
}

fn word<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Reads a body, not more of it than the cap, not longer than the time.
fn read(mut response: Response, until: Instant) -> Result<Vec<u8>, Broken> {
    let mut body = Vec::new();
    let mut block = vec![0; 64 << 10];
    loop {
        if Instant::now() >= until {
            return Err(Broken::Timeout);
        }
        let n = response.read(&mut block).map_err(|e| stopped(&e, until))?;
        match n {
            0 => return Ok(body),
            n if (body.len() + n) as u64 > MOST => return Err(Broken::TooLarge),
            n => body.extend_from_slice(&block[..n]),
        }
    }
}

fn stopped(error: &std::io::Error, until: Instant) -> Broken {
    let inner = error.get_ref().and_then(|e| e.downcast_ref::<reqwest::Error>());
    match inner {
        _ if error.kind() == std::io::ErrorKind::TimedOut || Instant::now() >= until => Broken::Timeout,
        Some(inner) => broken(inner),
        None => connection(error),
    }
}

fn broken(error: &reqwest::Error) -> Broken {
    // A connection that does not come to stand may do so at the next try; a request that is on its way is not repeated.
    match error.is_timeout() && !error.is_connect() {
        true => Broken::Timeout,
        false => connection(error),
    }
}

/// The innermost reason: the outer ones repeat the address.
fn connection(error: &(dyn std::error::Error + 'static)) -> Broken {
    let mut inner = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    Broken::Connection(inner.to_string())
}

/// The client, built when it is first needed and never taken down: its end would wait for names still being looked up.
///
/// A host on this machine is never reached through a proxy.
fn client(loopback: bool) -> Result<&'static Client, Broken> {
    static NEAR: OnceLock<Result<Client, String>> = OnceLock::new();
    static FAR: OnceLock<Result<Client, String>> = OnceLock::new();
    let slot = if loopback { &NEAR } else { &FAR };
    slot.get_or_init(|| build(loopback)).as_ref().map_err(|why| Broken::Connection(why.clone()))
}

fn build(loopback: bool) -> Result<Client, String> {
    // Somebody else in the process may have installed one; any will do.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder()
        .user_agent(concat!("memdir/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT)
        .timeout(None);
    let builder = if loopback { builder.no_proxy() } else { builder };
    builder.build().map_err(|e| e.to_string())
}
