//! Servers on 127.0.0.1 that tests start and stop.

use std::future::Future;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::thread::{self, JoinHandle};

use tokio::net::TcpStream;
use tokio::runtime;
use tokio::sync::oneshot;

/// A running server. It stops when this is dropped.
///
/// It has a thread and a runtime of its own: it serves tests without a runtime, and tests that block theirs.
#[derive(Debug)]
pub(crate) struct Loopback {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl Loopback {
    /// Listens on a port, or with 0 on one that the system chooses, and serves each connection by `connection`.
    ///
    /// # Errors
    /// The port cannot be listened on, or no thread started.
    pub(crate) fn start<F>(
        name: &str,
        port: u16,
        connection: impl Fn(TcpStream) -> F + Send + 'static,
    ) -> io::Result<Self>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let (stop, stopped) = oneshot::channel();
        let thread = thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || runtime.block_on(serve(listener, connection, stopped)))?;
        Ok(Self {
            address,
            stop: Some(stop),
            thread: Some(thread),
        })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Loopback {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A server that failed has nothing left to stop.
            let _ = thread.join();
        }
    }
}

/// Serves connections until the sender of `stop` is gone.
async fn serve<F>(
    listener: TcpListener,
    connection: impl Fn(TcpStream) -> F,
    mut stop: oneshot::Receiver<()>,
) -> io::Result<()>
where
    F: Future<Output = ()> + Send + 'static,
{
    let listener = tokio::net::TcpListener::from_std(listener)?;
    loop {
        let accepted = tokio::select! {
            _ = &mut stop => return Ok(()),
            accepted = listener.accept() => accepted,
        };
        // A client that went away before it was accepted is no matter.
        if let Ok((stream, _)) = accepted {
            tokio::spawn(connection(stream));
        }
    }
}
