#!/usr/bin/env python3
"""Uses Carillon over REST with the standard library alone (Python 3.9 or later).

    export CARILLON_URL=http://localhost:3000 CARILLON_KEY=crl_live_...
    python3 carillon_example.py post "Hello from Python" sandbox
    python3 carillon_example.py upload picture.png "What it shows"
    python3 carillon_example.py follow 3          # three events, then it ends
    WEBHOOK_SECRET=whsec_... python3 carillon_example.py receive 4000
"""

import hashlib
import hmac
import http.client
import http.server
import json
import mimetypes
import os
import random
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

URL = os.environ.get("CARILLON_URL", "http://localhost:3000").rstrip("/") + "/api/v2"
KEY = os.environ.get("CARILLON_KEY", "")
TRIES = 4
LONGEST_WAIT = 60  # seconds
TOLERANCE = 300  # seconds that a signature may be old
SILENCE = 45  # seconds; the stream sends something every 15


class CarillonError(Exception):
    """An answer that is not a success. `body` is the error of the service, {} when something else answered."""

    def __init__(self, status, body, retry_after):
        super().__init__(body.get("message") or body.get("error") or f"HTTP {status}")
        self.status, self.body, self.retry_after = status, body, retry_after


def open_request(method, path, body=None, headers=None, timeout=30):
    """Sends one request. Gives the open answer; raises CarillonError, or OSError when none arrives."""
    request = urllib.request.Request(URL + path, data=body, method=method)
    for name, value in {"x-api-key": KEY, **(headers or {})}.items():
        request.add_header(name, value)
    try:
        return urllib.request.urlopen(request, timeout=timeout)
    except urllib.error.HTTPError as error:
        with error:
            text = error.read()
            after = error.headers.get("retry-after", "")
        try:
            found = json.loads(text)
        except ValueError:
            found = None
        body = found if isinstance(found, dict) else {}
        raise CarillonError(error.code, body, int(after) if after.isdigit() else 0) from None


def call(method, path, body=None, headers=None, repeat=False):
    """Calls an operation and gives its answer. `repeat` only for reads, and for requests with an Idempotency-Key."""
    for tried in range(1, TRIES + 1):
        try:
            with open_request(method, path, body, headers) as answer:
                return json.load(answer)
        except CarillonError as error:
            if not repeat or tried == TRIES or error.status not in (429, 503) or error.retry_after > LONGEST_WAIT:
                raise
            asked = error.retry_after
        except (OSError, http.client.HTTPException):
            if not repeat or tried == TRIES:
                raise
            asked = 0
        time.sleep(max(asked, 0.5 * 2 ** (tried - 1) * random.uniform(0.5, 1)))


def create_post(text, slugs, **fields):
    """Publishes once, however often the request is repeated: all tries send the same Idempotency-Key."""
    body = json.dumps({"text": text, "connectionSlugs": slugs, **fields}).encode()
    headers = {"content-type": "application/json", "idempotency-key": str(uuid.uuid4())}
    return call("POST", "/posts", body, headers, repeat=True)["results"]


def upload_media(path, alt_text=None):
    """Uploads a PNG, JPEG, GIF or WebP of at most 8 MiB. Its id goes into `mediaIds` of a post."""
    query = "" if alt_text is None else "?" + urllib.parse.urlencode({"altText": alt_text})
    kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
    with open(path, "rb") as file:
        return call("POST", "/media" + query, file.read(), {"content-type": kind})["media"]


def verify_webhook(raw_body, headers, secret, now=None):
    """Gives the event of a delivery; raises ValueError for anything that Carillon did not sign within five minutes."""
    for name in ("x-service-signature", "x-service-signature-alternate"):
        parts = dict(part.split("=", 1) for part in (headers.get(name) or "").split(",") if "=" in part)
        signed_at, signature = parts.get("t", ""), parts.get("v1", "")
        expected = hmac.new(secret.encode(), f"{signed_at}.".encode() + raw_body, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(expected.encode(), signature.encode()):
            continue
        if abs((time.time() if now is None else now) - int(signed_at)) > TOLERANCE:
            raise ValueError("The signature is too old, or the clock of this machine is wrong.")
        return json.loads(raw_body)
    raise ValueError("The signature does not match: the secret is wrong, or the body was changed.")


def follow_events(last_id=None):
    """Yields (position, event) in order and each once, over connections that break. Store the position to continue later."""
    failures = 0
    while True:
        try:
            headers = {} if last_id is None else {"last-event-id": last_id}
            with open_request("GET", "/events", headers=headers, timeout=SILENCE) as stream:
                fields = {}
                for line in stream:
                    failures = 0
                    name, _, value = line.decode().rstrip("\n").partition(": ")
                    if name:
                        fields[name] = value
                        continue
                    last_id = fields.get("id", last_id)
                    if "data" in fields:
                        yield last_id, json.loads(fields["data"])
                    fields = {}
        except CarillonError as error:
            if error.status != 429 and error.status < 500:
                raise
            failures += 1
            time.sleep(error.retry_after)
        except (OSError, http.client.HTTPException):
            failures += 1
        time.sleep(min(LONGEST_WAIT, 2 * 2**failures * random.uniform(0.5, 1)))


class Receiver(http.server.BaseHTTPRequestHandler):
    """Receives deliveries of webhooks."""

    def do_POST(self):
        raw_body = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            event = verify_webhook(raw_body, self.headers, os.environ["WEBHOOK_SECRET"])
            print(event["event"], event["eventId"], flush=True)
            self.send_response(204)
        except ValueError as error:
            print(f"refused: {error}", flush=True)
            self.send_response(400)
        self.end_headers()

    def log_message(self, *_):
        pass


def main(command, *args):
    if command == "post":
        print(json.dumps(create_post(args[0], list(args[1:]))))
    elif command == "upload":
        print(json.dumps(upload_media(*args)))
    elif command == "follow":
        count = int(args[0]) if args else None
        for position, event in follow_events(os.environ.get("LAST_EVENT_ID") or None):
            print(json.dumps({"position": position, "event": event}), flush=True)
            count = None if count is None else count - 1
            if count == 0:
                return
    elif command == "receive":
        http.server.HTTPServer(("127.0.0.1", int(args[0])), Receiver).serve_forever()
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(*(sys.argv[1:] or ["help"]))
