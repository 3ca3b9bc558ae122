//! A gateway between raw sockets: what is written and read is known byte by byte.

use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use toolmend_gateway::{Facts, Inspector, Inspectors, Server, Settings};

/// How long anything may take before a test counts as hanging.
pub(crate) const LIVE: Duration = Duration::from_secs(60);

/// Fails instead of hanging.
pub(crate) async fn within<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(LIVE, work).await.expect("this hangs")
}

/// A request or an answer as it came over a socket, with the body as its framing has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) start: String,
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) trailers: Vec<(String, String)>,
    /// The body's end was seen.
    pub(crate) whole: bool,
}

impl Message {
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn status(&self) -> u16 {
        self.start.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0)
    }

    pub(crate) fn target(&self) -> &str {
        self.start.split(' ').nth(1).unwrap_or("")
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("the body is text")
    }
}

/// One side of a connection, and what was read ahead on it.
pub(crate) struct Wire<S = TcpStream> {
    pub(crate) stream: S,
    ahead: Vec<u8>,
}

impl Wire {
    pub(crate) async fn connect(address: SocketAddr) -> Wire {
        let stream = TcpStream::connect(address).await.expect("the address is listened on");
        stream.set_nodelay(true).unwrap();
        Wire::new(stream)
    }
}

impl<S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin> Wire<S> {
    pub(crate) fn new(stream: S) -> Wire<S> {
        Wire { stream, ahead: Vec::new() }
    }

    pub(crate) async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        // The other side may have gone; what that means is the test's to say.
        let _ = self.stream.write_all(bytes.as_ref()).await;
        let _ = self.stream.flush().await;
    }

    /// The next bytes; empty where there are no more.
    pub(crate) async fn read(&mut self) -> Vec<u8> {
        if !self.ahead.is_empty() {
            return std::mem::take(&mut self.ahead);
        }
        let mut bytes = vec![0; 16 << 10];
        let n = within(self.stream.read(&mut bytes)).await.unwrap_or(0);
        bytes.truncate(n);
        bytes
    }

    /// A line without its end; `None` where the other side has closed.
    async fn line(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.ahead.windows(2).position(|two| two == b"\r\n") {
                let line = String::from_utf8_lossy(&self.ahead[..end]).into_owned();
                self.ahead.drain(..end + 2);
                return Some(line);
            }
            let mut held = std::mem::take(&mut self.ahead);
            let more = self.read().await;
            let over = more.is_empty();
            held.extend(more);
            self.ahead = held;
            if over {
                return None;
            }
        }
    }

    async fn fields(&mut self) -> Option<Vec<(String, String)>> {
        let mut fields = Vec::new();
        loop {
            let line = self.line().await?;
            if line.is_empty() {
                return Some(fields);
            }
            let (name, value) = line.split_once(':').expect("a field has a colon");
            fields.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
    }

    /// The beginning of a message, up to its body.
    pub(crate) async fn head(&mut self) -> Option<Message> {
        let start = self.line().await?;
        let fields = self.fields().await?;
        Some(Message { start, fields, ..Message::default() })
    }

    /// Exactly so many bytes, or as many as there are.
    async fn take(&mut self, n: usize, out: &mut Vec<u8>) -> bool {
        let end = out.len() + n;
        while out.len() < end {
            let mut more = self.read().await;
            if more.is_empty() {
                return false;
            }
            self.ahead = more.split_off(more.len().min(end - out.len()));
            out.extend(more);
        }
        true
    }

    /// The next piece of a chunked body; `None` behind the last.
    pub(crate) async fn chunk(&mut self) -> Option<Vec<u8>> {
        let size = self.line().await?;
        let size = usize::from_str_radix(size.split(';').next()?.trim(), 16).ok()?;
        if size == 0 {
            return None;
        }
        let mut bytes = Vec::new();
        if !self.take(size, &mut bytes).await || self.line().await.as_deref() != Some("") {
            return None;
        }
        Some(bytes)
    }

    /// Reads the body of a message by its framing (RFC 9112, section 6.3).
    pub(crate) async fn body(&mut self, message: &mut Message, is_request: bool) {
        if message.field("transfer-encoding").is_some() {
            loop {
                let Some(size) = self.line().await else { return };
                let Ok(size) = usize::from_str_radix(size.trim(), 16) else { return };
                if size == 0 {
                    if let Some(trailers) = self.fields().await {
                        message.trailers = trailers;
                        message.whole = true;
                    }
                    return;
                }
                if !self.take(size, &mut message.body).await {
                    return;
                }
                self.line().await;
            }
        } else if let Some(length) = message.field("content-length") {
            let length = length.parse().expect("a length is a number");
            message.whole = self.take(length, &mut message.body).await;
        } else if !is_request && !matches!(message.status(), 204 | 304) {
            while let more @ [_, ..] = &self.read().await[..] {
                message.body.extend(more);
            }
            message.whole = true;
        } else {
            message.whole = true;
        }
    }

    pub(crate) async fn request(&mut self) -> Option<Message> {
        let mut message = self.head().await?;
        if message.field("expect").is_some() {
            self.write("HTTP/1.1 100 Continue\r\n\r\n").await;
        }
        self.body(&mut message, true).await;
        Some(message)
    }

    /// The next answer; `None` where the other side has closed.
    pub(crate) async fn head_and_body(&mut self) -> Option<Message> {
        let mut message = self.head().await?;
        self.body(&mut message, false).await;
        Some(message)
    }

    pub(crate) async fn answer(&mut self) -> Message {
        self.head_and_body().await.unwrap_or_default()
    }
}

type Handler = Arc<dyn Fn(Message, Wire) -> Pin<Box<dyn Future<Output = Option<Wire>> + Send>> + Send + Sync>;

/// A model server that does what a test says. Ends with this.
pub(crate) struct Upstream {
    pub(crate) address: SocketAddr,
    task: JoinHandle<()>,
}

impl Upstream {
    /// For each request the handler answers on the wire, and gives it back where the connection goes on.
    pub(crate) async fn new<F>(handler: impl Fn(Message, Wire) -> F + Send + Sync + 'static) -> Upstream
    where
        F: Future<Output = Option<Wire>> + Send + 'static,
    {
        let handler: Handler = Arc::new(move |message, wire| Box::pin(handler(message, wire)));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let handler = Arc::clone(&handler);
                tokio::spawn(async move {
                    let _ = stream.set_nodelay(true);
                    let mut wire = Some(Wire::new(stream));
                    while let Some(mut open) = wire.take() {
                        let Some(request) = open.request().await else { return };
                        wire = handler(request, open).await;
                    }
                });
            }
        });
        Upstream { address, task }
    }

    /// Answers every request with these bytes.
    pub(crate) async fn always(answer: impl Into<Vec<u8>>) -> Upstream {
        let answer = Arc::new(answer.into());
        Upstream::new(move |_, mut wire| {
            let answer = Arc::clone(&answer);
            async move {
                wire.write(&answer[..]).await;
                Some(wire)
            }
        })
        .await
    }

    /// As [`Upstream::always`], and closes the connection behind them.
    pub(crate) async fn always_then_close(answer: impl Into<Vec<u8>>) -> Upstream {
        let answer = Arc::new(answer.into());
        Upstream::new(move |_, mut wire| {
            let answer = Arc::clone(&answer);
            async move {
                wire.write(&answer[..]).await;
                None
            }
        })
        .await
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A running gateway. Ends with this.
pub(crate) struct Gateway {
    pub(crate) address: SocketAddr,
    pub(crate) admin: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    running: JoinHandle<bool>,
}

impl Gateway {
    pub(crate) async fn new(upstream: &Upstream) -> Gateway {
        Gateway::with(upstream, |_| {}, Nothing).await
    }

    pub(crate) async fn with(
        upstream: &Upstream,
        set: impl FnOnce(&mut Settings),
        inspectors: impl Inspectors + 'static,
    ) -> Gateway {
        let mut settings = Settings::new(format!("http://{}", upstream.address).parse().unwrap());
        set(&mut settings);
        Gateway::of(settings, inspectors).await
    }

    pub(crate) async fn of(mut settings: Settings, inspectors: impl Inspectors + 'static) -> Gateway {
        settings.listen = "127.0.0.1:0".parse().unwrap();
        settings.admin = Some("127.0.0.1:0".parse().unwrap());
        let server = Server::bind(settings, Box::new(inspectors)).await.expect("the settings are good");
        let (address, admin) = (server.address().unwrap(), server.admin_address().unwrap());
        let (stop, stopped) = oneshot::channel();
        let running = tokio::spawn(server.run(async {
            let _ = stopped.await;
        }));
        Gateway { address, admin, stop: Some(stop), running }
    }

    /// Tells it to stop; what it answers comes from [`Gateway::stopped`].
    pub(crate) fn stop(&mut self) {
        drop(self.stop.take());
    }

    /// Whether everything had ended by itself.
    pub(crate) async fn stopped(mut self) -> bool {
        self.stop();
        within(&mut self.running).await.expect("it does not panic")
    }

    /// One exchange on a connection of its own.
    pub(crate) async fn ask(&self, request: impl AsRef<[u8]>) -> Message {
        let mut wire = Wire::connect(self.address).await;
        wire.write(request).await;
        wire.answer().await
    }

    /// The metrics, as they are now.
    pub(crate) async fn metrics(&self) -> String {
        let mut wire = Wire::connect(self.admin).await;
        wire.write("GET /-/metrics HTTP/1.1\r\nhost: a\r\n\r\n").await;
        wire.answer().await.text().to_owned()
    }

    /// Waits until the metrics have this line.
    pub(crate) async fn counts(&self, line: &str) {
        let waiting = async {
            while !self.metrics().await.lines().any(|l| l == line) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let waited = tokio::time::timeout(LIVE, waiting).await;
        if waited.is_err() {
            panic!("{line} is not in\n{}", self.metrics().await);
        }
    }
}

/// Looks at nothing.
pub(crate) struct Nothing;

impl Inspectors for Nothing {
    fn inspector(&self, _: &Facts) -> Option<Box<dyn Inspector>> {
        None
    }
}

/// Holds every event in which `call` stands, and those behind it, until `done` stands in one; panics
/// at `panic!`.
#[derive(Debug, Default)]
pub(crate) struct HoldCalls {
    line: Vec<u8>,
    events: Vec<u8>,
}

/// Makes [`HoldCalls`].
pub(crate) struct HoldingCalls;

impl Inspectors for HoldingCalls {
    fn inspector(&self, _: &Facts) -> Option<Box<dyn Inspector>> {
        Some(Box::new(HoldCalls::default()))
    }
}

impl Inspector for HoldCalls {
    fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        for byte in bytes {
            self.line.push(*byte);
            if !self.line.ends_with(b"\n\n") {
                continue;
            }
            let event = std::mem::take(&mut self.line);
            let text = String::from_utf8_lossy(&event).into_owned();
            let holds = !self.events.is_empty();
            self.events.extend(event);
            assert!(!text.contains("panic!"), "injected");
            if text.contains("done") || !(holds || text.contains("call")) {
                out.append(&mut self.events);
            }
        }
    }

    fn finish(&mut self, _: bool, out: &mut Vec<u8>) {
        self.release(out);
    }

    fn held(&self) -> usize {
        self.line.len() + self.events.len()
    }

    fn holds(&self) -> bool {
        !self.events.is_empty()
    }

    fn release(&mut self, out: &mut Vec<u8>) {
        out.append(&mut self.events);
        out.append(&mut self.line);
    }
}

/// A request for a turn with a tool.
pub(crate) fn chat() -> String {
    chat_with("")
}

/// As [`chat`], with further members.
pub(crate) fn chat_with(more: &str) -> String {
    post(
        "/v1/chat/completions",
        &format!(
            r#"{{"model":"m","messages":[],"stream":true,"tools":[{{"type":"function","function":{{"name":"run","parameters":{{"type":"object"}}}}}}]{more}}}"#
        ),
    )
}

/// A request with a body.
pub(crate) fn post(path: &str, body: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nhost: gateway\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// The head of a streamed answer.
pub(crate) const SSE: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

/// One chunk.
pub(crate) fn chunk(text: impl AsRef<[u8]>) -> Vec<u8> {
    let text = text.as_ref();
    [format!("{:x}\r\n", text.len()).as_bytes(), text, b"\r\n"].concat()
}

/// The last chunk.
pub(crate) const LAST: &str = "0\r\n\r\n";

/// A whole answer with a length.
pub(crate) fn whole(status: &str, fields: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{fields}content-length: {}\r\n\r\n{body}", body.len())
}
