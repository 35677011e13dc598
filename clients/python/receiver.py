# python3 receiver.py SERVICE_URL PORT
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from attestor.verify_webhook import KeySet, KeySetUnavailable, verify_webhook

service, port = sys.argv[1], int(sys.argv[2])
keys = KeySet(service + "/.well-known/jwks.json")
handled = set()  # Yours is a database.


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > 65536:
            return self.answer(413)
        try:
            result = verify_webhook(self.headers, self.rfile.read(int(length)), keys)
        except KeySetUnavailable:
            return self.answer(503)  # Asks for another attempt.
        if not result.verified:
            print("rejected: " + result.reason, flush=True)
            return self.answer(401)
        once = result.notification["transaction_id"] + " " + result.notification["status"]
        if once not in handled:  # Queue your own work here: read the transaction with your token.
            print("verified: " + once, flush=True)
        handled.add(once)
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", port), Receiver).serve_forever()
