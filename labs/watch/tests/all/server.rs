//! The server, asked by a plain client.

#![allow(clippy::disallowed_types, reason = "a client of the server on this machine")]

use crate::folder::Folder;
use serde_json::json;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};
use watch::Server;

/// Serves the page of a folder as long as this process lives; its address and its path.
fn serve(folder: &Folder) -> (SocketAddr, String) {
    let server = Server::bind(0).expect("a free port");
    let (address, url) = (server.address(), server.url());
    let path = url.strip_prefix(&format!("http://{address}")).expect("the address").to_owned();
    let mut watch = folder.watch();
    thread::spawn(move || server.serve(&mut watch, Duration::from_secs(5)));
    (address, path)
}

/// The status and the text of an answer.
fn ask(address: SocketAddr, method: &str, path: &str, headers: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time limit");
    write!(stream, "{method} {path} HTTP/1.0\r\n{headers}\r\n").expect("a request");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    let answer = String::from_utf8(answer).expect("UTF-8");
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    (status, answer)
}

#[test]
fn only_those_who_know_the_token_and_ask_this_host_get_the_page() {
    let folder = Folder::half_way();
    let (address, path) = serve(&folder);
    let here = format!("Host: {address}\r\n");
    let (status, page) = ask(address, "GET", &path, &here);
    assert_eq!(status, 200);
    assert!(page.contains("<b>7 of 12 cells</b>") && page.contains("Cache-Control: no-store"), "{page}");
    for host in ["127.0.0.1", "localhost:8080", "LOCALHOST", "[::1]:9"] {
        assert_eq!(ask(address, "GET", path.trim_end_matches('/'), &format!("Host: {host}\r\n")).0, 200, "{host}");
    }
    let wrong = format!("/{}/", "0".repeat(path.len() - 2));
    let refused: [(&str, &str, u16); 10] = [
        (&wrong[..], &here[..], 403),
        ("/", &here, 403),
        ("/favicon.ico", &here, 403),
        (&path[..path.len() - 2], &here, 403),
        (&path, "", 403),
        (&path, "Host: evil.example\r\n", 403),
        (&path, "Host: 127.0.0.1.evil.example:80\r\n", 403),
        (&path, "Host: localhost\r\nHost: evil.example\r\n", 403),
        (&format!("{path}grid.json"), &here, 404),
        (&format!("{path}../"), &here, 404),
    ];
    for (path, headers, status) in refused {
        let (got, text) = ask(address, "GET", path, headers);
        assert_eq!(got, status, "{path} {headers}");
        assert!(!text.contains("by-hand"), "{text}");
    }
    assert_eq!(ask(address, "POST", &path, &format!("{here}Content-Length: 0\r\n")).0, 405);
    assert!(!ask(address, "HEAD", &path, &here).1.contains("<html"));
}

#[test]
fn a_request_whose_body_does_not_come_keeps_nobody_waiting() {
    let folder = Folder::half_way();
    let (address, path) = serve(&folder);
    let open: Vec<TcpStream> = ["100000", "18446744073709551615"]
        .map(|length| {
            let mut stream = TcpStream::connect(address).expect("a connection");
            write!(stream, "POST / HTTP/1.1\r\nHost: {address}\r\nContent-Length: {length}\r\n\r\n")
                .expect("a request");
            stream
        })
        .into();
    thread::sleep(Duration::from_millis(200));
    assert_eq!(ask(address, "GET", &path, &format!("Host: {address}\r\n")).0, 200);
    drop(open);
}

#[test]
fn a_client_that_takes_no_answer_keeps_nobody_waiting() {
    let folder = Folder::half_way();
    let (address, path) = serve(&folder);
    let mut stream = TcpStream::connect(address).expect("a connection");
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n");
    let page = ask(address, "GET", &path, &format!("Host: {address}\r\n")).1;
    // More bytes than the buffers of a connection hold.
    let count = (24 << 20) / page.len();
    assert!(count < 2_000, "a page of {} bytes", page.len());
    stream.write_all(request.repeat(count).as_bytes()).expect("requests");
    thread::sleep(Duration::from_millis(500));
    assert_eq!(ask(address, "GET", &path, &format!("Host: {address}\r\n")).0, 200);
    drop(stream);
}

#[test]
fn requests_with_a_body_are_refused_and_leave_nothing_behind() {
    let folder = Folder::half_way();
    let (address, path) = serve(&folder);
    let here = format!("Host: {address}\r\n");
    for length in [5, 300].into_iter().cycle().take(400).chain([5_000]) {
        let body = format!("{here}Content-Length: {length}\r\n\r\n{}", "x".repeat(length - 2));
        assert_eq!(ask(address, "POST", &path, &body).0, 413);
    }
    assert_eq!(ask(address, "GET", &path, &here).0, 200);
}

#[test]
fn other_addresses_of_this_machine_are_not_served() {
    let folder = Folder::half_way();
    let (address, _) = serve(&folder);
    assert!(address.ip().is_loopback() && address.port() != 0, "{address}");
    if cfg!(target_os = "linux") {
        // All of 127.0.0.0/8 is this machine.
        assert!(TcpStream::connect(("127.0.0.2", address.port())).is_err());
    }
    assert!(Server::bind(address.port()).is_err(), "the port is taken");
}

#[test]
fn a_new_line_of_metrics_is_on_the_next_page() {
    let folder = Folder::half_way();
    let (address, path) = serve(&folder);
    let page = || ask(address, "GET", &path, "Host: localhost\r\n").1;
    assert!(page().contains("<b>2.987…</b>"));
    folder.add(2, 1, 500, "validation", &json!({"policy_loss": 2.765}));
    let began = Instant::now();
    while !page().contains("<b>2.765…</b>") {
        assert!(began.elapsed() < Duration::from_secs(30), "{}", page());
        thread::sleep(Duration::from_millis(100));
    }
    std::fs::remove_file(folder.path().join("grid.json")).expect("removed");
    let lost = loop {
        let (status, text) = ask(address, "GET", &path, "Host: localhost\r\n");
        if status != 200 {
            break (status, text);
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{text}");
        thread::sleep(Duration::from_millis(100));
    };
    assert!(lost.0 == 500 && lost.1.contains("holds no grid.json"), "{lost:?}");
}
