"""Verifies webhooks. One file to copy; it needs Python 3.9 or newer and the package `cryptography`."""

import base64
import binascii
import json
import re
import threading
import time
import urllib.request
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Callable, Mapping, Optional, Sequence, Union

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils
from cryptography.hazmat.primitives.hashes import SHA256

MAX_SKEW_S = 5 * 60  # A valid signature does not expire by itself, so older and newer ones are rejected.
MAX_CACHE_AGE_S = 60 * 60
MIN_REFETCH_S = 10  # Anybody can invent key ids; these must not cause a request each.
FETCH_TIMEOUT_S = 5

TIMESTAMP_SHAPE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)

Key = Mapping[str, Any]


class KeySetUnavailable(Exception):
    """The keys could not be fetched: answer 503, and the webhook comes again."""


@dataclass(frozen=True)
class Verification:
    """`notification` is the body where `verified`; its status is not signed. Otherwise `reason` says why not."""

    verified: bool
    notification: Optional[Mapping[str, Any]] = None
    reason: Optional[str] = None


class NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def fetch_json(url: str) -> Any:
    with urllib.request.build_opener(NoRedirects).open(url, timeout=FETCH_TIMEOUT_S) as response:
        return json.load(response)


class KeySet:
    """The keys at `{base_url}/.well-known/jwks.json`: cached for an hour, fetched again when a key id is new.

    `fetch` and `now` (seconds since 1970) can be replaced, for tests.
    """

    def __init__(self, url: str, fetch: Callable[[str], Any] = fetch_json, now: Callable[[], float] = time.time):
        self.now = now
        self._url, self._fetch = url, fetch
        self._keys: list = []
        self._fetched_at = float("-inf")
        self._lock = threading.Lock()

    def find(self, kid: Optional[str]) -> list:
        """The key with this id; every key where the id is None, as X-Key-Id is optional."""
        with self._lock:  # One request serves all webhooks that arrive meanwhile.
            age = self.now() - self._fetched_at
            if age > MAX_CACHE_AGE_S or (age > MIN_REFETCH_S and not self._matching(kid)):
                self._refresh()
            return self._matching(kid)

    def _matching(self, kid: Optional[str]) -> list:
        return [key for key in self._keys if kid is None or key.get("kid") == kid]

    def _refresh(self) -> None:
        try:
            self._keys = list(self._fetch(self._url)["keys"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise KeySetUnavailable(f"{self._url}: {error}") from error
        self._fetched_at = self.now()


def _decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _number(text: str) -> int:
    return int.from_bytes(_decode(text), "big")


def _verify_rs256(key: Key, data: bytes, signature: bytes) -> None:
    public_key = rsa.RSAPublicNumbers(_number(key["e"]), _number(key["n"])).public_key()
    public_key.verify(signature, data, padding.PKCS1v15(), SHA256())


def _verify_es256(key: Key, data: bytes, signature: bytes) -> None:
    if len(signature) != 64:
        raise InvalidSignature
    # Two numbers of 32 bytes one after the other (RFC 7518 §3.4); the library wants DER.
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    public_key = ec.EllipticCurvePublicNumbers(_number(key["x"]), _number(key["y"]), ec.SECP256R1()).public_key()
    public_key.verify(utils.encode_dss_signature(r, s), data, ec.ECDSA(SHA256()))


def _verify_eddsa(key: Key, data: bytes, signature: bytes) -> None:
    ed25519.Ed25519PublicKey.from_public_bytes(_decode(key["x"])).verify(signature, data)


VERIFIERS = {("RS256", "RSA"): _verify_rs256, ("ES256", "EC"): _verify_es256, ("EdDSA", "OKP"): _verify_eddsa}


def _verifies_with(key: Key, data: bytes, signature: bytes) -> bool:
    try:
        VERIFIERS[key["alg"], key["kty"]](key, data, signature)
        return True
    except InvalidSignature:
        return False


def _parse_timestamp(text: str) -> Optional[float]:
    if TIMESTAMP_SHAPE.fullmatch(text) is None:
        return None
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc).timestamp()
    except ValueError:
        return None


def _parse_signature(text: str) -> Optional[bytes]:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def _read_headers(headers: Mapping[str, Union[str, Sequence[str]]]) -> dict:
    """Some frameworks give every header as a list. Of two that differ none is believed."""
    lists = ((name.lower(), [value] if value is None or isinstance(value, str) else list(value)) for name, value in headers.items())
    return {name: values[0] for name, values in lists if len(set(values)) == 1}


def _read_notification(body: Union[str, bytes, bytearray, memoryview, Mapping[str, Any]]) -> Optional[Mapping[str, Any]]:
    try:
        text = bytes(body) if isinstance(body, memoryview) else body
        content = json.loads(text) if isinstance(text, (str, bytes, bytearray)) else text
    except (ValueError, RecursionError):
        return None  # Anyone can post anything here.
    if not isinstance(content, Mapping):
        return None
    return content if all(isinstance(content.get(name), str) for name in ("transaction_id", "status")) else None


def verify_webhook(
    headers: Mapping[str, Union[str, Sequence[str]]],
    body: Union[str, bytes, bytearray, memoryview, Mapping[str, Any]],
    keys: KeySet,
) -> Verification:
    """Whether a webhook is authentic and not older or newer than 5 minutes: answer 401 where it is not verified.

    What is signed is `<timestamp>:<transaction_id>`. `body` is the text, the bytes, or the JSON that was parsed from it.
    Raises KeySetUnavailable where the keys could not be fetched.
    """
    given = _read_headers(headers)
    timestamp, signature = given.get("x-timestamp"), given.get("x-signature")
    if not timestamp or not signature:
        return Verification(False, reason="missing_header")
    signed_at = _parse_timestamp(timestamp)
    if signed_at is None:
        return Verification(False, reason="malformed_timestamp")
    if abs(keys.now() - signed_at) > MAX_SKEW_S:
        return Verification(False, reason="timestamp_out_of_range")
    signature_bytes = _parse_signature(signature)
    if not signature_bytes:
        return Verification(False, reason="malformed_signature")
    notification = _read_notification(body)
    if notification is None:
        return Verification(False, reason="malformed_body")
    found = keys.find(given.get("x-key-id") or None)
    candidates = [key for key in found if (key.get("alg"), key.get("kty")) in VERIFIERS]
    if not candidates:
        return Verification(False, reason="unknown_key")
    data = f"{timestamp}:{notification['transaction_id']}".encode(errors="replace")
    if not any(_verifies_with(key, data, signature_bytes) for key in candidates):
        return Verification(False, reason="wrong_signature")
    return Verification(True, notification=notification)
