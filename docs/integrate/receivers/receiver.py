# pip install cryptography; python3 receiver.py SERVICE_URL PORT
import base64, json, sys, time, urllib.request
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicNumbers
from cryptography.hazmat.primitives.hashes import SHA256

service, port = sys.argv[1], int(sys.argv[2])
handled = set()  # Yours is a database.
keys, fetched_at = [], 0.0


def number(text):
    return int.from_bytes(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), "big")


def keys_for(kid):
    """Cached for an hour; fetched again for a key id that is new, every 10 seconds at most."""
    global keys, fetched_at
    age = time.time() - fetched_at
    if age > 3600 or (age > 10 and kid not in [key["kid"] for key in keys]):
        with urllib.request.urlopen(service + "/.well-known/jwks.json", timeout=5) as answer:
            keys, fetched_at = json.load(answer)["keys"], time.time()
    return [key for key in keys if key["alg"] == "RS256" and kid in (None, key["kid"])]


def is_authentic(headers, transaction_id):
    timestamp, signature = headers.get("X-Timestamp"), headers.get("X-Signature")
    if not timestamp or not signature:
        return False
    try:
        sent_at = datetime.strptime(timestamp, "%Y-%m-%dT%H:%M:%S.%f%z").timestamp()
        proof = base64.b64decode(signature, validate=True)
    except ValueError:
        return False
    if abs(time.time() - sent_at) > 300:
        return False
    for key in keys_for(headers.get("X-Key-Id")):
        public_key = RSAPublicNumbers(number(key["e"]), number(key["n"])).public_key()
        try:
            public_key.verify(proof, f"{timestamp}:{transaction_id}".encode(), PKCS1v15(), SHA256())
            return True
        except InvalidSignature:
            pass
    return False


def notification_in(body):
    try:
        notification = json.loads(body)
        transaction_id, status = notification["transaction_id"], notification["status"]
        return (transaction_id, status) if isinstance(transaction_id, str) and isinstance(status, str) else None
    except (ValueError, TypeError, KeyError):
        return None  # Anyone can post anything here.


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > 65536:
            return self.answer(413)
        notification = notification_in(self.rfile.read(int(length)))
        try:
            if notification is None or not is_authentic(self.headers, notification[0]):
                return self.answer(401)
        except OSError:
            return self.answer(503)  # The keys could not be fetched: ask for another attempt.
        if notification not in handled:  # Queue your own work here: read the transaction with your token.
            print("verified: %s %s" % notification, flush=True)
        handled.add(notification)
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", port), Receiver).serve_forever()
