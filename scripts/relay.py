"""A loopback relay that keeps what it passes on.

Not a program: with one on each side of the gateway, what it took and what it gave can be compared byte for byte.
"""

import http.client
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Relay:
    """Passes everything to a port, and keeps the last body that came from there."""

    def __init__(self, port):
        relay = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                length = int(self.headers.get("content-length", 0))
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
                kind = {"content-type": self.headers.get("content-type", "application/json")}
                connection.request(self.command, self.path, self.rfile.read(length) or None, kind)
                answer = connection.getresponse()
                self.send_response(answer.status)
                self.send_header("content-type", answer.headers.get("content-type", ""))
                self.send_header("transfer-encoding", "chunked")
                self.end_headers()
                relay.last = b""
                while piece := answer.read1(65536):
                    relay.last += piece
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                self.wfile.write(b"0\r\n\r\n")
                connection.close()

            do_POST = do_GET

            def log_message(self, *_):
                pass

        self.last = b""
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        # A client that leaves is no error.
        self.server.handle_error = lambda *_: None
        self.port = self.server.server_port

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
