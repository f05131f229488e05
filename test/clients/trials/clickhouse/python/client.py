"""What an analyst does, with clickhouse-connect (`connect <compression>`, `pandas`, `sqlalchemy`) and clickhouse-driver (`driver`).

Prints a JSON object for each step (PROGRAMS.md beside this folder).
"""

import datetime
import json
import os
import re
import sys
from urllib.parse import urlsplit

ADDRESS = urlsplit(os.environ["TRIAL_URL"])
USERNAME = os.environ["TRIAL_USERNAME"]
PASSWORD = os.environ["TRIAL_PASSWORD"]
AMOUNT = int(os.environ["TRIAL_AMOUNT"])
TEXT = os.environ["TRIAL_TEXT"]
WHERE = "SELECT amount_cents, message FROM transactions_final WHERE "


def statement(step):
    return os.environ[f"TRIAL_SQL_{step}"]


def say(step, value):
    print(json.dumps({"step": step, "value": value}))


def printed(value):
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        utc = value if value.tzinfo is None else value.astimezone(datetime.timezone.utc)
        return utc.strftime("%Y-%m-%dT%H:%M:%S.") + f"{utc.microsecond // 1000:03d}Z"
    if isinstance(value, datetime.date):
        return value.isoformat() + "T00:00:00.000Z"
    if isinstance(value, (list, tuple)):
        return [printed(item) for item in value]
    if isinstance(value, dict):
        return {str(key): printed(item) for key, item in value.items()}
    return str(value)


def rows_of(result):
    return [printed(row) for row in result.result_rows]


def refused(step, ask, kind):
    try:
        answer = ask()
    except kind as error:
        say(step, str(error))
    else:
        raise AssertionError(f"{step} is answered with {answer!r}")


def connect(compression):
    import clickhouse_connect
    from clickhouse_connect.driver.exceptions import DatabaseError

    client = clickhouse_connect.get_client(
        host=ADDRESS.hostname,
        port=ADDRESS.port,
        username=USERNAME,
        password=PASSWORD,
        database="relay",
        compress={"none": False, "any": True}.get(compression, compression),
        settings={"max_execution_time": 8},
    )
    assert client.ping(), "no answer to a ping"
    for step in ("types", "transactions", "empty"):
        say(step, rows_of(client.query(statement(step))))
    typed = "amount_cents >= {amount:Int64} AND message = {text:String}"
    say("parameters", rows_of(client.query(WHERE + typed, parameters={"amount": AMOUNT, "text": TEXT})))
    named = "amount_cents >= %(amount)s AND message = %(text)s"
    say("parameters", rows_of(client.query(WHERE + named, parameters={"amount": AMOUNT, "text": TEXT})))
    many = client.query(statement("many")).result_columns
    say("many", [str(len(many[0])), str(sum(many[0])), many[1][-1], printed(many[2][-1])])
    with client.query_row_block_stream(statement("many")) as stream:
        say("streamed", str(sum(len(block) for block in stream)))
    say("tables", [row[0] for row in client.query("SHOW TABLES").result_rows])
    say("columns", [row[0] for row in client.query("DESCRIBE TABLE transactions_daily").result_rows])
    assert client.command("SELECT count() FROM transactions_final") == 4, "a command's number"
    for step in ("unknownColumn", "throws", "tooMany", "hidden"):
        refused(step, lambda: client.query(statement(step)).result_rows, DatabaseError)
    for step in ("insert", "create"):
        refused(step, lambda: client.command(statement(step)), DatabaseError)
    # The library's own way to insert: it reads the table's columns first.
    refused("bulkInsert", lambda: client.insert("transactions", [["T1", "written"]], column_names=["terminal_id", "uuid"]), DatabaseError)
    client.close()


def pandas():
    import clickhouse_connect

    client = clickhouse_connect.get_client(host=ADDRESS.hostname, port=ADDRESS.port, username=USERNAME, password=PASSWORD, database="relay")
    frame = client.query_df(statement("transactions"))
    assert str(frame.dtypes["created_at"]).startswith("datetime64"), frame.dtypes
    assert str(frame.dtypes["amount_cents"]) == "int64", frame.dtypes
    say("transactions", [printed(row) for row in frame.itertuples(index=False)])
    many = client.query_df(statement("many"))
    say("many", [str(len(many)), str(many["n"].sum()), many["text"].iloc[-1], printed(many["moment"].iloc[-1].to_pydatetime())])
    say("empty", [printed(row) for row in client.query_df(statement("empty")).itertuples(index=False)])
    client.close()


def sqlalchemy():
    from sqlalchemy import MetaData, Table, create_engine, inspect, select, text
    from sqlalchemy.exc import DatabaseError

    engine = create_engine(f"clickhousedb://{USERNAME}:{PASSWORD}@{ADDRESS.hostname}:{ADDRESS.port}/relay")
    with engine.connect() as connection:
        say("types", [printed(list(row)) for row in connection.execute(text(statement("types").replace(":", r"\:")))])
        found = connection.execute(text(WHERE + "amount_cents >= :amount AND message = :text"), {"amount": AMOUNT, "text": TEXT})
        say("parameters", [printed(list(row)) for row in found])
        inspector = inspect(engine)
        say("schemas", sorted(name for name in inspector.get_schema_names()))
        say("tables", sorted(inspector.get_table_names(schema="relay")))
        say("columns", [column["name"] for column in inspector.get_columns("transactions_daily", schema="relay")])
        table = Table("transactions_final", MetaData(), autoload_with=engine, schema="relay")
        rows = connection.execute(select(table.c.amount_cents).order_by(table.c.amount_cents).limit(2))
        say("limited", [printed(list(row)) for row in rows])
        for step in ("unknownColumn", "tooMany", "hidden", "insert", "create"):
            refused(step, lambda: connection.execute(text(statement(step))).fetchall(), DatabaseError)


def driver():
    from clickhouse_driver import Client

    client = Client(ADDRESS.hostname, port=ADDRESS.port, user=USERNAME, password=PASSWORD, database="relay", connect_timeout=5, send_receive_timeout=5)
    refused("transactions", lambda: client.execute(statement("transactions")), Exception)


if __name__ == "__main__":
    {"connect": connect, "pandas": pandas, "sqlalchemy": sqlalchemy, "driver": driver}[sys.argv[1]](*sys.argv[2:])
