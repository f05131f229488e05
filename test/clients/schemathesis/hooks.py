"""What schemathesis needs to know of a relay: who calls what, about which things, from which address; and which of its findings are none."""

import base64
import hashlib
import hmac
import itertools
import json
import os
import re
import threading
import uuid
from collections import Counter, defaultdict
from email.utils import formatdate
from urllib.parse import urlsplit

import requests
import schemathesis
from requests.adapters import HTTPAdapter
from schemathesis.core.failures import CustomFailure
from schemathesis.core.parameters import ParameterLocation

with open(os.environ["FUZZ_FACTS"], encoding="utf-8") as file:
    FACTS = json.load(file)

# Limits are counted by address. Fewer than the requests that a fast machine sends within a second, over the lowest limit.
ADDRESSES = 120

with open(os.path.join(os.path.dirname(__file__), "exceptions.json"), encoding="utf-8") as file:
    EXCEPTIONS = json.load(file)

lock = threading.Lock()
turns = defaultdict(itertools.count)
cases = defaultdict(Counter)


def operation_id(case):
    return case.operation.definition.raw.get("operationId")


def turn(what):
    with lock:
        return next(turns[what])


def bracketed(form):
    pairs = [pair.partition("=") for pair in form.split("&")]
    times = Counter(name for name, _, _ in pairs)
    counts = defaultdict(itertools.count)
    return "&".join(
        f"{name}[{next(counts[name])}]{equals}{value}" if times[name] > 1 else f"{name}{equals}{value}" for name, equals, value in pairs
    )


class FromAddress(HTTPAdapter):
    def __init__(self, address):
        self.address = address
        super().__init__()

    def init_poolmanager(self, *args, **kwargs):
        super().init_poolmanager(*args, source_address=(self.address, 0), **kwargs)

    def send(self, request, **kwargs):
        # Over plain http the cookies of sessions have another name than in the document.
        if "Cookie" in request.headers:
            request.headers["Cookie"] = request.headers["Cookie"].replace("__Host-", "")
        # schemathesis repeats a name for the items of a list where the document says brackets.
        if urlsplit(request.url).path.startswith("/v1/"):
            url = urlsplit(request.url)
            request.url = url._replace(query=bracketed(url.query)).geturl()
            if isinstance(request.body, str) and request.headers.get("Content-Type") == "application/x-www-form-urlencoded":
                request.body = bracketed(request.body)
                request.headers["Content-Length"] = str(len(request.body.encode()))
        return super().send(request, **kwargs)


REFUSED_HEADERS = ("stripe-account", "stripe-context")

ADAPTERS = [FromAddress(f"127.9.0.{number + 1}") for number in range(ADDRESSES)]


def adapter_of(session, url):
    return ADAPTERS[turn("addresses") % ADDRESSES]


# schemathesis makes its sessions by itself.
requests.Session.get_adapter = adapter_of


class Signature(requests.auth.AuthBase):
    """draft-cavage-http-signatures-10 over what is really sent."""

    def __call__(self, request):
        target = urlsplit(request.url)
        path = target.path + (f"?{target.query}" if target.query else "")
        headers = {"host": target.netloc, "date": formatdate(usegmt=True), "x-signature-salt": str(uuid.uuid4())}
        if request.method == "POST":
            body = request.body or b""
            body = body.encode() if isinstance(body, str) else body
            headers["digest"] = "SHA-256=" + base64.b64encode(hashlib.sha256(body).digest()).decode()
        lines = [f"(request-target): {request.method.lower()} {path}", *(f"{name}: {value}" for name, value in headers.items())]
        signature = hmac.new(FACTS["signer"]["secret"].encode(), "\n".join(lines).encode(), hashlib.sha256).digest()
        request.headers.update(headers)
        request.headers["Authorization"] = (
            f'Signature keyId="{FACTS["signer"]["keyId"]}",algorithm="hmac-sha256",'
            f'headers="(request-target) {" ".join(headers)}",signature="{base64.b64encode(signature).decode()}"'
        )
        return request


# A credential for each call, and no second one where the first was refused.
@schemathesis.auth(refresh_interval=None, retry_on=[])
class Callers:
    def get(self, case, context):
        name = operation_id(case)
        callers = FACTS["operations"][name]["callers"]
        return callers[turn(("caller", name)) % len(callers)]

    def set(self, case, data, context):
        for name, value in data.items():
            if name == "cookie":
                # Under the name of the document, which is what schemathesis takes away to see what happens without.
                case.cookies.update(pair.split("=", 1) for pair in value.split("; ") if pair.startswith("__Host-"))
            elif name not in ("date", "digest", "x-signature-salt"):
                case.headers[name] = value


def is_negative(case, location):
    return bool(case.meta and case.meta.is_negative_at(location))


def without_null(value):
    """A form has no null: an empty text stands for it, and where schemathesis writes the word, it is a text."""
    if isinstance(value, dict):
        return {name: without_null(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [without_null(inner) for inner in value]
    return "" if value is None else value


def renew(members, name, form):
    value = members.get(name) if hasattr(members, "get") else None
    if isinstance(value, str) and re.fullmatch(form, value):
        members[name] = str(uuid.uuid4())


@schemathesis.hook
def before_call(context, case, kwargs):
    if (case.headers or {}).get("authorization", "") == "Signature":
        del case.headers["authorization"]
        kwargs["auth"] = Signature()
    # Where one of these is sent everything is refused: each is, but not always.
    if not is_negative(case, ParameterLocation.HEADER) and turn(("accounts", operation_id(case))) % 8 != 0:
        for name in REFUSED_HEADERS:
            (case.headers or {}).pop(name, None)
    # Most requests are new ones, and not the same one again with something else in it, which would be refused as such.
    if turn(("repeated", operation_id(case))) % 8 != 0:
        renew(case.headers, "Idempotency-Key", r"[!-~]{1,255}")
        renew(case.body, "uuid", r"[A-Za-z0-9._-]{1,64}")
    if case.media_type == "application/x-www-form-urlencoded":
        case.body = without_null(case.body)
    # A lookup waits as long as it says.
    if isinstance(case.query, dict) and str(case.query.get("wait", "")).isdecimal():
        case.query["wait"] = str(min(int(case.query["wait"]), 1))
    known = FACTS["operations"][operation_id(case)]
    if case.meta is None:
        return
    # What is changed or deleted by a number is always one that may be.
    counted = case.method != "GET" and all(value.isdecimal() for value in known["path"][0].values())
    if not counted and turn(("known", operation_id(case))) % 4 == 3:
        return
    if known["path"][0] and not is_negative(case, ParameterLocation.PATH):
        case.path_parameters = dict(known["path"][turn(("path", operation_id(case))) % len(known["path"])])
    if isinstance(case.query, dict) and not is_negative(case, ParameterLocation.QUERY):
        for name, value in known["query"].items():
            if name in case.query:
                case.query[name] = value
    if isinstance(case.body, dict) and not is_negative(case, ParameterLocation.BODY):
        for name, value in known["body"].items():
            if name in case.body:
                case.body[name] = value


class UndocumentedStatus(CustomFailure):
    pass


BEFORE_EVERY_OPERATION = {431}


@schemathesis.check
def status_is_listed(ctx, response, case):
    """`default` is for what stands before every operation; a status that an operation itself gives is listed."""
    if response.status_code not in BEFORE_EVERY_OPERATION and str(response.status_code) not in case.operation.responses.status_codes and not (
        response.request.method.lower() != case.operation.method.lower()
    ):
        raise AssertionError(f"{response.status_code} is not listed: {response.content[:200]}")


failures = []
excused = defaultdict(Counter)


def excuse_of(failure, operation, request, answer):
    """The first exception that fits; null where it is a finding."""
    for number, exception in enumerate(EXCEPTIONS):
        if (
            exception["check"] == type(failure).__name__
            and re.fullmatch(exception.get("operation", ".*"), operation)
            and re.search(exception.get("answer", ""), answer)
            and re.search(exception.get("message", ""), failure.message)
            and re.search(exception.get("request", ""), request)
        ):
            return number
    return None


@schemathesis.hook
def filter_failure(context, failure, case, response):
    meta = case.meta
    request = response.request
    body = request.body.decode("utf-8", "replace") if isinstance(request.body, bytes) else request.body or ""
    answer = response.content.decode("utf-8", "replace")
    excuse = excuse_of(failure, operation_id(case), f"{request.url} {body}", answer)
    if excuse is not None:
        with lock:
            excused[excuse][operation_id(case)] += 1
        return False
    failures.append(
        {
            "operation": operation_id(case),
            "check": type(failure).__name__,
            "message": failure.message[:1000],
            "phase": meta.phase.name.value if meta else None,
            "description": getattr(meta.phase.data, "description", None) if meta else None,
            "headers": {name: value for name, value in (case.headers or {}).items() if name.lower() != "authorization"},
            "request": f"{request.method} {request.url}"[:1000],
            "body": body[:1000],
            "status": response.status_code,
            "answer": answer[:1000],
        }
    )
    return True


@schemathesis.hook
def after_call(context, case, response):
    phase = case.meta.phase.name.value if case.meta else "none"
    with lock:
        cases[operation_id(case)][f"{phase} {response.status_code}"] += 1


def write():
    with open(os.environ["FUZZ_REPORT"], "w", encoding="utf-8") as file:
        json.dump({"cases": cases, "failures": failures, "excused": excused}, file)


import atexit

atexit.register(write)
