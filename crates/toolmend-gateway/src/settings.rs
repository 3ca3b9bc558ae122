//! What the gateway is told to do.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::num::NonZero;
use std::path::PathBuf;
use std::thread::available_parallelism;

use toolmend::formats::Promote;
use toolmend::{Policy, Rule};

use crate::endpoint::Upstream;
use crate::limits::Limits;

/// What the gateway is told to do.
#[derive(Clone)]
pub struct Settings {
    /// Where requests go.
    pub upstream: Upstream,
    /// A file of certificates (PEM) that the upstream's is trusted by, beside the machine's own.
    pub upstream_ca: Option<PathBuf>,
    /// Where clients connect.
    pub listen: SocketAddr,
    /// How many threads serve; as many as the machine has processors for us, by default.
    pub threads: NonZero<usize>,
    /// The certificate chain and key (PEM) with which clients are served over TLS.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// What clients have to show. Never passed on.
    pub token: Option<String>,
    /// Where health, readiness and metrics are served, on a listener of their own.
    pub admin: Option<SocketAddr>,
    /// The model whose leaks are expected; the request's own where there is none.
    pub model: Option<String>,
    /// Whether answers are changed.
    pub mode: Mode,
    /// How calls are held back.
    pub hold: Hold,
    /// The riskiest repair to accept.
    pub policy: Policy,
    /// Rules that are not to be used.
    pub without: Vec<Rule>,
    /// What becomes of a call that was cut.
    pub on_cut: OnCut,
    /// Which calls in an answer's text become calls.
    pub promote: Promote,
    /// Whether broken arguments in what a client sends back are mended.
    pub mend_history: bool,
    /// Whether usage is asked for where the client did not, and kept from it.
    pub ask_usage: bool,
    /// Whether a turn whose call was declined is asked for once more.
    pub reissue: bool,
    /// Whether the arguments of mended and declined calls stand in the log.
    pub log_bodies: bool,
    /// The folder in which faulty turns are kept.
    pub record: Option<PathBuf>,
    /// What it takes, holds and waits.
    pub limits: Limits,
}

impl Settings {
    /// Everything else as it is by default: on loopback, port 8080.
    #[must_use]
    pub fn new(upstream: Upstream) -> Settings {
        Settings {
            upstream,
            upstream_ca: None,
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            threads: available_parallelism().unwrap_or(NonZero::<usize>::MIN),
            tls: None,
            token: None,
            admin: None,
            model: None,
            mode: Mode::default(),
            hold: Hold::default(),
            policy: Policy::STANDARD,
            without: Vec::new(),
            on_cut: OnCut::default(),
            promote: Promote::default(),
            mend_history: false,
            ask_usage: false,
            reissue: false,
            log_bodies: false,
            record: None,
            limits: Limits::default(),
        }
    }
}

/// Without the token.
impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("upstream", &self.upstream.to_string())
            .field("listen", &self.listen)
            .field("tls", &self.tls.is_some())
            .field("token", &self.token.is_some())
            .field("mode", &self.mode)
            .field("hold", &self.hold)
            .field("policy", &self.policy)
            .field("on_cut", &self.on_cut)
            .field("promote", &self.promote)
            .finish_non_exhaustive()
    }
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)*
        }

        impl $name {
            /// All of them.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// The word for it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)*
                }
            }

            /// The one of this name.
            #[must_use]
            pub fn named(name: &str) -> Option<$name> {
                Self::ALL.iter().copied().find(|known| known.name() == name)
            }
        }
    };
}

words! {
    /// Whether answers are changed.
    Mode {
        /// They are.
        #[default]
        Mend "mend",
        /// No byte is changed or held; what would be done is told.
        Observe "observe",
    }
}

words! {
    /// How calls are held back.
    Hold {
        /// Each from its first byte until it is settled.
        #[default]
        Call "call",
        /// From the first byte that is not the beginning of a valid object; until then it streams.
        Deviation "deviation",
    }
}

words! {
    /// What becomes of a call that was cut.
    OnCut {
        /// It passes as it came.
        Pass "pass",
        /// It passes as it came; a finish reason that the evidence proves false is corrected.
        #[default]
        Relabel "relabel",
        /// A notice in the text stands in its place, and the finish reason says that the turn was cut.
        Withhold "withhold",
    }
}

/// Why a gateway cannot be set up.
#[derive(Debug)]
#[non_exhaustive]
pub enum SetupError {
    /// A file of certificates or a key cannot be read.
    Pem {
        /// The setting that names it.
        setting: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// The certificate and the key do not make an identity.
    Identity(rustls::Error),
    /// There is nothing to trust an https upstream by.
    NoRoots,
    /// The folder for recorded turns cannot be used.
    Record {
        /// The folder.
        folder: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The threads that serve cannot be started.
    Threads(io::Error),
    /// An address cannot be listened on.
    Listen {
        /// The setting that names it.
        setting: &'static str,
        /// The address.
        address: SocketAddr,
        /// Why.
        error: io::Error,
    },
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SetupError::Pem { setting, path, why } => write!(
                f,
                "{} cannot be used: {why}; --{setting} must name a file in the PEM format",
                path.display()
            ),
            SetupError::Identity(error) => write!(f, "the certificate of --tls-cert and the key of --tls-key do not fit: {error}"),
            SetupError::NoRoots => f.write_str(
                "this machine has no certificates to trust an https upstream by; install its CA certificates, or name a file with --upstream-ca",
            ),
            SetupError::Record { folder, error }
                if matches!(error.kind(), io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory) =>
            {
                write!(f, "{} is no folder; --record must name one, or one to be made", folder.display())
            }
            SetupError::Record { folder, error } => {
                write!(f, "turns cannot be recorded in {}: {error}", folder.display())
            }
            SetupError::Threads(error) => {
                write!(f, "the threads that serve cannot be started: {error}; try fewer of them with --threads")
            }
            SetupError::Listen { setting, address, error } => match error.kind() {
                io::ErrorKind::AddrInUse => {
                    write!(f, "{address} is in use by another program; give --{setting} another port")
                }
                io::ErrorKind::AddrNotAvailable => write!(
                    f,
                    "{address} cannot be listened on: {error}; give --{setting} an address of this machine"
                ),
                io::ErrorKind::PermissionDenied => write!(
                    f,
                    "{address} may not be listened on: {error}; give --{setting} a port from 1024 on"
                ),
                _ => write!(f, "{address} cannot be listened on: {error}; it was given with --{setting}"),
            },
        }
    }
}

impl std::error::Error for SetupError {}
