"""python3 -m unittest: the vectors that every client is held to."""

import json
import unittest
from datetime import datetime
from pathlib import Path

from attestor.verify_webhook import KeySet, KeySetUnavailable, verify_webhook

vectors = json.loads((Path(__file__).parent.parent / "webhook_vectors.json").read_text())


class Receiver:
    """One that was just started."""

    def __init__(self):
        self.published, self.now, self.requests = None, 0.0, 0
        self.keys = KeySet("https://attestor.invalid/", fetch=self.fetch, now=lambda: self.now)

    def fetch(self, _url):
        self.requests += 1
        if self.published is None:
            raise OSError("503")
        return vectors["key_sets"][self.published]

    def take(self, step, body, of_header):
        self.published, before = step["published"], self.requests
        self.now = datetime.strptime(step["at"], "%Y-%m-%dT%H:%M:%S.%f%z").timestamp()
        headers = {name: of_header(value) for name, value in step["headers"].items()}
        try:
            result = verify_webhook(headers, body, self.keys)
            said = "verified" if result.verified else result.reason
        except KeySetUnavailable:
            said = "unavailable"
        return said, self.requests > before


def list_of(value):
    return [value]


def twice(value):
    return (value, value)


class Vectors(unittest.TestCase):
    def test_headers_that_differ(self):
        step = vectors["receivers"][0]["steps"][0]
        self.assertEqual(Receiver().take(step, step["body"], lambda value: [value, "x"])[0], "missing_header")


def check(steps):
    def test(self):
        # As text, as bytes, and as frameworks give them that have lists of headers.
        for of_body, of_header in ((str, str), (str.encode, list_of), (lambda text: memoryview(text.encode()), twice)):
            receiver = Receiver()
            for step in steps:
                with self.subTest(step["name"]):
                    said = receiver.take(step, of_body(step["body"]), of_header)
                    self.assertEqual(said, (step["expected"], step["fetches"]))

    return test


for n, receiver in enumerate(vectors["receivers"]):
    setattr(Vectors, f"test_receiver_{n}", check(receiver["steps"]))
