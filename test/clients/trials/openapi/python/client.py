"""A payment with the generated package alone: the partner pays, the terminal takes the command and reports, the partner looks the result up.

Usage: client.py FOLDER_OF_THE_PACKAGE < task. Prints what came of it.
"""

import importlib
import json
import pkgutil
import sys

sys.path.insert(0, sys.argv[1])

from relay_client import api, models  # noqa: E402
from relay_client.client import AuthenticatedClient  # noqa: E402


def operations():
    """Every generated operation by its name: they lie in folders named after the document's tags."""
    return {
        module.name.rpartition(".")[2]: importlib.import_module(module.name)
        for module in pkgutil.walk_packages(api.__path__, api.__name__ + ".")
        if not module.ispkg
    }


def client(task, credential):
    scheme, _, token = credential.partition(" ")
    return AuthenticatedClient(base_url=task["baseUrl"], token=token, prefix=scheme, raise_on_unexpected_status=True)


def told(transaction):
    return {
        "uuid": transaction.uuid,
        "status": str(transaction.status),
        "amountCents": transaction.amount_cents,
        "currency": transaction.currency,
    }


def main():
    task = json.load(sys.stdin)
    call = operations()
    shop, till = client(task, task["partner"]), client(task, task["terminal"])
    terminal_id, uuid = task["terminalId"], task["uuid"]

    request = models.PaymentRequest(uuid=uuid, amount=1050, service=models.PaymentRequestService.PAYCC)
    paid = call["send_payment"].sync(terminal_id, client=shop, body=request)
    assert isinstance(paid, models.PaymentReceived), paid
    taken = call["take_command"].sync(terminal_id, client=till)
    assert isinstance(taken, models.CommandPayload), taken
    result = models.RecordResultBody.from_dict(
        {"uuid": uuid, "result": "OK", "amount": 1050, "authCode": "123456", "pan": "453201******0366"}
    )
    reported = call["record_result"].sync(terminal_id, client=till, body=result)
    assert isinstance(reported, models.TextResponse), reported

    by_uuid = call["find_by_uuid"].sync(uuid, client=shop, wait=10)
    latest = call["find_latest"].sync(terminal_id, client=shop)
    again = call["send_payment"].sync(terminal_id, client=shop, body=request)
    print(
        json.dumps(
            {
                "operations": len(call),
                "answeredTerminal": paid.data.terminal_id,
                "taken": taken.uuid,
                "reported": reported.data,
                "byUuid": told(by_uuid.data),
                "latest": told(latest.data),
                "again": again.error,
            }
        )
    )


main()
