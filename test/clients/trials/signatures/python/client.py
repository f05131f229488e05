"""httpsig and its class for requests: signs one request, which ../signed-request.ts describes, sends it and prints what came back."""

import base64
import email.utils
import hashlib
import json
import sys
import warnings

# The library still asks setuptools for its own version.
warnings.filterwarnings("ignore", message="pkg_resources is deprecated")

import requests
from httpsig.requests_auth import HTTPSignatureAuth

asked = json.load(sys.stdin)
headers = {"Date": email.utils.formatdate(usegmt=True), "X-signature-salt": asked["salt"], "Content-Type": "application/json"}
if asked["method"] == "POST":
    headers["Digest"] = "SHA-256=" + base64.b64encode(hashlib.sha256(asked["body"].encode()).digest()).decode()
auth = HTTPSignatureAuth(key_id=asked["keyId"], secret=asked["secret"], algorithm=asked["algorithm"], headers=asked["headers"])
body = asked["sentBody"].encode() if asked["method"] == "POST" else None
response = requests.request(asked["method"], asked["url"], data=body, headers=headers, auth=auth, timeout=20)
print(json.dumps({"status": response.status_code, "text": response.text, "authorization": response.request.headers["authorization"]}))
