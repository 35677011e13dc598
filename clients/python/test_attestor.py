"""python3 -m unittest: tokens, retries and waits, with a service that is played; the service itself is in sample.py."""

import email.utils
import json
import os
import unittest
import urllib.request
import warnings
from email.message import Message
from pathlib import Path

from attestor import AttestorError, Client, IgnoredFieldsWarning, StillOpenError

START = 1_795_000_000.0
FRESH = (200, {}, {"access_token": "one", "expires_in": 3600})
NEXT = (200, {}, {"access_token": "two", "expires_in": 3600})


def transaction(status):
    return (200, {}, {"id": "1", "status": status})


class Played:
    """A service that gives these answers in turn, and a clock that only waiting turns."""

    def __init__(self, *answers, **options):
        self.left, self.requests, self.slept, self.now = list(answers), [], [], START
        self.client = Client("https://attestor.invalid/", "id", "s&t", clock=self, chance=lambda: 0.5, send=self.send, **options)

    def time(self):
        return self.now

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds

    def send(self, request: urllib.request.Request, _timeout):
        self.requests.append(request)
        answer = self.left.pop(0)
        if isinstance(answer, Exception):
            raise answer
        status, headers, body = answer
        message = Message()
        for name, value in headers.items():
            message[name] = value
        return status, message, body if isinstance(body, bytes) else json.dumps(body).encode()

    def tokens(self):
        return [request.get_header("Authorization") for request in self.requests]


class Tokens(unittest.TestCase):
    def test_one_serves_all_calls_and_is_renewed_a_minute_early(self):
        played = Played(FRESH, transaction("CREATED"), transaction("CREATED"), NEXT, transaction("CREATED"))
        played.client.get_transaction("1")
        played.now += 3539
        played.client.get_transaction("1")
        played.now += 1
        played.client.get_transaction("1")
        self.assertEqual(played.tokens(), [None, "Bearer one", "Bearer one", None, "Bearer two"])
        self.assertEqual(
            played.requests[0].data,
            b"grant_type=client_credentials&client_id=id&client_secret=s%26t&scope=account-integration-api%2Faccount-api-access",
        )

    def test_one_that_is_refused_is_renewed_once(self):
        refused = (401, {"X-Error-Code": "invalid_token", "X-Request-Id": "r-1"}, {"error": "access token: expired"})
        played = Played(FRESH, refused, NEXT, refused)
        with self.assertRaisesRegex(AttestorError, "^access token: expired$") as caught:
            played.client.get_transaction("1")
        error = caught.exception
        self.assertEqual((error.status, error.code, error.request_id), (401, "invalid_token", "r-1"))
        self.assertEqual(played.tokens(), [None, "Bearer one", None, "Bearer two"])
        self.assertEqual(played.slept, [])

    def test_what_the_endpoint_refuses_is_said_in_its_words(self):
        played = Played((401, {}, {"error": "invalid_client", "error_description": "wrong secret"}), FRESH, transaction("CREATED"))
        with self.assertRaisesRegex(AttestorError, "^wrong secret$") as caught:
            played.client.get_transaction("1")
        self.assertEqual(caught.exception.code, "invalid_client")
        self.assertEqual(played.client.get_transaction("1")["status"], "CREATED")


class Retries(unittest.TestCase):
    def test_after_what_retry_after_says_or_waits_that_grow(self):
        date = email.utils.formatdate(START + 30, usegmt=True)
        played = Played(
            *((503, {}, b"<html>"), FRESH),
            *((429, {"Retry-After": "7"}, {}), OSError("reset"), (503, {"Retry-After": date}, {}), transaction("CREATED")),
        )
        played.client.get_transaction("1")
        self.assertEqual(played.slept, [0.375, 7, 0.75, 30 - 0.375 - 7 - 0.75])

    def test_are_given_up(self):
        busy = (503, {}, {"error": "busy"})
        often = Played(FRESH, busy, busy, busy, busy)
        with self.assertRaisesRegex(AttestorError, "^busy$"):
            often.client.get_transaction("1")
        self.assertEqual(often.slept, [0.375, 0.75, 1.5])
        long = Played(FRESH, (429, {"Retry-After": "61"}, {"error": "later"}))
        with self.assertRaisesRegex(AttestorError, "^later$"):
            long.client.get_transaction("1")
        broken = Played(FRESH, OSError("one"), OSError("two"), attempts=2)
        with self.assertRaisesRegex(OSError, "^two$"):
            broken.client.get_transaction("1")

    def test_repeat_what_opens_something_with_one_key_alone(self):
        played = Played(FRESH, OSError("reset"), (409, {"X-Error-Code": "idempotency_key_in_use"}, {}), (201, {}, {"transaction_id": "1"}))
        self.assertEqual(played.client.create_transaction({"customer_id": "2"}, "signup-1"), {"transaction_id": "1"})
        self.assertEqual([one.get_header("Idempotency-key") for one in played.requests], [None, *["signup-1"] * 3])
        self.assertEqual(json.loads(played.requests[-1].data), {"customer_id": "2"})
        without = Played(FRESH, (503, {}, {"error": "busy"}))
        with self.assertRaises(AttestorError):
            without.client.call("POST", "/api/account/integration/kyc/transaction/1/cancel")

    def test_do_not_help_what_is_wrong(self):
        played = Played(FRESH, (403, {}, b"<html>"))
        with self.assertRaisesRegex(AttestorError, "^the service returned 403$") as caught:
            played.client.get_transaction("a/b")
        self.assertIsNone(caught.exception.code)
        self.assertTrue(played.requests[1].full_url.endswith("/transaction/a%2Fb"))


class Contract(unittest.TestCase):
    def test_every_field_is_sent_and_read(self):
        contract = json.loads((Path(__file__).parent.parent / "contract.generated.json").read_text())
        self.assertIn("reference", contract["transaction"]["sent"]["config"])
        calls = {
            "customer": lambda client, body: client.create_customer(body),
            "transaction": lambda client, body: client.create_transaction(body),
            "read": lambda client, _: client.get_transaction("1"),
            "list": lambda client, _: client.call("GET", "/api/account/integration/kyc/transaction"),
            "age": lambda client, body: client.create_transaction(body),
            "age_read": lambda client, _: client.get_transaction("1"),
        }
        self.assertEqual(sorted(calls), sorted(contract))
        played = Played(FRESH, *((200, {}, contract[name]["answered"]) for name in calls))
        answers = [call(played.client, contract[name].get("sent")) for name, call in calls.items()]
        self.assertEqual(answers, [contract[name]["answered"] for name in calls])
        sent = [json.loads(one.data) for one in played.requests[1:] if one.data]
        self.assertEqual(sent, [contract[name]["sent"] for name in calls if "sent" in contract[name]])

    @unittest.skipUnless("ATTESTOR_URL" in os.environ, "ATTESTOR_URL is not set")
    def test_the_service_takes_all_of_it(self):
        """With the service that ATTESTOR_URL names, which ignores nothing of it. Prints the transaction's id."""
        contract = json.loads((Path(__file__).parent.parent / "contract.generated.json").read_text())
        client = Client(*(os.environ[f"ATTESTOR_{name}"] for name in ("URL", "CLIENT_ID", "CLIENT_SECRET")))
        with warnings.catch_warnings():
            warnings.simplefilter("error", IgnoredFieldsWarning)
            customer = client.create_customer(contract["customer"]["sent"])
            sent = {**contract["transaction"]["sent"], "customer_id": customer["customer_id"]}
            print("opened", client.create_transaction(sent)["transaction_id"])
            client.create_transaction({**contract["age"]["sent"], "customer_id": customer["customer_id"]})

    def test_what_is_ignored_is_a_warning(self):
        played = Played(FRESH, (201, {"X-Ignored-Fields": "refrence"}, {}))
        with self.assertWarnsRegex(IgnoredFieldsWarning, "/transaction ignored refrence"):
            played.client.create_transaction({"refrence": "r"})

    def test_a_list_is_read_to_its_end(self):
        played = Played(FRESH, (200, {}, {"data": [1, 2], "next_cursor": "n/"}), (200, {}, {"data": [3], "next_cursor": None}))
        self.assertEqual([*played.client.list(status=["FINISHED", "FAILED"])], [1, 2, 3])
        self.assertTrue(played.requests[2].full_url.endswith("/transaction?status=FINISHED&status=FAILED&cursor=n%2F"))


class Waits(unittest.TestCase):
    def test_for_the_end(self):
        played = Played(FRESH, transaction("CREATED"), transaction("PROCESSING"), transaction("FINISHED"))
        self.assertEqual(played.client.wait_for_end("1")["status"], "FINISHED")
        self.assertEqual(played.slept, [2, 4, 8])

    def test_no_longer_than_asked(self):
        played = Played(FRESH, transaction("CREATED"), transaction("PROCESSING"))
        with self.assertRaisesRegex(StillOpenError, "is still PROCESSING") as caught:
            played.client.wait_for_end("1", timeout=10)
        self.assertEqual(caught.exception.transaction["status"], "PROCESSING")
