"""A terminal with stomp.py over WebSocket: url, login, passcode and a pause in seconds are its arguments; it prints what it met, as JSON."""

import json
import queue
import sys
import time
from urllib.parse import urlparse

import stomp

WAIT_SECONDS = 50


class Inbox(stomp.ConnectionListener):
    def __init__(self):
        self.messages = queue.Queue()
        self.receipts = queue.Queue()
        self.errors = queue.Queue()
        self.heartbeats = 0

    def on_message(self, frame):
        self.messages.put(frame)

    def on_receipt(self, frame):
        self.receipts.put(frame)

    def on_error(self, frame):
        self.errors.put(frame)

    def on_heartbeat(self):
        self.heartbeats += 1


def connected(ask, passcode):
    address = urlparse(ask["url"])
    connection = stomp.WSConnection([(address.hostname, address.port)], ws_path=address.path, heartbeats=(10000, 10000), reconnect_attempts_max=1)
    inbox = Inbox()
    connection.set_listener("inbox", inbox)
    connection.connect(ask["login"], passcode, wait=passcode == ask["passcode"])
    return connection, inbox


def paid(ask, connection, inbox):
    connection.subscribe(f"/topic/terminal/{ask['login']}", id="0", ack="client-individual", headers={"receipt": "subscribed"})
    assert inbox.receipts.get(timeout=WAIT_SECONDS).headers["receipt-id"] == "subscribed"
    frame = inbox.messages.get(timeout=WAIT_SECONDS)
    connection.ack(frame.headers["ack"])
    command = json.loads(frame.body)
    result = {"uuid": command["uuid"], "result": "OK", "amount": command["amount"]}
    connection.send(f"/app/terminal/{ask['login']}/receipt", json.dumps(result), content_type="application/json", receipt="stored")
    assert inbox.receipts.get(timeout=WAIT_SECONDS).headers["receipt-id"] == "stored"


def main():
    url, login, passcode, pause = sys.argv[1:]
    ask = {"url": url, "login": login, "passcode": passcode, "pauseSeconds": int(pause)}
    _, refused = connected(ask, "wrong")
    refusal = refused.errors.get(timeout=WAIT_SECONDS)
    connection, inbox = connected(ask, ask["passcode"])
    paid(ask, connection, inbox)
    connection.disconnect(receipt="bye")
    assert inbox.receipts.get(timeout=WAIT_SECONDS).headers["receipt-id"] == "bye"
    time.sleep(ask["pauseSeconds"])
    connection, inbox = connected(ask, ask["passcode"])
    paid(ask, connection, inbox)
    connection.send(f"/app/terminal/{ask['login']}/receipt", "{}", content_type="application/json", receipt="refused")
    error = inbox.errors.get(timeout=WAIT_SECONDS)
    told = {"refusal": refusal.headers["message"], "error": error.headers["code"], "errorText": error.body, "heartbeats": inbox.heartbeats}
    print(json.dumps(told))


main()
