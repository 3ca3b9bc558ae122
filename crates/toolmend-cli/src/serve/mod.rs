//! `serve`: the live proxy.

mod log;
mod options;
mod settings;

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use toolmend_gateway::{Demo, Mending, Server};

use crate::failure::{Exit, Failure};
use crate::say::say;

pub(crate) use self::options::Serve;
pub(crate) use self::settings::Given;

/// Serves until the process is told to end.
pub(crate) fn run(options: Serve) -> Result<Exit, Failure> {
    log::start(options.log);
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::Runtime)?;
    runtime.block_on(serve(options))
}

async fn serve(options: Serve) -> Result<Exit, Failure> {
    let mut settings = options.settings;
    if options.demo {
        let demo = Demo::start().await.map_err(Failure::Runtime)?;
        // An address and port make a URL.
        if let Ok(upstream) = format!("http://{}", demo.address).parse() {
            settings.upstream = upstream;
        }
    }
    let scheme = if settings.tls.is_some() { "https" } else { "http" };
    let drain = settings.limits.drain.as_secs();
    let open = settings.token.is_none() && !settings.listen.ip().is_loopback();
    let upstream = settings.upstream.to_string();
    let mending = Mending::new(&settings);
    let server = Server::bind(settings, Box::new(mending)).await.map_err(Failure::Gateway)?;
    // Before anybody is told that it serves: whoever knows may end it.
    let (mut told, mut again) =
        (Told::new().map_err(Failure::Runtime)?, Told::new().map_err(Failure::Runtime)?);
    if let Some(address) = server.address() {
        let base = format!("{scheme}://{}", reachable(address));
        if options.demo {
            say(
                "no --upstream is given: a demo answers, whose calls of get_weather are broken in a few ways",
            );
        } else {
            say(format_args!("requests go to {upstream}"));
        }
        say(format_args!("set one of these for your client:"));
        say(format_args!("  OPENAI_BASE_URL={base}/v1"));
        say(format_args!("  ANTHROPIC_BASE_URL={base}"));
        say(format_args!("  OLLAMA_HOST={base}"));
        say(format_args!("  GOOGLE_GEMINI_BASE_URL={base}"));
        if address.ip().is_unspecified() {
            say("from another machine, with this machine's name in place of that address");
        }
        if open {
            say(format_args!(
                "warning: whoever reaches {address} is served; ask for a token with TOOLMEND_TOKEN, or listen on 127.0.0.1"
            ));
        }
    }
    if let Some(address) = server.admin_address().map(reachable) {
        say(format_args!("health, readiness and metrics: http://{address}/-/health, /-/ready, /-/metrics"));
    }
    let running = server.run(async {
        told.once().await;
        say(format_args!(
            "draining, up to {drain} s: open requests may end, no new one is taken; a second signal ends it at once"
        ));
    });
    let twice = async {
        again.once().await;
        again.once().await;
    };
    tokio::select! {
        drained = running => if !drained {
            say("some requests were still open when the time to end was over; they were cut");
        },
        () = twice => say("ended at once; requests that were open were cut"),
    }
    Ok(Exit::Good)
}

/// Where a client on this machine finds who listens there: an address that means all is none to connect to, whatever some
/// systems make of it.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

/// Hears SIGTERM and SIGINT.
struct Told {
    #[cfg(unix)]
    end: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
}

impl Told {
    #[cfg(unix)]
    fn new() -> io::Result<Told> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Told { end: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    #[cfg(unix)]
    async fn once(&mut self) {
        tokio::select! {
            _ = self.end.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }

    #[cfg(not(unix))]
    fn new() -> io::Result<Told> {
        Ok(Told {})
    }

    #[cfg(not(unix))]
    async fn once(&mut self) {
        // Without it, only the end of the process ends it.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
