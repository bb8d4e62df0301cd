//! The page by HTTP: on the loopback interface only, and only with a random token in the address.
//!
//! Other users of a machine reach its loopback interface, and so do pages in a browser of this user, by a name that leads to
//! 127.0.0.1. So the address contains a token, and requests for other hosts are refused.

use crate::token::{same, token};
use crate::watching::Watch;
use anyhow::{Context as _, anyhow};
use figures::escape;
use std::error::Error;
use std::io::Cursor;
use std::net::{Ipv4Addr, SocketAddr};
use std::thread;
use std::time::{Duration, Instant};
use tiny_http::{Header, Method, Request, Response};

/// The same page serves all requests for this long.
const FRESH: Duration = Duration::from_millis(500);

/// The most bytes of a body that is read and thrown away.
const MOST_BODY: usize = 64 << 20;

/// Names by which a browser reaches this machine, itself or by a tunnel, whose port may be another one.
const HOSTS: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

pub struct Server {
    http: tiny_http::Server,
    address: SocketAddr,
    token: String,
}

impl Server {
    /// Listens on a port of 127.0.0.1; 0 takes a free one.
    pub fn bind(port: u16) -> anyhow::Result<Self> {
        let wrong = |cause: Box<dyn Error + Send + Sync>| {
            anyhow!("cannot listen on port {port}: {cause}; leave out --port to take a free one")
        };
        let http = tiny_http::Server::http((Ipv4Addr::LOCALHOST, port)).map_err(wrong)?;
        let address = http.server_addr().to_ip().context("the server has no address")?;
        Ok(Self { http, address, token: token()? })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn url(&self) -> String {
        format!("http://{}/{}/", self.address, self.token)
    }

    /// Answers requests. It returns only by an error.
    pub fn serve(&self, watch: &mut Watch, every: Duration) -> anyhow::Result<()> {
        let mut last: Option<(Instant, String)> = None;
        loop {
            let request = self.http.recv().context("cannot accept connections any more")?;
            if request.body_length().is_some_and(|length| length > MOST_BODY) {
                // tiny_http makes room for a whole body when it answers or drops a request.
                std::mem::forget(request);
                continue;
            }
            let response = match self.status(&request) {
                200 => match page(watch, every, &mut last) {
                    Ok(page) => respond(200, page),
                    Err(error) => respond(500, failed(&error, every)),
                },
                status => plain(status),
            };
            // A client that sends its body or takes its answer slowly delays no other. Errors mean that it went away, or that
            // there are too many threads.
            let answer = move || drop(request.respond(response));
            drop(thread::Builder::new().spawn(answer));
        }
    }

    /// The status of the answer to a request: 200 for the page.
    fn status(&self, request: &Request) -> u16 {
        if request.body_length().is_some_and(|length| length > 0) {
            return 413;
        }
        let rest = self.below_token(request.url()).filter(|_| is_for_this_host(request));
        match (request.method(), rest) {
            (_, None) => 403,
            (Method::Get | Method::Head, Some("" | "/")) => 200,
            (Method::Get | Method::Head, Some(_)) => 404,
            _ => 405,
        }
    }

    /// The rest of a path that begins with the token.
    fn below_token<'a>(&self, path: &'a str) -> Option<&'a str> {
        let (token, rest) = path.strip_prefix('/')?.split_at_checked(self.token.len())?;
        same(token, &self.token).then_some(rest)
    }
}

fn is_for_this_host(request: &Request) -> bool {
    let hosts: Vec<&Header> = request.headers().iter().filter(|header| header.field.equiv("Host")).collect();
    let [host] = hosts[..] else { return false };
    let host = host.value.as_str();
    let is_number = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let name = host.rsplit_once(':').filter(|(_, port)| is_number(port)).map_or(host, |(name, _)| name);
    HOSTS.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// The page, made again if it is not fresh.
fn page(watch: &mut Watch, every: Duration, last: &mut Option<(Instant, String)>) -> anyhow::Result<String> {
    if let Some((made, page)) = last
        && made.elapsed() < FRESH
    {
        return Ok(page.clone());
    }
    watch.refresh()?;
    let page = watch.page(Some(every))?;
    *last = Some((Instant::now(), page.clone()));
    Ok(page)
}

/// The page, which reloads itself, while the run folder cannot be read.
fn failed(error: &anyhow::Error, every: Duration) -> String {
    let (cause, seconds) = (escape(&format!("{error:#}")), every.as_secs().max(1));
    format!(
        "<!DOCTYPE html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"{seconds}\">\
         <title>posenc watch</title><p>{cause}</p>\n"
    )
}

/// A page that is only the status.
fn plain(status: u16) -> Response<Cursor<Vec<u8>>> {
    respond(status, format!("<!DOCTYPE html><title>{status}</title>{status}\n"))
}

fn respond(status: u16, page: String) -> Response<Cursor<Vec<u8>>> {
    let headers = [
        ("Content-Type", "text/html; charset=utf-8"),
        ("Cache-Control", "no-store"),
        ("Content-Security-Policy", "frame-ancestors 'none'"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Content-Type-Options", "nosniff"),
    ];
    let response = Response::from_data(page).with_status_code(status);
    headers.into_iter().fold(response, |response, (name, value)| {
        response.with_header(Header::from_bytes(name, value).expect("a header in ASCII"))
    })
}
