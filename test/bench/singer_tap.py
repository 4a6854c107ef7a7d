#!/usr/bin/env python3
"""A tap for Meltano: writes registrants and sessions of the bench's source as Singer messages.

usage: singer_tap.py --config FILE    (FILE: JSON with the source_url; other options of taps are ignored)
"""

import json
import sys
from urllib.request import urlopen

with open(sys.argv[sys.argv.index("--config") + 1]) as file:
    source_url = json.load(file)["source_url"]


def pages(name: str):
    page, count = 1, 1
    while page <= count:
        with urlopen(f"{source_url}/api/v1/{name}.json?per-page=1000&page={page}") as answer:
            body = json.load(answer)
        yield body["items"]
        page, count = page + 1, body["_meta"]["pageCount"]


def column(value):
    """Returns the type of a column. Lists become JSON texts, because some records have a text in their place."""
    return {"type": ["integer" if isinstance(value, int) else "string", "null"]}


def cell(value):
    return json.dumps(value) if isinstance(value, list) else value


def send(message):
    print(json.dumps(message))


for name in ("sessions", "registrants"):
    is_described = False
    for items in pages(name):
        if not is_described:
            schema = {"properties": {key: column(value) for key, value in items[0].items()}}
            send({"type": "SCHEMA", "stream": name, "schema": schema, "key_properties": ["id"]})
            is_described = True
        for item in items:
            record = {key: cell(value) for key, value in item.items()}
            send({"type": "RECORD", "stream": name, "record": record})
