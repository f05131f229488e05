"""requests, with a session that keeps its connections: sends the calls of ../http-call.ts and prints the answers."""

import json
import sys

import requests

session = requests.Session()


def send(call):
    headers = dict(call["headers"])
    if call["expect"]:
        headers["Expect"] = "100-continue"
    return session.request(call["method"], call["url"], data=call["body"].encode() or None, headers=headers, timeout=20)


def answer(call):
    response = send(call)
    for _ in range(1, call["times"]):
        if response.status_code == 429:
            break
        response = send(call)
    headers = {name.lower(): value for name, value in response.headers.items()}
    return {"status": response.status_code, "headers": headers, "text": response.text}


print(json.dumps([answer(call) for call in json.load(sys.stdin)]))
