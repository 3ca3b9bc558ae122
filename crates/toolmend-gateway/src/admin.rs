//! Health, readiness and metrics, on a listener of their own so that no path of the upstream is shadowed.

use std::convert::Infallible;
use std::sync::Arc;

use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::body::Body;
use crate::proxy::Proxy;
use crate::server::Stop;

/// Serves until the gateway stops: whoever asks whether it is ready then finds nobody.
pub(crate) async fn serve(listener: TcpListener, proxy: Arc<Proxy>, mut stop: watch::Receiver<Stop>) {
    let accepting = async {
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                tokio::time::sleep(proxy.settings.limits.connect).await;
                continue;
            };
            let proxy = Arc::clone(&proxy);
            tokio::spawn(async move {
                let limit = proxy.settings.limits.header_read;
                let service = service_fn(|request: Request<Incoming>| {
                    let answer = answer(&proxy, request.uri().path());
                    async { Ok::<_, Infallible>(answer) }
                });
                let mut builder = http1::Builder::new();
                builder.timer(TokioTimer::new()).header_read_timeout(limit).keep_alive(false);
                // A prober that leaves early loses nothing.
                let _ = builder.serve_connection(TokioIo::new(stream), service).await;
            });
        }
    };
    tokio::select! {
        () = accepting => {}
        _ = stop.wait_for(|stop| *stop != Stop::Run) => {}
    }
}

fn answer(proxy: &Proxy, path: &str) -> Response<Body> {
    let (status, kind, text) = match path {
        "/-/health" => (StatusCode::OK, "text/plain; charset=utf-8", "ok\n".to_owned()),
        "/-/ready" => (StatusCode::OK, "text/plain; charset=utf-8", "ready\n".to_owned()),
        "/-/metrics" => (
            StatusCode::OK,
            "application/openmetrics-text; version=1.0.0; charset=utf-8",
            proxy.metrics.text(),
        ),
        _ => (
            StatusCode::NOT_FOUND,
            "text/plain; charset=utf-8",
            "there are /-/health, /-/ready and /-/metrics\n".to_owned(),
        ),
    };
    let mut response = Response::new(Body::whole(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
