"""A backend's client of Attestor: tokens, retries, create, read, wait. One file; Python 3.9 or newer, no packages.

Answers are dictionaries with the members that the API documents. `attestor.verify_webhook` verifies webhooks, and needs
the package `cryptography`.
"""

import email.utils
import http.client
import json
import random
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
import warnings
from typing import Any, Callable, Iterator, Mapping, Optional, Tuple

KYC = "/api/account/integration/kyc"
SCOPE = "account-integration-api/account-api-access"
ENDS = ("FINISHED", "FAILED", "EXPIRED")

RENEWAL_MARGIN_S = 60  # No call arrives with a token that just expired.
FIRST_DELAY_S, MAX_DELAY_S = 0.5, 8
MAX_RETRY_AFTER_S = 60  # A server that asks for a longer wait gets no retry: the caller gets its answer.
FIRST_POLL_S, MAX_POLL_S = 2, 15

Answer = Tuple[int, Mapping[str, str], bytes]


class AttestorError(Exception):
    """A call that was answered without success. A decision REJECTED is none."""

    def __init__(self, message: str, status: int, code: Optional[str], request_id: Optional[str]):
        super().__init__(message)
        self.status = status
        self.code = code  # Stable: the header X-Error-Code, or `error` of the token endpoint. None where a proxy answered.
        self.request_id = request_id  # For questions to the operator.


class IgnoredFieldsWarning(UserWarning):
    """The service does not know members of a call, which mean nothing then: a misspelt one, or an older service."""


class StillOpenError(Exception):
    """A transaction, as it was read last, that did not end while it was waited for."""

    def __init__(self, transaction: Mapping[str, Any]):
        super().__init__(f"transaction {transaction['id']} is still {transaction['status']}")
        self.transaction = transaction


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def _send(request: urllib.request.Request, timeout: float) -> Answer:
    """Raises OSError or HTTPException where there is no answer."""
    try:
        with urllib.request.build_opener(_NoRedirects).open(request, timeout=timeout) as response:
            return response.status, response.headers, response.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, error.read()


def _parse(content: bytes) -> Any:
    """None for what is no JSON: a proxy in front may answer with a page."""
    try:
        return json.loads(content)
    except ValueError:
        return None


def _error(answer: Answer, code: Optional[str] = None, message: Optional[str] = None) -> AttestorError:
    status, headers, content = answer
    said = _parse(content)
    error = said.get("error") if isinstance(said, dict) else None
    return AttestorError(
        message or error or f"the service returned {status}",
        status,
        code or headers.get("X-Error-Code"),
        headers.get("X-Request-Id"),
    )


class Client:
    """Threads may share one. `clock` (`time` and `sleep`), `chance` and `send` can be replaced, for tests."""

    def __init__(
        self,
        base_url: str,
        client_id: str,
        client_secret: str,
        *,
        auth_url: Optional[str] = None,
        attempts: int = 4,
        timeout: float = 30,
        clock: Any = time,
        chance: Callable[[], float] = random.random,
        send: Callable[[urllib.request.Request, float], Answer] = _send,
    ):
        self._base_url = base_url.rstrip("/")
        self._auth_url = (auth_url or base_url).rstrip("/")
        self._credentials = {"client_id": client_id, "client_secret": client_secret}
        self._attempts, self._timeout = attempts, timeout
        self._clock, self._chance, self._send = clock, chance, send
        self._token: Optional[str] = None
        self._renew_at = 0.0
        self._lock = threading.Lock()

    def create_customer(self, customer: Mapping[str, Any]) -> Any:
        """`external_customer_id` is needed. Repeated with the same data it returns the customer that there is."""
        return self.call("POST", f"{KYC}/customer", customer, str(uuid.uuid4()))

    def create_transaction(self, transaction: Mapping[str, Any], idempotency_key: Optional[str] = None) -> Any:
        """Give your own key where the call may be repeated by another process."""
        return self.call("POST", f"{KYC}/transaction", transaction, idempotency_key or str(uuid.uuid4()))

    def get_transaction(self, transaction_id: str) -> Any:
        return self.call("GET", f"{KYC}/transaction/{urllib.parse.quote(transaction_id, safe='')}")

    def list(self, path: str = f"{KYC}/transaction", **query: Any) -> Iterator[Any]:
        """Every entry of a list, from page to page; transactions by default, such as `list(status="FINISHED")`."""
        cursor: Optional[str] = None
        while True:
            asked = {**query, **({} if cursor is None else {"cursor": cursor})}
            page = self.call("GET", f"{path}?{urllib.parse.urlencode(asked, doseq=True)}")
            yield from page["data"]
            cursor = page.get("next_cursor")
            if cursor is None:
                return

    def wait_for_end(self, transaction_id: str, timeout: float = 120) -> Any:
        """Returns the transaction once it is FINISHED, FAILED or EXPIRED. A webhook says so sooner, and with fewer calls."""
        until, delay = self._clock.time() + timeout, FIRST_POLL_S
        while True:
            self._clock.sleep(delay)
            transaction = self.get_transaction(transaction_id)
            if transaction["status"] in ENDS:
                return transaction
            delay = min(delay * 2, MAX_POLL_S)
            if self._clock.time() + delay > until:
                raise StillOpenError(transaction)

    def call(self, method: str, path: str, body: Any = None, idempotency_key: Optional[str] = None) -> Any:
        """Every other call of a backend. It is repeated where it reads or has a key. Raises AttestorError."""
        headers = {} if idempotency_key is None else {"Idempotency-Key": idempotency_key}
        data = None if body is None else json.dumps(body).encode()
        if data is not None:
            headers["Content-Type"] = "application/json"
        attempts = self._attempts if method == "GET" or idempotency_key is not None else 1

        def send_with(token: str) -> Answer:
            authorized = {**headers, "Authorization": f"Bearer {token}"}
            request = urllib.request.Request(self._base_url + path, data, authorized, method=method)
            return self._repeat(request, attempts)

        token = self._get_token()
        answer = send_with(token)
        if answer[0] == 401:
            answer = send_with(self._get_token(refused=token))
        if not 200 <= answer[0] < 300:
            raise _error(answer)
        ignored = answer[1].get("X-Ignored-Fields")
        if ignored:
            warnings.warn(f"{path} ignored {ignored}", IgnoredFieldsWarning, stacklevel=2)
        return _parse(answer[2])

    def _get_token(self, refused: Optional[str] = None) -> str:
        with self._lock:  # One request serves all calls that wait for it.
            if self._token == refused or self._clock.time() >= self._renew_at:
                self._renew()
            return self._token

    def _renew(self) -> None:
        form = {"grant_type": "client_credentials", **self._credentials, "scope": SCOPE}
        data = urllib.parse.urlencode(form).encode()
        requested_at = self._clock.time()
        request = urllib.request.Request(f"{self._auth_url}/oauth2/token", data, method="POST")
        answer = self._repeat(request, self._attempts)
        said = _parse(answer[2])
        content = said if isinstance(said, dict) else {}
        if answer[0] != 200 or "access_token" not in content:
            raise _error(answer, content.get("error"), content.get("error_description"))
        lifetime = content.get("expires_in", 0)
        self._token = content["access_token"]
        self._renew_at = requested_at + lifetime - min(RENEWAL_MARGIN_S, lifetime / 2)

    def _repeat(self, request: urllib.request.Request, attempts: int) -> Answer:
        for attempt in range(1, attempts):
            try:
                answer = self._send(request, self._timeout)
                delay = self._delay_after(answer, attempt)
                if delay is None:
                    return answer
            except (OSError, http.client.HTTPException):
                delay = self._backoff(attempt)
            self._clock.sleep(delay)
        return self._send(request, self._timeout)

    def _backoff(self, attempt: int) -> float:
        """Doubled each time; half of it by chance, so that callers who failed together don't come back together."""
        return min(FIRST_DELAY_S * 2 ** (attempt - 1), MAX_DELAY_S) * (0.5 + self._chance() / 2)

    def _delay_after(self, answer: Answer, attempt: int) -> Optional[float]:
        """None where another attempt would be of no use."""
        status, headers, _ = answer
        may_change = status in (408, 429, 500, 502, 503, 504)
        if not may_change and headers.get("X-Error-Code") != "idempotency_key_in_use":
            return None
        asked = self._read_retry_after(headers.get("Retry-After"))
        if asked is None:
            return self._backoff(attempt)
        return None if asked > MAX_RETRY_AFTER_S else asked

    def _read_retry_after(self, text: Optional[str]) -> Optional[float]:
        """Seconds or a date (RFC 9110 §10.2.3)."""
        if text is None:
            return None
        if text.isdecimal():
            return float(text)
        try:
            return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - self._clock.time())
        except (TypeError, ValueError):
            return None
