//! A REST catalog server for clients of other languages: `rest_server DIR PORT [TOKEN]`.
//!
//! Tables go below DIR, port 0 lets the system choose, and with TOKEN every request has to show it as a
//! bearer token. It prints its URI in one line and serves until its standard input ends.

use std::io::{self, Read, Write};

use ftable_testkit::rest_server::{Authorization, RestServer, ServerOptions};

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (directory, port, token) = match &arguments[..] {
        [directory, port] => (directory, port, None),
        [directory, port, token] => (directory, port, Some(token)),
        _ => return Err(io::Error::other("usage: rest_server DIR PORT [TOKEN]")),
    };
    let port = port
        .parse()
        .map_err(|error| io::Error::other(format!("port '{port}': {error}")))?;
    let authorization = token.map_or(Authorization::None, |token| {
        Authorization::Bearer(token.clone())
    });
    let server = RestServer::start(ServerOptions {
        port,
        authorization,
        ..ServerOptions::new(directory)
    })?;
    println!("{}", server.uri());
    io::stdout().flush()?;
    io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}
