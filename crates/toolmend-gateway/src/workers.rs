//! The threads that serve. Each has a runtime of its own and its own connections to the upstream: a turn stays on
//! the thread that its client's connection was given to, so that no event wakes another thread.

use std::io;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, watch};

use crate::proxy::Proxy;
use crate::server::{Connection, Slot, Stop, Tls};

/// A client's connection on its way to a thread.
struct Given {
    stream: TcpStream,
    stop: watch::Receiver<Stop>,
    /// One of the connections that there may be.
    slot: OwnedSemaphorePermit,
    load: Load,
}

/// Counts for a thread as long as it has the connection.
pub(crate) struct Load(Arc<AtomicUsize>);

impl Load {
    fn on(connections: &Arc<AtomicUsize>) -> Load {
        connections.fetch_add(1, Ordering::Relaxed);
        Load(Arc::clone(connections))
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// One thread that serves.
struct Worker {
    give: UnboundedSender<Given>,
    connections: Arc<AtomicUsize>,
    thread: JoinHandle<()>,
}

/// The threads that serve. They end when this is dropped, with all that is open on them.
pub(crate) struct Workers(Vec<Worker>);

impl Workers {
    /// Starts so many of them.
    ///
    /// # Errors
    /// Where the system gives no thread, or no descriptor to wait for sockets with.
    pub(crate) fn start(count: usize, proxy: &Proxy, tls: &Tls) -> io::Result<Workers> {
        let mut workers = Vec::new();
        for number in 0..count {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            let (give, given) = unbounded_channel();
            let (proxy, tls) = (Arc::new(proxy.sibling()), tls.clone());
            let thread = std::thread::Builder::new()
                .name(format!("serve-{number}"))
                .spawn(move || serve(&runtime, given, &proxy, &tls))?;
            workers.push(Worker { give, connections: Arc::default(), thread });
        }
        Ok(Workers(workers))
    }

    /// Gives a connection to the thread that has the fewest.
    pub(crate) fn give(&self, stream: TcpStream, stop: watch::Receiver<Stop>, slot: OwnedSemaphorePermit) {
        let least = self.0.iter().min_by_key(|worker| worker.connections.load(Ordering::Relaxed));
        if let Some(worker) = least {
            let load = Load::on(&worker.connections);
            // A thread takes what it is given until it is told to end.
            let _ = worker.give.send(Given { stream, stop, slot, load });
        }
    }

    /// Ends them and waits for it.
    pub(crate) async fn end(self) {
        let threads: Vec<JoinHandle<()>> = self.0.into_iter().map(|worker| worker.thread).collect();
        let ended = tokio::task::spawn_blocking(|| threads.into_iter().all(|thread| thread.join().is_ok()));
        if !ended.await.unwrap_or_default() {
            tracing::error!("a thread that served had ended before");
        }
    }
}

/// What a thread does until there is nobody to give it a connection any more.
fn serve(runtime: &Runtime, mut given: UnboundedReceiver<Given>, proxy: &Arc<Proxy>, tls: &Tls) {
    runtime.block_on(async move {
        while let Some(Given { stream, stop, slot, load }) = given.recv().await {
            let stream = match tokio::net::TcpStream::from_std(stream) {
                Ok(stream) => stream,
                Err(error) => {
                    tracing::debug!(%error, "a connection could not be served");
                    continue;
                }
            };
            let slot = Slot::new((slot, load), &proxy.metrics);
            let (connection, tls) = (Connection { proxy: Arc::clone(proxy), stop, slot }, tls.clone());
            tokio::spawn(async move { connection.serve(stream, tls).await });
        }
    });
}
