"""python3 -m unittest: the vectors that every client is held to."""

import json
import unittest
from datetime import datetime
from pathlib import Path

from verify_webhook import KeySet, KeySetUnavailable, verify_webhook

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

    def take(self, step, body):
        self.published, before = step["published"], self.requests
        self.now = datetime.strptime(step["at"], "%Y-%m-%dT%H:%M:%S.%f%z").timestamp()
        try:
            result = verify_webhook(step["headers"], body, self.keys)
            said = "verified" if result.verified else result.reason
        except KeySetUnavailable:
            said = "unavailable"
        return said, self.requests > before


class Vectors(unittest.TestCase):
    pass


def check(steps):
    def test(self):
        for of_body in (str, str.encode):  # As text and as bytes.
            receiver = Receiver()
            for step in steps:
                with self.subTest(step["name"]):
                    said = receiver.take(step, of_body(step["body"]))
                    self.assertEqual(said, (step["expected"], step["fetches"]))

    return test


for n, receiver in enumerate(vectors["receivers"]):
    setattr(Vectors, f"test_receiver_{n}", check(receiver["steps"]))
