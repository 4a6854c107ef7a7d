#!/usr/bin/env python3
"""Checks audit packs of event-content-sync, as loaders/verify/README.md ("The format") describes them.

    python3 verify.py                                  the packs in the folder of this file
    python3 verify.py DIR                              a pack, the packs of an integration, or of all
    python3 verify.py DIR --public-key auditors.pem    checks the signatures too

DIR may also be an evidence folder: the packs of a period, with an index.

It needs Python 3.9 or newer and nothing else: no network, no database, no other file. Signatures are
checked with the package `cryptography` or, without it, with the program `openssl`. It only reads.

Anyone who can change the packs can change this file next to them. So take it from the npm package
event-content-sync (loaders/verify/verify.py), or compare the two.

Exit codes: 0 no fault; 1 a fault; 3 no fault, but signatures could not be checked, because neither
`cryptography` nor `openssl` can be used; 64 wrong usage.
"""

import sys

if __name__ == "__main__" and not (sys.flags.isolated or getattr(sys.flags, "safe_path", False)):
    # Python looks for modules in the folder of this file first, and somebody may have put harmful modules there.
    del sys.path[0]

import argparse
import base64
import codecs
import datetime
import errno
import functools
import hashlib
import json
import os
import re
import shutil
import stat
import subprocess
import tempfile

FORMAT = 1
CONTENTS = ("agenda", "attendees", "speakers")

OK, FAULTY, UNCHECKED, USAGE = 0, 1, 3, 64

KIB, MIB, GIB = 1024, 1024 ** 2, 1024 ** 3
MAX_MANIFEST = 32 * MIB
MAX_SMALL = 16 * MIB
MAX_NOTE = 64 * KIB
MAX_REPORT = 2_000_000
MAX_ROWS = 16 * GIB
MAX_LINE = 64 * MIB
MAX_CELLS = 10_000
MAX_KINDS = 10_000
MAX_FINDINGS = 50
MAX_NAMED = 5
MAX_WHOLE = 2 ** 53 - 1
CHUNK = 256 * KIB

# Advice for the user about a fault, by the kind of the fault.
FILES = (
    "ask for the pack again: its owner restores it from a backup, or writes it again with"
    " `event-sync export RUN`"
)
SIGNATURES = "ask the owner which public keys are in use; if the key is right, do not rely on this pack"
PACKS = "ask for all packs of the integration, as they were written, each in the folder of its run"
FOLDER_NAME = (
    "the folder does not have the id of the integration as its name: rename the folder, or check it under its own"
    " name"
)
SUMS = "do not rely on this pack: it is not as event-sync wrote it, or its run failed; ask its owner why"
EVIDENCE_FILES = "ask its owner to make it again with `event-sync evidence`"
EVIDENCE_SIGNATURES = SIGNATURES.replace("this pack", "this evidence")
STRAY_FILES = "delete the files that an operating system has left here, and check again"
NEWER = "use the verify.py of a newer version of event-content-sync"


class Fault(Exception):
    """A fault after which the program does not read the rest of the pack."""

    def __init__(self, file, message, todo=FILES):
        super().__init__(message)
        self.finding = (file, message, todo)


# --- The format: files, columns, sums ------------------------------------------------------------

# The fields of each content in the order of their columns. If a field contains ids of items, its name ends in *.
FIELDS = {
    "agenda": "name startTime endTime description location sessionTracks filterGroup subFilters speakerIds*"
    " linkUrls",
    "attendees": "firstName lastName emailAddress title company biography phone personalAgenda*",
    "speakers": "firstName lastName title company description imageUrl sessionIds* attendeeId* facebookUrl"
    " linkedinUrl twitter",
}
FIELDS = {content: names.split() for content, names in FIELDS.items()}
WITH_IDS = {content: {name[:-1] for name in names if name[-1] == "*"} for content, names in FIELDS.items()}
FIELDS = {content: [name.rstrip("*") for name in names] for content, names in FIELDS.items()}


def column_of(field):
    return re.sub("[A-Z]", lambda letter: "_" + letter.group().lower(), field)


TEXT, NUMBER, FLAG = "string", "integer", "boolean"
# Times in UTC, and times on the clocks of a zone. In datapackage.json, both have the type "datetime".
INSTANT, LOCAL_TIME = "instant", "local time"
TYPES = {INSTANT: "datetime", LOCAL_TIME: "datetime"}
FLAGS = ("", "true", "false")
ACTIONS = ("create", "update", "handover", "unchanged")

# The columns of each CSV file with their types.
COLUMNS = {
    **{
        content + ".csv": {name: TEXT for name in ["unique_id", "action", *map(column_of, FIELDS[content])]}
        for content in CONTENTS
    },
    "decisions.csv": dict.fromkeys(
        ["content", "resource", "source_id", "unique_id", "decision", "reason", "action", "detail"], TEXT
    ),
    "changes.csv": dict.fromkeys(
        ["content", "unique_id", "action", "field", "before", "after", "reason"], TEXT
    ),
    "certificates.csv": {
        "resource": TEXT,
        "certified": FLAG,
        "requests": NUMBER,
        "elements": NUMBER,
        "distinct_ids": NUMBER,
        "declared": NUMBER,
        "end": TEXT,
        "detail": TEXT,
        "confirmed": FLAG,
    },
    "reconciliation.csv": {
        "content": TEXT,
        "resource": TEXT,
        "measure": TEXT,
        "count": NUMBER,
        "expected": NUMBER,
        "pass": FLAG,
    },
    "load_results.csv": {
        "seq": NUMBER,
        "content": TEXT,
        "unique_id": TEXT,
        "op": TEXT,
        "status": TEXT,
        "code": TEXT,
        "detail": TEXT,
        "reason": TEXT,
    },
}

COLUMNS["agenda.csv"].update(start_time=INSTANT, end_time=INSTANT)
# Columns that a file has after the columns of custom fields.
AFTER_CUSTOM = {"agenda.csv": {"local_start": LOCAL_TIME, "local_end": LOCAL_TIME, "zone": TEXT}}

# The values that a column may have. An empty text stands for an absent value.
VALUES = {
    **{content + ".csv": {"action": ACTIONS} for content in CONTENTS},
    "decisions.csv": {
        "content": CONTENTS,
        "decision": ("synced", "excluded", "quarantined"),
        "action": ("", *ACTIONS, "remove"),
    },
    "changes.csv": {"content": CONTENTS, "action": ("create", "update", "handover", "remove")},
    "certificates.csv": {"certified": FLAGS, "confirmed": FLAGS},
    "reconciliation.csv": {"content": ("", *CONTENTS), "pass": FLAGS},
    "load_results.csv": {
        "content": CONTENTS,
        "op": ("upsert", "remove"),
        "status": ("created", "updated", "unchanged", "removed", "failed", "withheld"),
    },
}

# The columns by which rows are sorted, and which of these columns a masked pack may hide.
SORTED_BY = {
    **{content + ".csv": ("unique_id",) for content in CONTENTS},
    "decisions.csv": ("content", "source_id"),
    "changes.csv": ("content", "unique_id", "field"),
}
PERSONAL = ("unique_id", "source_id")

ACTIONS_COLUMNS = dict.fromkeys(["action", "made_at", "made_by", "reason", "run", "until", "detail"], TEXT)

OPERATIONS, REPORT, PACKAGE = "operations.jsonl", "report.html", "datapackage.json"
MANIFEST, MANIFEST_SIG, SHA256SUMS = "manifest.json", "manifest.sig", "SHA256SUMS"
DETAILS = "details.json"
PURGED, PURGED_SIG = "purged.json", "purged.sig"
RENAMED, RENAMED_SIG = "renamed.json", "renamed.sig"
EVIDENCE, EVIDENCE_SIG = "evidence.json", "evidence.sig"
REQUIRED = [*COLUMNS, PACKAGE, REPORT, "README.txt"]
SUPERSEDED = re.compile(r"manifest\.superseded-[0-9]+\.(?:json|sig)|details\.superseded-[0-9]+\.json")

# Measures of reconciliation.csv. "sum": the expected value is the sum of these. "from": the count is the sum
# of these measures of the resource. "rows": the count is the number of these rows.
RESOURCE_MEASURES = {
    "read": {"sum": ("staged", "repeated", "quarantined", "forgotten")},
    "staged": {},
    "repeated": {},
    "quarantined": {},
    "unseen": {},
    "forgotten": {"optional": True},
    "control_total": {},
    "missed_by_changes": {"optional": True},
    "brought_by_full_reading": {"optional": True},
}
CONTENT_MEASURES = {
    "records": {
        "of_reading": True,
        "from": ("staged", "unseen", "repeated", "quarantined"),
        "sum": ("synced", "excluded", "quarantined"),
        "rows": [["decisions"]],
    },
    "excluded": {"optional": True, "rows": [["decisions excluded"]]},
    "quarantined": {"of_reading": True, "rows": [["decisions quarantined"]]},
    "synced": {
        "sum": ("created", "updated", "unchanged", "failed"),
        "rows": [["decisions synced"], ["items"]],
    },
    "created": {"rows": [["results upsert created"]]},
    "updated": {"rows": [["results upsert updated"]]},
    "unchanged": {"rows": [["items unchanged", "results upsert unchanged"]]},
    "failed": {"rows": [["results upsert failed"]]},
    "removed": {"rows": [["results remove removed", "results remove unchanged"]]},
    "removals_failed": {"rows": [["results remove failed"]]},
    "removals_withheld": {"rows": [["results remove withheld"]]},
    "kept": {},
    "live": {"expected": True},
    "control_total": {"expected": True},
    "platform": {"optional": True},
}


def name_of(measure):
    return "excluded" if measure.startswith("excluded:") else measure


# --- Reading files -------------------------------------------------------------------------------

READ = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY", "O_NOCTTY"))
NOT_PLAIN = "is a link or a folder, not a file"


def open_plain(folder, name):
    """Opens a plain file; returns None if the file does not exist. Never follows a link or waits for a pipe."""
    path = os.path.join(folder, name)
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            raise Fault(name, NOT_PLAIN)
        file = os.fdopen(os.open(path, READ), "rb")
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            return None
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise Fault(name, NOT_PLAIN) from None
        raise Fault(name, "cannot be read (%s)" % errno.errorcode.get(error.errno, "unknown")) from None
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise Fault(name, NOT_PLAIN)
    return file


def too_large(size, limit):
    return "has %d bytes; the most allowed for this file is %d" % (size, limit)


def read_small(folder, name, limit):
    """Reads a whole file; returns None if the file does not exist."""
    file = open_plain(folder, name)
    if file is None:
        return None
    with file:
        size = os.fstat(file.fileno()).st_size
        if size > limit:
            raise Fault(name, too_large(size, limit))
        return file.read(size)


def chunks_of(folder, name):
    """Reads a file in parts, up to the size that the file had when it was opened."""
    file = open_plain(folder, name)
    if file is None:
        raise Fault(name, "is missing")
    with file:
        left = os.fstat(file.fileno()).st_size
        while left > 0:
            chunk = file.read(min(CHUNK, left))
            if not chunk:
                return
            left -= len(chunk)
            yield chunk


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def sha256_of_file(folder, name):
    total = hashlib.sha256()
    for chunk in chunks_of(folder, name):
        total.update(chunk)
    return total.hexdigest()


def names_in(folder):
    with os.scandir(folder) as entries:
        return sorted((entry.name, entry.is_file(follow_symlinks=False)) for entry in entries)


# --- JSON, exactly as the product writes it ------------------------------------------------------


class Number(str):
    """A number that keeps its digits as they are in the file."""

    __slots__ = ()


def no_constant(_text):
    raise ValueError("not JSON")


# Equal numbers share memory, because a forged file can contain millions of numbers.
number_of = functools.lru_cache(maxsize=4096)(Number)
DECODER = json.JSONDecoder(
    parse_int=number_of, parse_float=number_of, parse_constant=no_constant, object_pairs_hook=dict
)
INDEX = re.compile("0|[1-9][0-9]{0,9}")
ESCAPED = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
TO_ESCAPE = re.compile('[\\x00-\\x1f"\\\\\\ud800-\\udfff]')
LINE_ENDS = re.compile("[\x85\u2028\u2029]")


def escape(match):
    character = match.group()
    return ESCAPED.get(character) or "\\u%04x" % ord(character)


def is_index(key):
    return INDEX.fullmatch(key) is not None and int(key) < 2 ** 32 - 1


def in_order(keys):
    """Sorts keys as JavaScript does: first whole numbers by value, then all other keys in their order."""
    indexes = sorted((key for key in keys if is_index(key)), key=int)
    return [*indexes, *(key for key in keys if not is_index(key))] if indexes else keys


def write_json(value, number, indent=None, end="\n"):
    """Writes a value as the product does: on one line, or on many lines with two spaces for each level."""
    if isinstance(value, Number):
        return number(value)
    if isinstance(value, str):
        return '"%s"' % TO_ESCAPE.sub(escape, value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    inner = end + "  "
    is_list = isinstance(value, list)
    if is_list:
        parts = [write_json(one, number, indent, inner) for one in value]
    else:
        colon = ": " if indent else ":"
        parts = [
            write_json(key, number) + colon + write_json(value[key], number, indent, inner)
            for key in in_order(list(value))
        ]
    start, stop = "[]" if is_list else "{}"
    if not parts or not indent:
        return start + ",".join(parts) + stop
    return start + inner + ("," + inner).join(parts) + end + stop


# Whole numbers with at most 15 digits. JavaScript prints these numbers with the same digits.
SHORT = re.compile("0|[1-9][0-9]{0,14}")


def as_double(literal):
    """Returns a number as JavaScript prints it."""
    if SHORT.fullmatch(literal) is not None:
        return literal
    if len(literal) > 25:
        return ""
    value = float(literal)
    if value in (float("inf"), float("-inf")):
        return ""
    mantissa, _, exponent = ("%r" % abs(value)).partition("e")
    whole, _, part = mantissa.partition(".")
    digits = (whole + part).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + part) - len(digits))
    digits = digits.rstrip("0")
    if digits == "":
        return "0"
    sign = "-" if value < 0 else ""
    count = len(digits)
    if count <= point <= 21:
        return sign + digits + "0" * (point - count)
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    fraction = "." + digits[1:] if count > 1 else ""
    return "%s%s%se%+d" % (sign, digits[0], fraction, point - 1)


# Maximum number of levels in a JSON value. The product writes fewer than ten levels.
TOO_DEEP = re.compile("^ {201}", re.MULTILINE)


def parse_json(data):
    """Parses JSON in UTF-8; returns None if the text is not JSON. Callers find repeated keys later."""
    try:
        text = data.decode("utf-8")
        value, end = DECODER.raw_decode(text)
        return (text, value) if text[end:].strip(" \t\r\n") == "" else None
    except (ValueError, RecursionError):
        return None


def parse_document(data):
    """Parses a JSON file; returns None if its bytes differ from the bytes that the product writes."""
    try:
        if TOO_DEEP.search(data.decode("utf-8")) is not None:
            return None
    except ValueError:
        return None
    parsed = parse_json(data)
    if parsed is None:
        return None
    text, value = parsed
    try:
        return value if write_json(value, as_double, indent=True) + "\n" == text else None
    except RecursionError:
        return None


def parse_line(data):
    """Parses a line of operations.jsonl; returns None if its bytes differ from what the product writes."""
    parsed = parse_json(data)
    if parsed is None:
        return None
    text, value = parsed
    try:
        written = LINE_ENDS.sub(lambda match: "\\u%04x" % ord(match.group()), write_json(value, str)) + "\n"
    except RecursionError:
        return None
    return value if written == text else None


# --- Forms of JSON values ------------------------------------------------------------------------


def is_text(value):
    return isinstance(value, str) and not isinstance(value, Number)


def is_whole(value):
    return (
        isinstance(value, Number)
        and re.fullmatch("0|-?[1-9][0-9]{0,15}", value) is not None
        and abs(int(value)) <= MAX_WHOLE
    )


def is_count(value):
    return is_whole(value) and int(value) >= 0


def is_flag(value):
    return isinstance(value, bool)


def is_hash(value):
    return is_text(value) and re.fullmatch("[0-9a-f]{64}", value) is not None


UUID = re.compile(
    "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}"
    "|00000000-0000-0000-0000-000000000000|ffffffff-ffff-ffff-ffff-ffffffffffff"
)


def is_uuid(value):
    return is_text(value) and UUID.fullmatch(value) is not None


TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?Z"
)


def is_time(value):
    match = TIME.fullmatch(value) if is_text(value) else None
    if match is None:
        return False
    year, month, day = map(int, match.groups())
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = (31, 29 if is_leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    return 1 <= month <= 12 and 1 <= day <= days[month - 1]


def is_file_name(value):
    return (
        is_text(value)
        and re.fullmatch("[A-Za-z0-9_][A-Za-z0-9_.-]*", value) is not None
        and value not in (MANIFEST, MANIFEST_SIG, SHA256SUMS)
    )


def nullable(form):
    return lambda value: value is None or form(value)


def one_of(*allowed):
    return lambda value: is_text(value) and value in allowed


def list_of(form):
    return lambda value: isinstance(value, list) and all(form(one) for one in value)


def has(keys, optional=None, strict=False):
    """Returns a check that an object has these keys. If `strict`, only these and the optional keys are allowed."""
    more = optional or {}

    def check(value):
        if not isinstance(value, dict) or any(key not in value for key in keys):
            return False
        if strict and any(key not in keys and key not in more for key in value):
            return False
        return all(form(value[key]) for key, form in [*keys.items(), *more.items()] if key in value)

    return check


CERTIFICATE = {
    "resource": is_text,
    "certified": is_flag,
    "requests": is_count,
    "elements": is_count,
    "distinctIds": nullable(is_count),
    "declared": nullable(is_count),
    "end": nullable(is_text),
    "detail": is_text,
    "confirmed": nullable(is_flag),
}
CHANGES = has(
    {"create": is_count, "update": is_count, "remove": is_count, "unchanged": is_count},
    {"handover": is_count},
)
LISTED_PACK = {"run": is_uuid, "manifestSha256": is_hash}

has_files = list_of(has({"name": is_file_name, "rows": is_count, "bytes": is_count, "sha256": is_hash}))

has_manifest_keys = has(
    {
        "integration": is_text,
        "run": is_uuid,
        "planHash": nullable(is_text),
        "format": lambda value: is_count(value) and int(value) >= 1,
        "personalData": one_of("full", "masked"),
        "previousManifestSha256": nullable(is_hash),
        "files": has_files,
    },
    {
        "command": one_of("rollback"),
        "rollbackTo": is_uuid,
        "supersedes": is_hash,
        "alsoSupersedes": list_of(is_hash),
        "appliedAt": nullable(is_text),
        "finishedAt": nullable(is_text),
        "product": has({"version": is_text}),
        "startedBy": is_text,
        "configHash": is_text,
        "gap": has({"packs": list_of(has({**LISTED_PACK, "manifestSha256": nullable(is_hash)}))}),
        "suppressions": nullable(has({"revision": is_count, "sha256": is_hash})),
        "purges": list_of(has({"purgedAt": is_text, "purgedBy": is_text, "packs": list_of(has(LISTED_PACK))})),
        "renamed": list_of(has({"from": is_text})),
    },
)


def is_manifest(value):
    """A manifest of a rollback has `command` and `rollbackTo`; manifests of other runs have neither key."""
    return has_manifest_keys(value) and ("command" in value) == ("rollbackTo" in value)


# The details: what stays the same from run to run if nothing changed.
DETAILS_KEYS = {
    "platform": has({"type": is_text}),
    "counts": nullable(has({"changes": has({}, {content: CHANGES for content in CONTENTS}, strict=True)})),
    "certificates": list_of(has(CERTIFICATE)),
    "requests": list_of(has({"resource": is_text, "elements": is_count})),
    "files": has_files,
}
is_details = has(DETAILS_KEYS)


is_purge_note = has(
    {"purgedAt": is_time, "purgedBy": is_text, "manifestSha256": is_text, "lastManifestSha256": is_text},
    strict=True,
)


def parse_manifest(data):
    manifest = parse_document(data)
    if not is_manifest(manifest):
        return None
    names = [file["name"] for file in manifest["files"]]
    return manifest if len(set(names)) == len(names) and DETAILS in names else None


def with_details(folder, manifest, name=DETAILS):
    """Reads the details that a manifest names; returns the manifest with them, and with the files of both."""
    data = read_small(folder, name, MAX_MANIFEST)
    if data is None:
        raise Fault(name, "is missing")
    if sha256(data) != next(file["sha256"] for file in manifest["files"] if file["name"] == DETAILS):
        raise Fault(name, "does not have the SHA-256 in the manifest")
    details = parse_document(data)
    if not is_details(details):
        raise Fault(name, "is not the details of an audit pack")
    of_details = [file["name"] for file in details["files"]]
    if len(set(of_details)) < len(of_details):
        raise Fault(name, "is not the details of an audit pack")
    if any(file["name"] in of_details for file in manifest["files"]):
        raise Fault(name, "lists a file that the manifest lists too")
    own = {key: details[key] for key in DETAILS_KEYS}
    return {**manifest, **own, "files": details["files"] + manifest["files"]}


# --- Signatures ----------------------------------------------------------------------------------

DER_OF_ED25519 = bytes.fromhex("302a300506032b6570032100")
# The second test of RFC 8032, section 7.1. The program tests `cryptography` and `openssl` with it.
TRIAL = (
    bytes.fromhex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"),
    b"\x72",
    bytes.fromhex(
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    ),
)


def verify_with_cryptography(key, message, signature):
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
        return True
    except (InvalidSignature, ValueError):
        return False


def pem_of(key):
    text = base64.b64encode(DER_OF_ED25519 + key).decode()
    return "-----BEGIN PUBLIC KEY-----\n%s\n-----END PUBLIC KEY-----\n" % text


def verify_with_openssl(key, message, signature):
    program = shutil.which("openssl")
    if program is None:
        raise OSError("no openssl")
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for name, data in (("key", pem_of(key).encode()), ("message", message), ("signature", signature)):
            paths[name] = os.path.join(folder, name)
            with open(paths[name], "wb") as file:
                file.write(data)
        command = [program, "pkeyutl", "-verify", "-pubin", "-inkey", paths["key"], "-rawin"]
        command += ["-in", paths["message"], "-sigfile", paths["signature"]]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
        return done.returncode == 0


def find_tool():
    """Returns the first tool that accepts a right signature and refuses a wrong signature, or None."""
    key, message, signature = TRIAL
    for tool in (verify_with_cryptography, verify_with_openssl):
        try:
            if tool(key, message, signature) and not tool(key, message + b"x", signature):
                return tool
        except Exception:  # A package or program that does not work counts as missing.
            continue
    return None


class Keys:
    """The public keys of the owners of the packs. A signature is valid if it matches one of them."""

    def __init__(self, keys, tool):
        self.keys = keys
        self.tool = tool

    def fault(self, folder, file, signed):
        """Checks that a file is the signature of these bytes; returns a list of findings."""
        signature = read_signature(folder, file)
        if signature is None:
            return [(file, "is missing", SIGNATURES)]
        if self.tool is None or any(self.tool(key, signed, signature) for key in self.keys):
            return []
        return [(file, "does not match the public key", SIGNATURES)]


def read_signature(folder, file):
    """Reads a signature: 64 bytes in base64 and a line feed; returns None if the file does not exist."""
    text = read_small(folder, file, MAX_SMALL)
    if text is None:
        return None
    is_base64 = re.fullmatch(rb"[A-Za-z0-9+/]{86}==\n", text) is not None
    signature = base64.b64decode(text) if is_base64 else b""
    if len(signature) != 64 or base64.b64encode(signature) + b"\n" != text:
        raise Fault(file, "is not a signature in base64, as event-sync writes it", SIGNATURES)
    return signature


def keys_in(path):
    """Reads Ed25519 public keys from a PEM file. Does not print its text, because it may contain a secret."""
    try:
        with open(path, "rb") as file:
            text = file.read(MIB).decode("ascii", "replace")
    except OSError as error:
        raise UsageError("--public-key %s cannot be read (%s)" % (path, error.strerror)) from None
    blocks = re.findall("-----BEGIN ([^-]+)-----([^-]*)-----END ([^-]+)-----", text)
    keys = []
    for begin, body, end in blocks:
        try:
            der = base64.b64decode("".join(body.split()), validate=True)
        except ValueError:
            der = b""
        if begin != "PUBLIC KEY" or end != begin or len(der) != 44 or not der.startswith(DER_OF_ED25519):
            blocks = []
            break
        keys.append(der[len(DER_OF_ED25519) :])
    if not blocks:
        raise UsageError("--public-key %s has something else than Ed25519 public keys in PEM" % path)
    return keys


# --- The manifests and their chain ---------------------------------------------------------------


class Pack:
    """A folder with its manifest, or with the first fault of its manifest."""

    def __init__(self, folder, data=b"", manifest=None, fault=None):
        self.folder = folder
        self.data = data
        self.sha256 = sha256(data)
        self.manifest = manifest
        self.fault = fault


def read_pack(folder, keys):
    """Checks the signature of a manifest, and reads the manifest; returns None if the folder is not a pack."""
    try:
        data = read_small(folder, MANIFEST, MAX_MANIFEST)
        if not data:
            rest = [read_small(folder, name, MAX_SMALL) is not None for name in (SHA256SUMS, MANIFEST_SIG)]
            if data is None and not any(rest):
                return None
            raise Fault(MANIFEST, "is missing or empty")
        if keys is not None:
            for file, message, todo in keys.fault(folder, MANIFEST_SIG, data):
                raise Fault(file, message, todo)
        manifest = parse_manifest(data)
        if manifest is None:
            raise Fault(MANIFEST, "is not a manifest of an audit pack")
        return Pack(folder, data, manifest)
    except Fault as fault:
        return Pack(folder, fault=fault.finding)


class Link:
    """Facts about a pack that are needed to check the chain."""

    def __init__(self, pack, follows):
        manifest = pack.manifest
        self.folder = pack.folder
        self.sha256 = pack.sha256
        self.integration = manifest["integration"]
        self.run = manifest["run"]
        self.hashes = [self.sha256]
        if "supersedes" in manifest:
            self.hashes.append(manifest["supersedes"])
        self.hashes += manifest.get("alsoSupersedes", [])
        # The former ids that the integration gave up after the previous pack, oldest first.
        self.former = [renaming["from"] for renaming in manifest.get("renamed", [])]
        self.landed_at = manifest.get("appliedAt")
        self.previous = manifest["previousManifestSha256"]
        # The first pack of a chain may follow a pack that is not here, if the hash of the missing pack is known.
        if self.previous is not None and self.previous == follows:
            self.previous = None
        packs = manifest.get("gap", {"packs": []})["packs"]
        self.gap = [pack["manifestSha256"] for pack in packs if pack["manifestSha256"] is not None]
        self.purges = [
            (pack["manifestSha256"], purge["purgedAt"], purge["purgedBy"])
            for purge in manifest.get("purges", [])
            for pack in purge["packs"]
        ]


is_renamed_note = has(
    {
        "integration": is_text,
        "renamed": list_of(has({"from": is_text, "renamedAt": is_text}, strict=True)),
        "lastManifestSha256": nullable(is_text),
    },
    strict=True,
)


def read_renamings(folder, keys, links):
    """Reads the note beside the packs, which lists renamings that no pack lists yet; returns (id, former ids).

    A damaged note is ignored. If there are keys, a note without a valid signature is ignored too. The note also
    needs the pack that was the last one at the time of the renaming: it does not join packs of another event.
    """
    try:
        data = read_small(folder, RENAMED, MIB)
        if data is None or (keys is not None and keys.fault(folder, RENAMED_SIG, data)):
            return []
    except Fault:
        return []
    note = parse_document(data)
    if not is_renamed_note(note) or not any(note["lastManifestSha256"] in link.hashes for link in links):
        return []
    return [(note["integration"], [renaming["from"] for renaming in note["renamed"]])]


class Chain:
    """All packs in one folder, linked by the hashes of their manifests."""

    def __init__(self, links, renamings, purges=()):
        self.ids = {}
        for id_, former in [*((link.integration, link.former) for link in links), *renamings]:
            for one in former:
                self.ids[self.first_id(one)] = self.first_id(id_)
        # Copies of a pack are counted only once here. Another check finds copies by the names of their folders.
        self.links = list({link.sha256: link for link in links}.values())
        self.by_sha256 = {link.sha256: link for link in self.links}
        self.claims = {}
        self.followers = {}
        self.purges = dict.fromkeys(purges, True)
        self.purged_by = {}
        for link in self.links:
            for one in dict.fromkeys(link.hashes):
                self.claims.setdefault(one, []).append(link)
            for purge in link.purges:
                self.purges[purge] = True
                self.purged_by[purge[0]] = link.run
        for link in self.links:
            self.followers.setdefault(self.place_after(link, link.previous), []).append(link)
        gaps = [one for link in self.links for one in link.gap if one in self.claims]
        self.noted = {self.claims[one][-1].sha256 for one in gaps}
        self.known = {}

    def first_id(self, id_):
        """Returns the same id for each id that an integration has or had."""
        first = id_
        while self.ids.get(first, first) != first:
            first = self.ids[first]
        self.ids[id_] = first
        return first

    def is_same(self, one, other):
        return self.first_id(one) == self.first_id(other)

    def place_after(self, link, hash_):
        """Returns the place after a pack. A pack that was written again has several hashes, but one place."""
        found = self.find(hash_)
        return self.first_id(link.integration), hash_ if found is None else found.sha256

    def find(self, hash_):
        claims = self.claims.get(hash_)
        return claims[-1] if claims else None

    def before(self, link):
        """Returns the previous pack. Its id may differ only if the integration was renamed."""
        found = self.find(link.previous)
        return found if found is not None and found.integration in (link.integration, *link.former[:1]) else None

    def own_faults(self, link):
        found = []
        others = 0
        for rival in self.followers[self.place_after(link, link.previous)]:
            # After a database was restored, a chain has two branches. One branch lists the other one as a gap.
            if rival is link or rival.sha256 in self.noted or link.sha256 in self.noted:
                continue
            others += 1
            if others <= MAX_NAMED:
                what = "say that they are the first" if link.previous is None else "follow the same pack"
                found.append("run %s and run %s both %s" % (link.run, rival.run, what))
        for one in link.hashes:
            for other in self.claims[one][:MAX_NAMED]:
                if other is not link:
                    found.append("run %s and run %s both claim the manifest %s" % (link.run, other.run, one))
        for one in link.gap:
            missed = self.find(one)
            if missed is None or not self.is_same(missed.integration, link.integration):
                what = "names a pack in its gap that is missing here, or whose manifest was changed"
                found.append("run %s %s (SHA-256 %s)" % (link.run, what, one))
        if link.previous is not None and self.before(link) is None:
            found.append(
                "run %s follows a pack that is missing here, or whose manifest was changed (SHA-256 %s)"
                % (link.run, link.previous)
            )
        return found

    def faults_up_to(self, link):
        """Returns the faults of a link and of all earlier links."""
        way = []
        at = link
        on_way = set()
        while at is not None and at.sha256 not in self.known and at.sha256 not in on_way:
            way.append(at)
            on_way.add(at.sha256)
            at = self.before(at)
        found = [] if at is None else self.known.get(at.sha256, ["the chain of run %s is a loop" % at.run])
        for one in reversed(way):
            own = self.own_faults(one)
            found = own + found[:20] if own else found
            self.known[one.sha256] = found
        return found

    def findings(self, pack):
        link = self.by_sha256[pack.sha256]
        found = []
        name = os.path.basename(pack.folder)
        if name != link.run:
            found.append("run %s is in a folder named %s" % (link.run, json.dumps(name)))
        foreign = [other for other in self.links if not self.is_same(other.integration, link.integration)]
        for other in foreign[:MAX_NAMED]:
            what = "but belongs to another integration"
            found.append("run %s is next to run %s, %s" % (other.run, link.run, what))
        if len(foreign) > MAX_NAMED:
            found.append("%d packs of other integrations are next to run %s" % (len(foreign), link.run))
        return [("chain", message, PACKS) for message in found + self.faults_up_to(link)]

    def is_last(self, hash_):
        """Returns True if a pack exists and no pack follows it."""
        claims = self.claims.get(hash_)
        if not claims:
            return False
        link = claims[-1]
        return self.place_after(link, link.sha256) not in self.followers


# --- Files of a pack -----------------------------------------------------------------------------


def limit_of(name):
    if name == REPORT:
        return MAX_REPORT
    if name == OPERATIONS or (name in COLUMNS and name not in ("certificates.csv", "reconciliation.csv")):
        return MAX_ROWS
    return MAX_MANIFEST if is_kept(name) else MAX_SMALL


def is_kept(name):
    """Returns True for a file that a purged pack still has, because its manifest lists it."""
    return name == DETAILS or SUPERSEDED.fullmatch(name) is not None


def check_file(folder, file, limit):
    name = file["name"]
    try:
        size = os.lstat(os.path.join(folder, name)).st_size
        if size != int(file["bytes"]):
            return [(name, "has %d bytes, the manifest says %s" % (size, file["bytes"]), FILES)]
        if size > limit:
            return [(name, too_large(size, limit), FILES)]
        if sha256_of_file(folder, name) != file["sha256"]:
            return [(name, "does not have the SHA-256 in the manifest", FILES)]
        return []
    except OSError as error:
        return [(name, "cannot be read (%s)" % errno.errorcode.get(error.errno, "unknown"), FILES)]


def check_format(manifest):
    if int(manifest["format"]) == FORMAT:
        return []
    return [(MANIFEST, "has format %s, which a newer event-sync wrote" % manifest["format"], NEWER)]


def check_required(manifest):
    names = {file["name"] for file in manifest["files"]}
    required = REQUIRED + ([OPERATIONS] if manifest["platform"]["type"] == "jsonl" else [])
    return [(name, "is not in the manifest", FILES) for name in required if name not in names]


def check_files(folder, manifest):
    """Checks that the pack has exactly the files of the manifest, with their sizes and hashes."""
    found = []
    is_plain = dict(names_in(folder))
    for file in manifest["files"]:
        name = file["name"]
        if name not in is_plain:
            found.append((name, "is missing", FILES))
        elif is_plain[name]:
            found += check_file(folder, file, limit_of(name))
    known = {MANIFEST, MANIFEST_SIG, SHA256SUMS, *(file["name"] for file in manifest["files"])}
    for name, plain in is_plain.items():
        if name not in known:
            found.append((name, "is not in the manifest", FILES))
        elif not plain:
            found.append((name, NOT_PLAIN, FILES))
    return found


def check_sums_file(pack, manifest):
    data = read_small(pack.folder, SHA256SUMS, MAX_SMALL)
    if data is None:
        return [(SHA256SUMS, "is missing", FILES)]
    listed = [(file["name"], file["sha256"]) for file in manifest["files"]]
    lines = ["%s  %s\n" % (hash_, name) for name, hash_ in sorted([*listed, (MANIFEST, pack.sha256)])]
    if data == "".join(lines).encode():
        return []
    return [(SHA256SUMS, "does not have the same hashes as the manifest, each once and sorted by name", FILES)]


def check_superseded(folder, manifest, keys):
    """Checks the earlier manifests of a pack. The pack was written again to erase a person."""
    named = {manifest["supersedes"]} if "supersedes" in manifest else set()
    named |= set(manifest.get("alsoSupersedes", []))
    rows_of = {file["name"]: file["rows"] for file in manifest["files"]}
    kept = [name for name in rows_of if SUPERSEDED.fullmatch(name)]
    found = []
    for name in (one for one in kept if one.startswith("manifest.") and one.endswith(".json")):
        data = read_small(folder, name, MAX_MANIFEST)
        if data is None:
            continue
        own = sha256(data)
        if own not in named:
            found.append((name, "is not named by the manifest that replaced it", FILES))
        named.discard(own)
        before = parse_manifest(data)
        if before is None:
            found.append((name, "is not a manifest of an audit pack", FILES))
        else:
            same = ("integration", "run", "planHash", "personalData", "previousManifestSha256")
            other = [key for key in same if before[key] != manifest[key]]
            if other:
                found.append((name, "differs from the manifest in " + ", ".join(other), FILES))
            try:
                before = with_details(folder, before, "details" + name[len("manifest") :])
            except Fault as fault:
                found.append(fault.finding)
            for file in before["files"]:
                if not SUPERSEDED.fullmatch(file["name"]) and rows_of.get(file["name"]) != file["rows"]:
                    message = "has another number of rows for %s than the manifest" % file["name"]
                    found.append((name, message, FILES))
        signature = name[: -len("json")] + "sig"
        if keys is not None and signature in kept:
            found += keys.fault(folder, signature, data)
    if named:
        found.append((MANIFEST, "names an earlier manifest of this pack that is not here", FILES))
    return found


def check_purged(pack, manifest, note_data, chain, keys):
    """Checks a pack whose files were deleted. Its manifests and a note about the deletion must be there."""
    note = parse_document(note_data)
    if not is_purge_note(note):
        return [(PURGED, "is not a purge note", FILES)]
    if note["manifestSha256"] != pack.sha256:
        return [(PURGED, "belongs to another manifest", FILES)]
    found = check_rest(pack.folder, manifest)
    is_signed = read_signature(pack.folder, PURGED_SIG) is not None
    if is_signed and keys is not None:
        return keys.fault(pack.folder, PURGED_SIG, note_data) + found
    if (note["manifestSha256"], note["purgedAt"], note["purgedBy"]) in chain.purges:
        return found
    if keys is None and chain.is_last(note["lastManifestSha256"]):
        return found
    missing = "no later pack confirms that"
    if keys is not None:
        missing = "it is not signed, and no signed manifest confirms that"
    message = "says that the pack was purged at %s, but %s" % (note["purgedAt"], missing)
    return [*found, (PURGED, message, PACKS)]


def check_rest(folder, manifest):
    kept = {file["name"]: file for file in manifest["files"] if is_kept(file["name"])}
    found = []
    for name, plain in names_in(folder):
        file = kept.pop(name, None)
        if file is None:
            if name not in (MANIFEST, MANIFEST_SIG, PURGED, PURGED_SIG):
                found.append((name, "must not be here: the pack was purged", FILES))
        elif not plain:
            found.append((name, NOT_PLAIN, FILES))
        else:
            found += check_file(folder, file, MAX_MANIFEST)
    return found + [(name, "is missing", FILES) for name in kept]


# --- Rows of CSV files ---------------------------------------------------------------------------

FORMULA = frozenset("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
CUSTOM = re.compile(r"custom\.[a-z][A-Za-z0-9]{0,39}")


def csv_lines(name, chunks):
    """Yields each row as text, without its CRLF. A CRLF between quotes does not end a row."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    parts, length, quotes, held = [], 0, 0, ""
    for chunk in chunks:
        text = held + decoder.decode(chunk)
        held = "\r" if text.endswith("\r") else ""
        pieces = (text[:-1] if held else text).split("\r\n")
        for at, piece in enumerate(pieces):
            if at > 0:
                if quotes % 2 == 0:
                    yield "".join(parts)
                    parts, length, quotes = [], 0, 0
                else:
                    parts.append("\r\n")
                    length += 2
            parts.append(piece)
            length += len(piece)
            quotes += piece.count('"')
            if length > MAX_LINE:
                raise Fault(name, "has a row of more than %d bytes" % MAX_LINE)
    decoder.decode(b"", final=True)
    if held or any(parts):
        raise Fault(name, "ends in the middle of a line")


def cells_in(name, number, line, most):
    """Splits a row; yields for each cell its text, and True if the cell was quoted."""
    at = count = 0
    while True:
        count += 1
        if most is not None and count > most:
            raise Fault(name, "has a row of more than %d cells (row %d)" % (most, number))
        if line.startswith('"', at):
            begin = end = at + 1
            while True:
                end = line.find('"', end)
                if end < 0:
                    raise Fault(name, "row %d: a quote is not closed" % number)
                if not line.startswith('"', end + 1):
                    break
                end += 2
            yield line[begin:end].replace('""', '"'), True
            at = end + 1
            if at < len(line) and line[at] != ",":
                raise Fault(name, "row %d: a quoted cell goes on after its quote" % number)
        else:
            end = line.find(",", at)
            end = len(line) if end < 0 else end
            cell = line[at:end]
            if '"' in cell:
                raise Fault(name, "row %d: a quote is in a cell without quotes" % number)
            yield cell, False
            at = end
        if at >= len(line):
            return
        at += 1


def header_of(name, line, columns):
    """Checks the header of a file; returns its column names. Items may have columns of custom fields."""
    columns = list(columns)
    last = list(AFTER_CUSTOM.get(name, ()))
    header = line.split(",", MAX_CELLS)
    more = header[len(columns) : len(header) - len(last)]
    is_right = (
        len(header) <= MAX_CELLS
        and header == [*columns, *more, *last]
        and (not more or columns[0] == "unique_id")
        and all(CUSTOM.fullmatch(column) for column in more)
        and more == sorted(set(more))
    )
    if not is_right:
        raise Fault(name, "has other columns")
    return header


def rows_of(folder, name, columns=None):
    """Yields the header of a CSV file, then each row as a dictionary. Removes the guard against formulas.

    @param columns the columns with their types, if the file is not one of a pack
    """
    header = None
    columns = columns or COLUMNS[name]
    values = VALUES.get(name, {})
    number = 0
    try:
        for line in csv_lines(name, chunks_of(folder, name)):
            if header is None:
                header = header_of(name, line[1:] if line.startswith("\ufeff") else line, columns)
                declared = {**columns, **AFTER_CUSTOM.get(name, {})}
                types = [declared.get(column, TEXT) for column in header]
                yield header
                continue
            number += 1
            row = {}
            count = 0
            for cell, is_quoted in cells_in(name, number, line, len(header)):
                column = header[count]
                fault = fault_of_cell(cell, is_quoted, types[count], values.get(column))
                if fault is not None:
                    raise Fault(name, "row %d, column %s: %s" % (number, column, fault))
                row[column] = cell[1:] if cell.startswith("'") else cell
                count += 1
            if count != len(header):
                raise Fault(name, "row %d has %d cells instead of %d" % (number, count, len(header)))
            yield row
    except UnicodeDecodeError:
        raise Fault(name, "is not UTF-8") from None
    if header is None:
        raise Fault(name, "has other columns")


def fault_of_cell(cell, is_quoted, type_, allowed):
    """Checks the type, the value and the formula guard of a cell; returns a message or None."""
    if is_quoted:
        if type_ == NUMBER:
            return "a number is in quotes"
        first = cell[:1]
        if first in FORMULA and first:
            return "a text that a spreadsheet could run as a formula has no ' in front"
        if first == "'" and cell[1:2] != "'" and cell[1:2] not in FORMULA:
            return "a ' is in front of a text that needs none"
        if type_ in TYPES and (len(cell) != (20 if type_ == INSTANT else 19) or moment_of(cell) is None):
            return "is not a time"
    elif cell:
        if type_ != NUMBER:
            return "a text is without quotes"
        if re.fullmatch("0|-?[1-9][0-9]{0,29}", cell) is None:
            return "is not a whole number"
    if allowed is not None and cell not in allowed:
        return "the value is not one of this column"
    return None


MOMENT = re.compile("([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})Z?")


def moment_of(text):
    """Reads a time such as 2031-05-04T09:00:00, with or without Z; returns None if there is no such time."""
    match = MOMENT.fullmatch(text)
    try:
        return None if match is None else datetime.datetime(*map(int, match.groups()))
    except ValueError:
        return None


class Zones:
    """The time zones that this Python knows. On Windows, it knows them only with the package `tzdata`."""

    # Names that Python and the product understand in another way, or that only the product knows.
    OTHER = ("factory", "localtime", "posixrules", "gmt+0", "gmt-0")
    OLD = {"us/pacific-new": "America/Los_Angeles", "canada/east-saskatchewan": "America/Regina"}
    FORM = re.compile("[A-Za-z][A-Za-z0-9._+/-]{0,99}")

    def __init__(self):
        # The names of zones whose local times could not be checked.
        self.unknown = set()
        # The number of local times that differ from the data of this machine.
        self.other = 0

    @functools.cached_property
    def names(self):
        try:
            import zoneinfo

            names = {name.lower(): name for name in zoneinfo.available_timezones()}
        except Exception:  # Whatever is wrong with the data of time zones, the other checks must go on.
            names = {}
        return {**self.OLD, **{name: key for name, key in names.items() if name not in self.OTHER}}

    @property
    def is_complete(self):
        return "europe/berlin" in self.names and "us/eastern" in self.names

    @functools.lru_cache(maxsize=1000)
    def find(self, name):
        """Returns a zone, or None if this Python does not know it. Raises ValueError if there is no such zone."""
        offset = re.fullmatch("([+-])(0[0-9]|1[0-4]):([0-5][0-9])", name)
        if offset is not None:
            size = datetime.timedelta(hours=int(offset[2]), minutes=int(offset[3]))
            if not datetime.timedelta() < size <= datetime.timedelta(hours=14):
                raise ValueError
            return datetime.timezone(size if offset[1] == "+" else -size)
        if name.lower() == "utc":
            return datetime.timezone.utc
        if self.FORM.fullmatch(name) is None or name.lower() in self.OTHER:
            raise ValueError
        try:
            import zoneinfo

            return zoneinfo.ZoneInfo(self.names[name.lower()])
        except Exception:
            # The data may be absent, older than the zone, or without the old names of zones.
            if "/" in name or not self.is_complete:
                return None
            raise ValueError from None


ZONES = Zones()


def fault_of_local_times(row):
    """Checks that the local times of an agenda item are its times in UTC, on the clocks of its zone."""
    zone = None
    if row["zone"] != "":
        try:
            zone = ZONES.find(row["zone"])
        except ValueError:
            return "column zone: is not a time zone", FILES
    for local, utc in (("local_start", "start_time"), ("local_end", "end_time")):
        if row[local] != "" and (row["zone"] == "" or row[utc] == ""):
            return "column %s: there is no zone or no %s" % (local, utc), FILES
        moment = moment_of(row[utc])
        # Data of time zones differ before 1970, and the local time may be in the year 10000 after 9998.
        if row["zone"] == "" or moment is None or not 1970 <= moment.year <= 9998:
            continue
        if row[local] == "":
            return "column %s: is absent" % local, FILES
        if zone is None:
            ZONES.unknown.add(row["zone"])
            continue
        due = moment.replace(tzinfo=datetime.timezone.utc).astimezone(zone).replace(tzinfo=None)
        if moment_of(row[local]) == due:
            continue
        if isinstance(zone, datetime.timezone):
            return "column %s: is not %s in the zone" % (local, utc), FILES
        # A country can change its clocks after a pack was written, and the data of this machine may be old.
        ZONES.other += 1
    return None


class Tally:
    """Counts ids by kind. Also has a control total: the sum of 48 bits of the SHA-256 of each id."""

    def __init__(self, file):
        self.file = file
        self.kinds = {}

    def add(self, kind, text):
        entry = self.kinds.get(kind)
        if entry is None:
            if len(self.kinds) >= MAX_KINDS:
                raise Fault(self.file, "has more than %d kinds of rows" % MAX_KINDS, SUMS)
            entry = self.kinds[kind] = [0, 0]
        entry[0] += 1
        digest = hashlib.sha256(text.encode("utf-8")).digest()
        entry[1] = (entry[1] + int.from_bytes(digest[:6], "big")) % 2 ** 48

    def count(self, kind):
        return self.kinds.get(kind, (0, 0))[0]

    def total(self, kind):
        return self.kinds.get(kind, (0, 0))[1]


class File:
    """Result of reading the rows of a CSV file: number of rows, tally, first row that is out of order."""

    def __init__(self, name):
        self.name = name
        self.rows = 0
        self.tally = Tally(name)
        self.misplaced = None


def read_rows(folder, name, is_masked, add):
    """Reads the rows of a file. `add` adds a row to the tally, and returns False if the row is out of order."""
    file = File(name)
    order = []
    may_repeat = name not in SORTED_BY or name == "decisions.csv"
    for column in SORTED_BY.get(name, ()):
        if is_masked and column in PERSONAL:
            may_repeat = True
            break
        order.append(column)
    rows = rows_of(folder, name)
    next(rows)
    last = None
    for row in rows:
        file.rows += 1
        is_placed = add(row, file.tally) is not False
        place = [row[column] for column in order]
        is_wrong = not is_placed
        if is_placed and last is not None:
            is_wrong = place < last or (place == last and not may_repeat)
        if is_wrong and file.misplaced is None:
            file.misplaced = file.rows
        if is_placed:
            last = place
    return file


def read_items(folder, content, is_masked):
    name = content + ".csv"
    place = [0]

    def add(row, tally):
        place[0] += 1
        fault = fault_of_local_times(row) if name in AFTER_CUSTOM else None
        if fault is not None:
            raise Fault(name, "row %d, %s" % (place[0], fault[0]), fault[1])
        # Local times are not sent, so operations.jsonl does not have them.
        for column in AFTER_CUSTOM.get(name, ()):
            del row[column]
        action = row.pop("action")
        tally.add((content,), row["unique_id"])
        tally.add((content, action), row["unique_id"])
        if action != "unchanged":
            tally.add((content, "fields"), text_of_cells(row))

    return read_rows(folder, name, is_masked, add)


def text_of_cells(cells):
    """Returns the filled cells of an item as one text. Items with different cells have different texts."""
    return json.dumps(sorted((name, text) for name, text in cells.items() if text != ""))


def read_decisions(folder, is_masked):
    before = [None]

    def add(row, tally):
        content, source_id, unique_id = row["content"], row["source_id"], row["unique_id"]
        decision, reason = row["decision"], row["reason"]
        tally.add((content,), source_id)
        tally.add((content, decision), unique_id)
        if decision == "excluded":
            tally.add((content, "excluded:" + reason), unique_id)
        if decision == "synced":
            tally.add((content, "synced", row["action"]), unique_id)
        # Only one record with an id may be neither repeated nor quarantined.
        if reason == "duplicate_id" or decision == "quarantined":
            return True
        is_twice = before[0] == (content, source_id) and not (is_masked and source_id == "masked")
        before[0] = (content, source_id)
        return not is_twice

    return read_rows(folder, "decisions.csv", is_masked, add)


def read_changes(folder, is_masked):
    before = [None]

    def add(row, tally):
        content, unique_id, reason = row["content"], row["unique_id"], row["reason"]
        if before[0] != (content, unique_id, reason):
            tally.add((content, "remove" if row["action"] == "remove" else "upsert"), unique_id)
            if reason != "":
                tally.add((content, "because", reason), unique_id)
        before[0] = (content, unique_id, reason)

    return read_rows(folder, "changes.csv", is_masked, add)


def read_results(folder, is_masked):
    place = [0]

    def add(row, tally):
        content, unique_id, op, status = row["content"], row["unique_id"], row["op"], row["status"]
        tally.add((content, op, status), unique_id)
        if status != "withheld":
            tally.add((content, op), unique_id)
            if row["reason"] != "":
                tally.add((content, "because", row["reason"]), unique_id)
        place[0] += 1
        return row["seq"] == str(place[0])

    return read_rows(folder, "load_results.csv", is_masked, add)


# --- operations.jsonl ----------------------------------------------------------------------------


def is_storable(value):
    return is_text(value) and "\0" not in value and not re.search("[\ud800-\udfff]", value)


def is_id(value):
    return is_storable(value) and 1 <= len(value.encode("utf-8")) <= 1000


def is_field(value):
    return is_storable(value) or list_of(is_storable)(value)


def is_custom(value):
    if not isinstance(value, dict):
        return False
    return all(
        CUSTOM.fullmatch("custom." + name) and (is_field(one) or isinstance(one, (bool, Number)))
        for name, one in value.items()
    )


def fields_form(content):
    return has({}, {**dict.fromkeys(FIELDS[content], is_field), "custom": is_custom}, strict=True)


COMMON = {
    "seq": lambda value: is_count(value) and int(value) > 0,
    "content": one_of(*CONTENTS),
    "uniqueId": is_id,
}
is_removal = has({**COMMON, "op": is_text, "reason": is_text}, strict=True)
FORMS = {
    **{
        ("upsert", content): has({**COMMON, "op": is_text, "fields": fields_form(content)}, strict=True)
        for content in CONTENTS
    },
    **{("remove", content): is_removal for content in CONTENTS},
}
is_header = has(
    {
        "type": one_of("header"),
        "contract": is_text,
        "integration": is_text,
        "run": is_text,
        "planHash": is_text,
    },
    strict=True,
)
is_trailer = has({"type": one_of("trailer"), "operations": is_whole, "sha256": is_text}, strict=True)


def is_operation(value):
    if not isinstance(value, dict):
        return False
    op, content = value.get("op"), value.get("content")
    return is_text(op) and is_text(content) and (op, content) in FORMS and FORMS[(op, content)](value)


def json_lines(folder):
    """Yields the lines of operations.jsonl with their LF."""
    begun, length = [], 0
    for chunk in chunks_of(folder, OPERATIONS):
        lines = chunk.split(b"\n")
        for at, line in enumerate(lines):
            if at > 0:
                yield b"".join(begun) + b"\n"
                begun, length = [], 0
            begun.append(line)
            length += len(line)
            if length > MAX_LINE:
                raise Fault(OPERATIONS, "has a line of more than %d bytes" % MAX_LINE)
    if any(begun):
        yield b"".join(begun)


def masked_id(text):
    return text if re.fullmatch("[A-Za-z0-9_:-]+", text) else "masked"


def cell_of(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "; ".join(one.replace("\\", "\\\\").replace(";", "\\;") for one in value)
    return str(value)


def cells_of_item(operation, is_masked):
    """Returns the cells that an item has in the CSV file of its content."""
    content, unique_id = operation["content"], operation["uniqueId"]
    fields = dict(operation["fields"])
    custom = fields.pop("custom", {})
    fields.update(("custom." + name, value) for name, value in custom.items())
    cells = {}
    for name, value in fields.items():
        if is_masked and name in WITH_IDS[content]:
            value = [masked_id(one) for one in value] if isinstance(value, list) else masked_id(value)
        elif is_masked and content != "agenda":
            value = "masked"
        cells[name if name.startswith("custom.") else column_of(name)] = cell_of(value)
    cells["unique_id"] = masked_id(unique_id) if is_masked else unique_id
    return cells


class Operations:
    """The tally of the operations in operations.jsonl, and the faults of the file."""

    def __init__(self):
        self.tally = Tally(OPERATIONS)
        self.forgotten = set()
        self.findings = []


def read_operations(folder, manifest):
    """Checks operations.jsonl against its trailer and the manifest; returns None if the pack has no such file."""
    rows = {file["name"]: int(file["rows"]) for file in manifest["files"]}
    if OPERATIONS not in rows:
        return None
    found = Operations()

    def fail(message, todo=FILES):
        found.findings.append((OPERATIONS, message, todo))
        return found

    is_masked = manifest["personalData"] == "masked"
    total = hashlib.sha256()
    header = last = None
    number = 0
    for line in json_lines(folder):
        number += 1
        if number == 1:
            header = parse_line(line)
        if last is not None:
            total.update(last)
            if number > 2:
                operation = parse_line(last)
                if not is_operation(operation):
                    return fail("line %d is not an operation" % (number - 1))
                add_operation(found, operation, is_masked)
        last = line
    trailer = None if last is None else parse_line(last)
    if not is_header(header) or not is_trailer(trailer):
        return fail("lacks its header or its trailer")
    if any(header[key] != manifest[key] for key in ("integration", "run", "planHash")):
        return fail("belongs to another run or plan than the manifest")
    count = number - 2
    if int(trailer["operations"]) != count or rows[OPERATIONS] != count:
        message = "has %d operations, its trailer says %s, the manifest %d"
        return fail(message % (count, trailer["operations"], rows[OPERATIONS]))
    if trailer["sha256"] != total.hexdigest():
        return fail("does not have the SHA-256 in its trailer")
    return found


def add_operation(found, operation, is_masked):
    content, unique_id = operation["content"], operation["uniqueId"]
    if operation["op"] == "upsert":
        found.tally.add((content, "upsert"), unique_id)
        found.tally.add((content, "fields"), text_of_cells(cells_of_item(operation, is_masked)))
        return
    reason = operation["reason"]
    # A handover first removes the former person, and later has an upsert with the same id.
    if reason == "handover":
        found.tally.add((content, "handover"), unique_id)
        return
    found.tally.add((content, "remove"), unique_id)
    found.tally.add((content, "because", reason), unique_id)
    if reason == "forgotten":
        found.forgotten.add(content)


# --- Sums ----------------------------------------------------------------------------------------


def shown(name):
    """Returns a name from a file, if this name cannot be a value of a person."""
    return name if re.fullmatch("[A-Za-z0-9_:./-]{0,80}", name) else "(hidden)"


class Figures:
    """The rows of reconciliation.csv, grouped by content or resource, and then by measure."""

    def __init__(self):
        self.rows = 0
        self.of = {}
        self.resource_of = {}
        self.resources = set()
        self.findings = []

    def find(self, message, *values):
        self.findings.append(("reconciliation.csv", message % values, SUMS))

    def count(self, of, measure):
        return self.of.get(of, {}).get(measure, (0, None))[0]

    def count_or_sum(self, of, measure):
        """Returns the count of a content. If the count is missing, returns the sum of its parts."""
        if measure in self.of.get(of, {}):
            return self.count(of, measure)
        return self.sum_of(of, CONTENT_MEASURES.get(measure, {}).get("sum", ()))

    def sum_of(self, of, measures):
        return sum(count for name, (count, _) in self.of.get(of, {}).items() if name_of(name) in measures)


def to_count(text):
    return int(text) if re.fullmatch("0|[1-9][0-9]{0,29}", text) else None


def read_figures(folder, has_read):
    figures = Figures()
    rows = rows_of(folder, "reconciliation.csv")
    next(rows)
    for row in rows:
        figures.rows += 1
        if figures.rows > MAX_KINDS:
            raise Fault("reconciliation.csv", "has more than %d figures" % MAX_KINDS, SUMS)
        add_figure(figures, row)
    for resource in sorted(figures.resources):
        check_measures(figures, ("resource", resource), RESOURCE_MEASURES, None, has_read)
    for content, resource in sorted(figures.resource_of.items()):
        check_measures(figures, ("content", content), CONTENT_MEASURES, ("resource", resource), has_read)
    return figures


def add_figure(figures, row):
    content, resource, measure = row["content"], row["resource"], row["measure"]
    of = ("content", content) if content else ("resource", resource)
    name = "%s %s" % (shown(of[1]), shown(measure))
    own = figures.of.setdefault(of, {})
    if content:
        if figures.resource_of.setdefault(content, resource) != resource:
            figures.find("%s names two resources", shown(content))
    elif resource:
        figures.resources.add(resource)
    if measure in own:
        figures.find("%s appears twice", name)
    count = to_count(row["count"])
    expected = None if row["expected"] == "" else to_count(row["expected"])
    if count is None or (expected is None and row["expected"] != ""):
        figures.find("%s is not a number", name)
        return
    own[measure] = (count, expected)
    closes = "" if expected is None else "true" if count == expected else "false"
    if row["pass"] != closes:
        figures.find('%s: pass must be "%s"', name, closes)
    elif closes == "false":
        figures.find("%s does not add up: %d instead of %d", name, count, expected)


def check_measures(figures, of, measures, resource, has_read):
    for measure, rule in measures.items():
        name = "%s %s" % (shown(of[1]), measure)
        own = figures.of.get(of, {}).get(measure)
        is_unread = not has_read and "of_reading" in rule
        if own is None:
            if not rule.get("optional") and not is_unread:
                figures.find("%s is missing", name)
            continue
        if is_unread:
            figures.find("%s is there, although a rollback reads nothing", name)
        count, expected = own
        if "from" in rule and count != figures.sum_of(resource, rule["from"]):
            figures.find("%s must be %d, the sum of its parts", name, figures.sum_of(resource, rule["from"]))
        if "sum" in rule and expected != figures.sum_of(of, rule["sum"]):
            figures.find("%s must be %d, the sum of its parts", name, figures.sum_of(of, rule["sum"]))
        if rule.get("expected") and expected is None:
            figures.find("%s has no expected value", name)


def check_certificates(folder, manifest, figures):
    """Compares certificates.csv with the manifest and the figures; returns its rows and findings."""
    found = []

    def find(message, *values):
        found.append(("certificates.csv", message % values, SUMS))

    certificates = manifest["certificates"]
    if "command" in manifest and (certificates or manifest["requests"]):
        find("the manifest says that this was a rollback, which reads nothing")
    rows = rows_of(folder, "certificates.csv")
    header = next(rows)
    count = 0
    for row in rows:
        if count >= len(certificates) or cells_of_certificate(certificates[count]) != [row[one] for one in header]:
            find("row %d differs from details.json", count + 1)
        count += 1
    if count != len(certificates) or count != len(figures.resources):
        find(
            "has %d resources, details.json %d, reconciliation.csv %d",
            count,
            len(certificates),
            len(figures.resources),
        )
    answers = {}
    for request in manifest["requests"]:
        answers[request["resource"]] = answers.get(request["resource"], 0) + int(request["elements"])
    for one in certificates:
        resource, elements = one["resource"], int(one["elements"])
        of = ("resource", resource)
        if answers.get(resource, 0) != elements:
            find(
                "has %d elements for %s, the answers in details.json have %d",
                elements,
                shown(resource),
                answers.get(resource, 0),
            )
        if figures.count(of, "read") != elements:
            find(
                "has %d elements for %s, reconciliation.csv %d",
                elements,
                shown(resource),
                figures.count(of, "read"),
            )
        if one["distinctIds"] is not None and figures.count(of, "staged") != int(one["distinctIds"]):
            find(
                "has %s distinct_ids for %s, reconciliation.csv %d",
                one["distinctIds"],
                shown(resource),
                figures.count(of, "staged"),
            )
    return count, found


def cells_of_certificate(certificate):
    values = [certificate[key] for key in CERTIFICATE]
    return ["" if value is None else cell_of(value) for value in values]


def check_sums(folder, manifest, operations):
    """Compares the rows and ids of all files with each other and with the manifest."""
    is_masked = manifest["personalData"] == "masked"
    rows_said = {file["name"]: int(file["rows"]) for file in manifest["files"]}
    figures = read_figures(folder, "command" not in manifest)
    certificate_rows, found = check_certificates(folder, manifest, figures)
    found = figures.findings + found

    def find(file, message, *values):
        found.append((file, message % values, SUMS))

    def check_rows(file, rows):
        if rows != rows_said.get(file, 0):
            find(file, "has %d rows, details.json says %d", rows, rows_said.get(file, 0))

    check_rows("reconciliation.csv", figures.rows)
    check_rows("certificates.csv", certificate_rows)
    sources = {
        "changes": read_changes(folder, is_masked),
        "decisions": read_decisions(folder, is_masked),
        "results": read_results(folder, is_masked),
    }
    for content in CONTENTS:
        sources[content] = read_items(folder, content, is_masked)
    for file in sources.values():
        check_rows(file.name, file.rows)
        if file.misplaced is not None:
            find(file.name, "row %d is out of order or a duplicate", file.misplaced)
    for content in CONTENTS:
        tallies = {
            "changes": sources["changes"].tally,
            "decisions": sources["decisions"].tally,
            "results": sources["results"].tally,
            "items": sources[content].tally,
        }
        if operations is not None:
            tallies["operations"] = operations.tally
        check_content(content, manifest, figures, tallies, operations, is_masked, find)
    return found


def check_content(content, manifest, figures, tallies, operations, is_masked, find):
    decisions, items, results = tallies["decisions"], tallies["items"], tallies["results"]
    changes = tallies["changes"]
    check_counts(content, figures, tallies, find)

    def same(file, total, other, expected):
        if total != expected:
            find(file, "%s: the ids differ from those of %s", content, other)

    for action in ACTIONS:
        of_decisions = decisions.total((content, "synced", action))
        same("decisions.csv", of_decisions, "%s, %s" % (items.file, action), items.total((content, action)))
    sent_items = sum(items.total((content, action)) for action in ACTIONS[:3]) % 2 ** 48
    same("load_results.csv", results.total((content, "upsert")), items.file, sent_items)

    kinds = [(content, "upsert"), (content, "remove")]
    for tally in tallies.values():
        kinds += [kind for kind in tally.kinds if kind[:2] == (content, "because")]
    for kind in dict.fromkeys(kinds):
        label = "%s of %s" % (shown(" ".join(kind[1:]).replace(" ", ":")), content)
        if not is_masked and changes.total(kind) != results.total(kind):
            find("changes.csv", "%s: the ids differ from those of load_results.csv", label)
        if operations is None:
            continue
        sent = operations.tally
        if sent.count(kind) != results.count(kind):
            find(OPERATIONS, "%s: %d, load_results.csv has %d", label, sent.count(kind), results.count(kind))
        # For a forgotten person, operations.jsonl has another id than the other files.
        is_other = kind == (content, "because", "forgotten") or (
            kind == (content, "remove") and content in operations.forgotten
        )
        if not is_masked and not is_other and sent.total(kind) != results.total(kind):
            find(OPERATIONS, "%s: the ids differ from those of load_results.csv", label)
    if operations is not None:
        kind = (content, "handover")
        freed = operations.tally
        if freed.count(kind) != items.count(kind):
            counts = (content, freed.count(kind), items.file, items.count(kind))
            find(OPERATIONS, "%s handover: %d, %s has %d", *counts)
        if not is_masked:
            same(OPERATIONS, freed.total(kind), items.file + ", handover", items.total(kind))
        if freed.total((content, "fields")) != items.total((content, "fields")):
            find(OPERATIONS, "%s: the fields of upserts differ from those in %s", content, items.file)

    planned = (manifest["counts"] or {"changes": {}})["changes"].get(content)
    if planned is None:
        return
    for action in ACTIONS:
        count, said = items.count((content, action)), int(planned.get(action, "0"))
        if count != said:
            find(items.file, "%s: %d, details.json says %d", action, count, said)
    removals = results.count((content, "remove")) + results.count((content, "remove", "withheld"))
    if removals != int(planned["remove"]):
        find("load_results.csv", "%s remove: %d, details.json says %s", content, removals, planned["remove"])


def check_counts(content, figures, tallies, find):
    """Compares each measure of a content with the number of rows that the measure counts."""
    reasons = [
        kind[1] for kind in tallies["decisions"].kinds if len(kind) == 2 and kind[0] == content
        and kind[1].startswith("excluded:")
    ]  # fmt: skip
    required = [name for name, rule in CONTENT_MEASURES.items() if not rule.get("optional")]
    of = ("content", content)
    for measure in dict.fromkeys([*required, *figures.of.get(of, {}), *reasons]):
        name = name_of(measure)
        for places in CONTENT_MEASURES.get(name, {}).get("rows", []):
            count = 0
            for place in places:
                file, *kind = place.split(" ")
                kind = [measure if name == "excluded" and one == name else one for one in kind]
                count += tallies[file].count((content, *kind))
            said = figures.count_or_sum(of, measure)
            if count != said:
                file = tallies[places[0].split(" ")[0]].file
                find(file, "%s %s: %d, reconciliation.csv says %d", content, shown(measure), count, said)


# --- datapackage.json ----------------------------------------------------------------------------

is_package = has(
    {
        "resources": list_of(
            has(
                {
                    "path": is_text,
                    "bytes": is_whole,
                    "hash": is_text,
                    "schema": has({"fields": list_of(has({"name": is_text, "type": is_text}))}),
                }
            )
        )
    }
)


def check_package(folder, manifest):
    """Compares the description of the CSV files with the manifest, and with the columns of the files."""
    package = parse_document(read_small(folder, PACKAGE, MAX_SMALL) or b"")
    if not is_package(package):
        return [(PACKAGE, "is not a description of the CSV files", FILES)]
    resources = package["resources"]
    said = sorted((one["path"], one["bytes"], one["hash"]) for one in resources)
    files = [file for file in manifest["files"] if file["name"].endswith(".csv")]
    if said != sorted((file["name"], file["bytes"], "sha256:" + file["sha256"]) for file in files):
        return [(PACKAGE, "has other files, sizes or hashes than the manifest", FILES)]
    found = []
    for one in resources:
        name = one["path"]
        if name not in COLUMNS:
            continue
        rows = rows_of(folder, name)
        declared = {**COLUMNS[name], **AFTER_CUSTOM.get(name, {})}
        types = {column: TYPES.get(type_, type_) for column, type_ in declared.items()}
        columns = [(column, types.get(column, TEXT)) for column in next(rows)]
        rows.close()
        if [(field["name"], field["type"]) for field in one["schema"]["fields"]] != columns:
            found.append((PACKAGE, "has other columns or types for %s than the file" % name, FILES))
    return found


# --- One pack, and all packs of a folder ---------------------------------------------------------


def verify_pack(pack, chain, keys):
    """Checks a pack, its manifest first; returns the findings, and `whole`, `purged` or `manifest`."""
    if pack.manifest is None:
        return [pack.fault], "manifest"
    try:
        return verify_parts(pack, chain, keys)
    except Fault as fault:
        return [fault.finding], "manifest"
    except OSError as error:
        return [(".", "cannot be read (%s)" % errno.errorcode.get(error.errno, "unknown"), FILES)], "manifest"


def verify_parts(pack, chain, keys):
    folder = pack.folder
    if keys is None:
        read_signature(folder, MANIFEST_SIG)
    chained = chain.findings(pack)
    newer = check_format(pack.manifest)
    if newer:
        return newer + chained, "manifest"
    try:
        manifest = with_details(folder, pack.manifest)
    except Fault as fault:
        return [*chained, fault.finding], "manifest"
    note = read_small(folder, PURGED, MAX_NOTE)
    if note is not None:
        return check_required(manifest) + chained + check_purged(pack, manifest, note, chain, keys), "purged"
    files = check_required(manifest) + check_files(folder, manifest) + check_sums_file(pack, manifest)
    found = files + chained
    purged_by = chain.purged_by.get(pack.sha256)
    if purged_by is not None:
        found.append((PURGED, "is missing, but run %s says that the pack was purged" % purged_by, FILES))
    # If files differ from the manifest, a check of their rows would prove nothing.
    if files:
        return found, "whole"
    found += check_superseded(folder, manifest, keys)
    operations = read_operations(folder, manifest)
    if operations is not None:
        found += operations.findings
    found += check_sums(folder, manifest, operations)
    return found + check_package(folder, manifest), "whole"


class Place:
    """A folder that contains packs: the packs to check, and the chain of all packs in the folder."""

    def __init__(self, folder, keys, follows=None):
        self.name = os.path.basename(folder)
        self.packs = []
        self.no_packs = []
        links = []
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            if not os.path.islink(path) and not os.path.isdir(path):
                continue
            pack = None if name.endswith(".export") else read_pack(path, keys)
            if pack is None:
                self.no_packs.append(name)
                continue
            self.packs.append(path)
            if pack.manifest is not None:
                links.append(Link(pack, follows))
        self.chain = Chain(links, read_renamings(folder, keys, links))
        self.is_of_integration = True
        around = os.path.dirname(folder)
        is_evidence = any(os.path.exists(os.path.join(around, name)) for name in (EVIDENCE, EVIDENCE_SIG))
        # The evidence folder that contains this folder, or None.
        self.evidence = around if is_evidence else None


def places_at(folder, keys, follows=None):
    """Finds packs. The folder may be a pack, contain the packs of an integration, or contain such folders."""
    folder = os.path.realpath(folder)
    if read_pack(folder, keys) is not None:
        place = Place(os.path.dirname(folder), keys, follows)
        place.packs, place.no_packs, place.is_of_integration = [folder], [], False
        return [place]
    place = Place(folder, keys, follows)
    if place.packs:
        return [place]
    below = sorted(entry.path for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False))
    return [place for place in (Place(path, keys, follows) for path in below) if place.packs]


class Checked:
    """The result of a pack."""

    def __init__(self, pack, findings, extent, is_signed):
        self.pack = pack
        self.findings = findings
        self.extent = extent
        self.is_signed = is_signed

    @property
    def title(self):
        manifest = self.pack.manifest
        return self.pack.folder if manifest is None else "run %s of %s" % (manifest["run"], manifest["integration"])


def check(place, keys):
    """Checks the packs of a folder one after the other, so that only one manifest is in memory."""
    for folder in place.packs:
        pack = read_pack(folder, keys)
        if pack is None:
            pack = Pack(folder, fault=(MANIFEST, "is missing or empty", FILES))
        elif pack.manifest is not None and pack.sha256 not in place.chain.by_sha256:
            pack = Pack(folder, fault=(MANIFEST, "was changed while it was checked", FILES))
        findings, extent = verify_pack(pack, place.chain, keys)
        if pack.manifest is not None and place.is_of_integration:
            integration = pack.manifest["integration"]
            if not place.chain.is_same(integration, place.name):
                message = "belongs to integration %s, but is in the folder of %s" % (integration, place.name)
                findings = [(MANIFEST, message, FOLDER_NAME), *findings]
        if place.evidence is not None:
            todo = "check the evidence folder %s" % place.evidence
            findings = [(file, message, SIGNATURES if own == SIGNATURES else todo) for file, message, own in findings]
        yield Checked(pack, findings, extent, os.path.lexists(os.path.join(folder, MANIFEST_SIG)))


# --- Evidence: the packs of a period -------------------------------------------------------------

EVIDENCE_FORMAT = 1
# The files that have the rows of a file of all packs; the first columns are the run and the day of its landing.
JOINED = ("changes.csv", "certificates.csv")
OF_EVIDENCE = (*JOINED, "actions.csv", "README.txt", "RULES.md", "verify.py")
OTHER_FOLDERS = ("anchors", "configurations")


def matches(pattern):
    return lambda value: is_text(value) and re.fullmatch(pattern, value) is not None


is_day = matches("[0-9]{4}-[0-9]{2}-[0-9]{2}")
is_maybe_text = nullable(is_text)
is_anchor = nullable(
    has({"run": nullable(is_uuid), "manifestSha256": is_hash, "finishedAt": is_maybe_text}, strict=True)
)
has_index_keys = has(
    {
        "format": lambda value: is_count(value) and int(value) == EVIDENCE_FORMAT,
        "integration": lambda value: matches("[a-z0-9][a-z0-9-]{0,62}")(value) and value not in OTHER_FOLDERS,
        "formerIds": list_of(is_text),
        "from": is_day,
        "to": is_day,
        "madeAt": is_text,
        "madeBy": is_text,
        "productVersion": is_text,
        "before": is_anchor,
        "after": is_anchor,
        "packs": list_of(
            has(
                {
                    "run": is_uuid,
                    "manifestSha256": is_hash,
                    "landedAt": is_maybe_text,
                    "productVersion": is_maybe_text,
                    "planHash": is_maybe_text,
                    "configHash": is_maybe_text,
                    "startedBy": is_maybe_text,
                    "purge": nullable(has({"purgedAt": is_text, "purgedBy": is_text}, strict=True)),
                },
                strict=True,
            )
        ),
        "unknownConfigurations": list_of(is_text),
        "files": list_of(has({"name": is_text, "bytes": is_count, "sha256": is_hash}, {"rows": is_count}, strict=True)),
    },
    strict=True,
)


def is_evidence_index(value):
    """Checks the form of evidence.json, and that it lists the files that evidence must and may have."""
    if not has_index_keys(value) or value["from"] > value["to"]:
        return False
    names = [file["name"] for file in value["files"]]
    runs = [pack["run"] for pack in value["packs"]]
    if len(set(names)) != len(names) or len(set(runs)) != len(runs):
        return False
    if any(file["name"].endswith(".csv") != ("rows" in file) for file in value["files"]):
        return False
    required = list(OF_EVIDENCE)
    if "anchors/before/" + MANIFEST_SIG in names:
        required.append("anchors/before/" + MANIFEST)
    if value["after"] is not None:
        required.append("anchors/after/" + MANIFEST)
    allowed = {*OF_EVIDENCE, *("%s/%s" % (value["integration"], name) for name in (RENAMED, RENAMED_SIG))}
    for anchor in ("before", "after"):
        if value[anchor] is not None and value[anchor]["run"] is not None:
            allowed |= {"anchors/%s/%s" % (anchor, name) for name in (MANIFEST, MANIFEST_SIG)}
    is_configuration = re.compile("configurations/[0-9a-f]{64}[.]json").fullmatch
    return set(required) <= set(names) and all(
        name in allowed or is_configuration(name) for name in names
    )


# Files and folders that evidence has beside folders of packs, and that an output folder does not have.
REST = ("actions.csv", *JOINED, "anchors/before", "anchors/after")


def find_rest(folder):
    """Returns the name of something that is beside folders of packs only in evidence, or None.

    Without this check, a folder whose index was deleted would count as a folder of packs, and nobody would see
    that packs are missing.
    """
    rest = next((name for name in REST if os.path.exists(os.path.join(folder, name))), None)
    if rest is None and has_configurations(folder):
        rest = "configurations"
    return rest if rest is not None and has_packs_below(folder) else None


def has_configurations(folder):
    try:
        names = os.listdir(os.path.join(folder, "configurations"))
    except (FileNotFoundError, NotADirectoryError):
        return False
    return any(re.fullmatch("[0-9a-f]{64}[.]json", name) for name in names)


def has_packs_below(folder):
    """Returns True if a folder in this folder contains a pack."""
    with os.scandir(folder) as entries:
        below = sorted(entry.path for entry in entries if entry.is_dir(follow_symlinks=False))
    return any(read_pack(os.path.join(path, name), None) is not None for path in below for name in os.listdir(path))


def read_index(folder, keys):
    """Reads the index of evidence, its signature first; returns None if the folder has no evidence."""
    data = read_small(folder, EVIDENCE, MAX_MANIFEST)
    if data is None and read_small(folder, EVIDENCE_SIG, MAX_SMALL) is None:
        rest = find_rest(folder)
        if rest is None:
            return None
        raise Fault(EVIDENCE, "is missing, but %s is here, as in an evidence folder" % rest, EVIDENCE_FILES)
    if not data:
        raise Fault(EVIDENCE, "is missing or empty", EVIDENCE_FILES)
    if keys is None:
        read_signature(folder, EVIDENCE_SIG)
    else:
        for file, message, todo in keys.fault(folder, EVIDENCE_SIG, data):
            raise Fault(file, message, todo)
    index = parse_document(data)
    if not is_evidence_index(index):
        raise Fault(EVIDENCE, "is not an index of evidence in format %d" % EVIDENCE_FORMAT, EVIDENCE_FILES)
    return index


def day_of(time):
    """Returns the day of a time; None if the text is not a time."""
    match = re.match("([0-9]{4}-[0-9]{2}-[0-9]{2})T", time or "")
    return match and match.group(1)


def is_in_period(index, time):
    day = day_of(time)
    return day is not None and index["from"] <= day <= index["to"]


class Evidence:
    """An evidence folder that was checked: its index, its own findings, and its packs."""

    def __init__(self, folder):
        self.folder = folder
        self.index = None
        self.findings = []
        self.packs = []
        self.is_signed = False

    def find(self, file, message):
        self.findings.append((file, message, EVIDENCE_FILES))

    @property
    def title(self):
        if self.index is None:
            return "evidence in the folder " + os.path.basename(self.folder)
        return "evidence of %s, %s to %s" % (self.index["integration"], self.index["from"], self.index["to"])


def check_evidence(folder, keys):
    """Checks an evidence folder; returns None if the folder has no evidence."""
    folder = os.path.realpath(folder)
    evidence = Evidence(folder)
    evidence.is_signed = os.path.lexists(os.path.join(folder, EVIDENCE_SIG))
    try:
        evidence.index = read_index(folder, keys)
    except Fault as fault:
        evidence.findings.append(fault.finding)
        return evidence
    index = evidence.index
    if index is None:
        return None
    check_tree(evidence)
    for file in index["files"]:
        check_listed(evidence, file)
    if evidence.findings:
        return evidence
    links = read_links(evidence, keys)
    if len(links) == len(index["packs"]):
        check_order(evidence, links, keys)
    check_configurations(evidence)
    evidence.packs = list(check_packs(evidence, links, keys))
    if not evidence.findings and not any(checked.findings for checked in evidence.packs):
        check_rows(evidence)
    return evidence


def check_tree(evidence):
    """Checks that the folder has the listed files and the folders of the packs, and nothing else."""
    index = evidence.index
    files = {EVIDENCE, EVIDENCE_SIG, *(file["name"] for file in index["files"])}
    packs = {"%s/%s" % (index["integration"], pack["run"]): pack for pack in index["packs"]}
    folders = set()
    for name in files | set(packs):
        parts = name.split("/")
        folders |= {"/".join(parts[:count]) for count in range(1, len(parts))}
    missing = (files | set(packs)) - {EVIDENCE_SIG}

    def walk(at):
        with os.scandir(os.path.join(evidence.folder, at)) as entries:
            listed = sorted(
                (entry.name, entry.is_dir(follow_symlinks=False), entry.is_file(follow_symlinks=False))
                for entry in entries
            )
        for name, is_folder, is_plain in listed:
            path = at + "/" + name if at else name
            missing.discard(path)
            if path in packs or path in folders:
                if not is_folder:
                    evidence.find(path, "is not a folder")
                elif path in folders:
                    walk(path)
            elif path not in files:
                evidence.find(path, "is not in " + EVIDENCE)
            elif not is_plain:
                evidence.find(path, NOT_PLAIN)

    walk("")
    for path in sorted(missing):
        evidence.find(path, missing_text(packs.get(path)))


def missing_text(pack):
    """Describes something missing. `pack` is what the index says about the pack in a missing folder, or None for a file."""
    if pack is None:
        return "is missing"
    landed = "did not land" if pack["landedAt"] is None else "landed at " + pack["landedAt"]
    message = "is missing: the pack of a run that %s; ask where this folder was made: `event-sync export %s` writes the pack again there"
    return message % (landed, pack["run"])


def check_listed(evidence, file):
    """Compares a listed file with its size and hash."""
    name = file["name"]
    path = os.path.join(evidence.folder, name)
    if not os.path.lexists(path) or not stat.S_ISREG(os.lstat(path).st_mode):
        return
    size = os.lstat(path).st_size
    limit = MAX_ROWS if name == "changes.csv" else MAX_MANIFEST if name.endswith("/" + MANIFEST) else MAX_SMALL
    if size != int(file["bytes"]):
        evidence.find(name, "has %d bytes, %s says %s" % (size, EVIDENCE, file["bytes"]))
    elif size > limit:
        evidence.find(name, too_large(size, limit))
    elif sha256_of_file(evidence.folder, name) != file["sha256"]:
        evidence.find(name, "does not have the SHA-256 in " + EVIDENCE)


def read_links(evidence, keys):
    """Reads the manifests of the packs, and compares each with what the index says about it."""
    index = evidence.index
    ids = {index["integration"], *index["formerIds"]}
    links = []
    for entry in index["packs"]:
        name = "%s/%s" % (index["integration"], entry["run"])
        pack = read_pack(os.path.join(evidence.folder, name), keys)
        if pack is None:
            evidence.find(name, "is not a pack: it has no manifest.json")
        elif pack.manifest is not None:
            links.append(Link(pack, None))
            if entry_of(pack) != entry:
                evidence.find(name, "has another manifest than %s says" % EVIDENCE)
            if pack.manifest["integration"] not in ids:
                evidence.find(name, "belongs to integration %s" % pack.manifest["integration"])
    return links


def entry_of(pack):
    """Returns what the index says about a pack."""
    manifest = pack.manifest
    try:
        note = parse_document(read_small(pack.folder, PURGED, MAX_NOTE) or b"")
    except Fault:
        note = None
    purge = {key: note[key] for key in ("purgedAt", "purgedBy")} if is_purge_note(note) else None
    return {
        "run": manifest["run"],
        "manifestSha256": pack.sha256,
        "landedAt": manifest.get("appliedAt"),
        "productVersion": manifest.get("product", {"version": None})["version"],
        "planHash": manifest["planHash"],
        "configHash": manifest.get("configHash"),
        "startedBy": manifest.get("startedBy"),
        "purge": purge,
    }


def check_order(evidence, packs, keys):
    """Checks that the packs are one row between the two anchors, and are all packs of the period."""
    index = evidence.index
    names = {file["name"] for file in index["files"]}
    anchors = {}
    for anchor in ("before", "after"):
        if "anchors/%s/%s" % (anchor, MANIFEST) in names:
            anchors[anchor] = read_anchor(evidence, anchor, names, keys)
    if evidence.findings:
        return
    before, after = anchors.get("before"), anchors.get("after")
    row = [link for link in (before, *packs, after) if link is not None]
    said = index["before"]["manifestSha256"] if index["before"] is not None else None
    if before is None and row and row[0].previous != said:
        message = "run %s does not follow the pack that %s names as before" % (row[0].run, EVIDENCE)
        evidence.find("chain", message)
    for followed, link in zip(row, row[1:]):
        is_own = followed.integration in (link.integration, *link.former[:1])
        if not is_own or link.previous is None or link.previous not in followed.hashes:
            evidence.find("chain", "run %s does not follow run %s" % (link.run, followed.run))
    for link in packs[:1] + packs[1:][-1:]:
        if not is_in_period(index, link.landed_at):
            message = "run %s is at an end of the row, but did not land in the period" % link.run
            evidence.find("chain", message)
    for name, link in anchors.items():
        if is_in_period(index, link.landed_at):
            message = "run %s is named as %s the period, but landed in it" % (link.run, name)
            evidence.find("chain", message)


def read_anchor(evidence, anchor, names, keys):
    """Reads the manifest of the pack before or after the period, and compares it with the index."""
    place = os.path.join(evidence.folder, "anchors", anchor)
    name = "anchors/%s/%s" % (anchor, MANIFEST)
    pack = read_pack(place, None)
    if pack is None or pack.manifest is None:
        return evidence.find(name, "is not a manifest of an audit pack")
    manifest = pack.manifest
    said = {
        "run": manifest["run"],
        "manifestSha256": pack.sha256,
        "finishedAt": manifest.get("finishedAt"),
    }
    if said != evidence.index[anchor]:
        return evidence.find(name, "is not the manifest that %s names" % EVIDENCE)
    if "anchors/%s/%s" % (anchor, MANIFEST_SIG) in names:
        try:
            if keys is None:
                read_signature(place, MANIFEST_SIG)
            else:
                evidence.findings += keys.fault(place, MANIFEST_SIG, pack.data)
        except Fault as fault:
            evidence.findings.append(fault.finding)
    return Link(pack, None)


def check_configurations(evidence):
    """Checks that each configuration has its hash as its name and belongs to a pack."""
    index = evidence.index
    named = {pack["configHash"] for pack in index["packs"] if pack["configHash"] is not None}
    for file in index["files"]:
        name = file["name"]
        if not name.startswith("configurations/"):
            continue
        if name != "configurations/%s.json" % file["sha256"]:
            evidence.find(name, "does not have its SHA-256 as name")
        if file["sha256"] not in named:
            evidence.find(name, "is not the configuration of any of the runs")
        named.discard(file["sha256"])
    if sorted(named) != sorted(index["unknownConfigurations"]):
        what = "does not list exactly those configurations of runs as unknown that are not here"
        evidence.find(EVIDENCE, what)


def check_packs(evidence, links, keys):
    """Checks each pack. Their chain begins with the first one, and they may name packs that are not here."""
    index = evidence.index
    for link in links:
        link.gap = []
    if links and index["before"] is not None:
        links[0].previous = None
    purges = [
        (pack["manifestSha256"], pack["purge"]["purgedAt"], pack["purge"]["purgedBy"])
        for pack in index["packs"]
        if pack["purge"] is not None
    ]
    chain = Chain(links, [(index["integration"], index["formerIds"])], purges)
    for entry in index["packs"]:
        folder = os.path.join(evidence.folder, index["integration"], entry["run"])
        pack = read_pack(folder, keys)
        if pack is None:
            continue
        if pack.manifest is not None and pack.sha256 not in chain.by_sha256:
            pack = Pack(folder, fault=(MANIFEST, "was changed while it was checked", FILES))
        findings, extent = verify_pack(pack, chain, keys)
        if pack.manifest is not None:
            # All packs of the evidence stay in memory, so only the part that the output names is kept.
            kept = ("run", "integration", "appliedAt")
            pack.data, pack.manifest = b"", {key: pack.manifest.get(key) for key in kept}
        yield Checked(pack, findings, extent, os.path.lexists(os.path.join(folder, MANIFEST_SIG)))


def check_rows(evidence):
    """Compares the rows of the joined files with those of the packs, and counts the actions."""
    for name in JOINED:
        check_file_of_rows(evidence, name, lambda name=name: check_joined(evidence, name))
    rows = rows_of(evidence.folder, "actions.csv", ACTIONS_COLUMNS)
    check_file_of_rows(evidence, "actions.csv", lambda: sum(1 for _row in rows) - 1)


def check_file_of_rows(evidence, name, count_rows):
    """Checks the number of rows. @param count_rows returns it, or raises a Fault"""
    try:
        count = count_rows()
    except Fault as fault:
        return evidence.find(name, fault.finding[1])
    said = next(int(file["rows"]) for file in evidence.index["files"] if file["name"] == name)
    if count != said:
        evidence.find(name, "has %d rows, %s says %d" % (count, EVIDENCE, said))


def check_joined(evidence, name):
    """Compares a file with the rows of the packs, in the order of the chain; returns the number of rows."""
    rows = rows_of(evidence.folder, name, {"run": TEXT, "day": TEXT, **COLUMNS[name]})
    next(rows)
    count = 0
    for checked in evidence.packs:
        if checked.extent != "whole":
            continue
        run, day = checked.pack.manifest["run"], day_of(checked.pack.manifest.get("appliedAt")) or ""
        own = rows_of(checked.pack.folder, name)
        next(own)
        for row in own:
            count += 1
            if next(rows, None) != {"run": run, "day": day, **row}:
                raise Fault(name, "row %d is not the next row of run %s" % (count, run))
    if next(rows, None) is not None:
        raise Fault(name, "row %d is not a row of any of the packs" % (count + 1))
    return count


# --- The command ---------------------------------------------------------------------------------


class UsageError(Exception):
    """An error of usage, after which no pack was checked."""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise UsageError(message)


def visible(text):
    """Escapes characters that could control a terminal, because the author of the packs chose the names."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in text
    )


def counted(count, word):
    return "%d %s%s" % (count, word, "" if count == 1 else "s")


def first_of_each_file(findings):
    by_file = {}
    for file, message, todo in findings:
        by_file.setdefault(file, []).append((file, message, todo))
    for file, found in by_file.items():
        yield from found[:MAX_FINDINGS]
        if len(found) > MAX_FINDINGS:
            yield file, "and %d more findings" % (len(found) - MAX_FINDINGS), found[0][2]


# Files that an operating system makes when somebody looks at a folder.
STRAY = re.compile(r"(?:.*/)?(?:\.DS_Store|\._[^/]*|Thumbs\.db|desktop\.ini)", re.DOTALL)


def todos_of(findings, is_of_evidence=False):
    """Returns what to do about the findings, each once. Only the owner of evidence can write its packs again."""
    todos = {}
    for file, message, todo in findings:
        if message.startswith("is not in ") and STRAY.fullmatch(file):
            todo = STRAY_FILES
        elif is_of_evidence and todo == SIGNATURES:
            todo = EVIDENCE_SIGNATURES
        elif is_of_evidence and todo != NEWER:
            todo = EVIDENCE_FILES
        todos[todo] = True
    return ["         what to do: " + todo for todo in todos]


def describe(checked, are_signatures_checked, is_of_evidence):
    if not checked.findings:
        what = {"whole": "hashes, rows, sums", "purged": "purged (its files were deleted and are not checked)"}
        signature = ", signature" if are_signatures_checked else ""
        return ["ok     %s: %s%s and chain" % (checked.title, what[checked.extent], signature)]
    findings = list(first_of_each_file(checked.findings))
    lines = ["FAULT  " + checked.title, *("         %s %s" % (file, message) for file, message, _todo in findings)]
    return lines + todos_of(findings, is_of_evidence)


def describe_evidence(evidence, are_signatures_checked):
    if evidence.findings:
        lines = ["FAULT  " + evidence.title]
        lines += ["         %s %s" % (file, message) for file, message, _todo in first_of_each_file(evidence.findings)]
        if not evidence.packs:
            lines.append("         no pack was checked")
        return lines + todos_of(evidence.findings, True)
    before = evidence.index["before"]
    start = "the chain begins with the first pack"
    if before is not None:
        start = "the chain begins after the manifest with SHA-256 %s" % before["manifestSha256"]
    elif not evidence.packs:
        start = "no run landed in the period or before it"
    is_intact = not any(checked.findings for checked in evidence.packs)
    checked = "index, files and rows" if is_intact else "index and files"
    signature = "not signed"
    if are_signatures_checked:
        signature = "signature checked"
    elif evidence.is_signed:
        signature = "signature NOT checked"
    lines = ["ok     %s: %s; %s; %s" % (evidence.title, checked, start, signature)]
    if evidence.index["after"] is None:
        lines.append("         no pack after the period is named: nobody can see if the last packs are missing")
    return lines


def run(arguments, say):
    """Checks the packs of a folder; returns the exit code. @param say prints a line"""
    parser = Parser(prog="verify.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                    allow_abbrev=False)  # fmt: skip
    parser.add_argument("dir", nargs="?", default=os.path.dirname(os.path.abspath(__file__)),
                        help="a pack, the folder of an integration, the output folder, or evidence")  # fmt: skip
    parser.add_argument("--public-key", metavar="FILE", action="append", default=[],
                        help="Ed25519 public keys in PEM; each manifest must be signed with one of them")  # fmt: skip
    parser.add_argument("--follows", metavar="SHA256",
                        help="SHA-256 of a manifest that is not here; the chain may begin after it")  # fmt: skip
    options = parser.parse_args(arguments)
    if options.follows is not None and not is_hash(options.follows):
        raise UsageError("--follows needs the SHA-256 of a manifest: 64 digits 0-9 and a-f")
    keys = None
    if options.public_key:
        keys = Keys([key for path in options.public_key for key in keys_in(path)], find_tool())
    try:
        evidence = check_evidence(options.dir, keys)
        places = [] if evidence is not None else places_at(options.dir, keys, options.follows)
    except OSError as error:
        raise UsageError("%s cannot be read (%s)" % (options.dir, error.strerror)) from None
    if not places and evidence is None:
        raise UsageError(
            "%s is neither an audit pack nor evidence, and holds no packs; name a folder with a manifest.json, the"
            " folder of an integration, the output folder, or a folder of `event-sync evidence`" % options.dir
        )
    can_check = keys is not None and keys.tool is not None
    packs = faulty = unchecked = 0
    if evidence is not None:
        unchecked += 1 if evidence.is_signed and not can_check else 0
        for line in describe_evidence(evidence, can_check):
            say(visible(line))
    all_packs = (checked for place in places for checked in check(place, keys))
    for checked in all_packs if evidence is None else evidence.packs:
        packs += 1
        faulty += 1 if checked.findings else 0
        unchecked += 1 if checked.is_signed and not can_check else 0
        for line in describe(checked, can_check, evidence is not None):
            say(visible(line))
    for name in (name for place in places for name in place.no_packs):
        say(visible("-      %s is not a finished pack, and was not checked" % name))
    for around in dict.fromkeys(place.evidence for place in places if place.evidence is not None):
        say(visible("-      this folder is part of the evidence folder %s: check that folder" % around))
    if keys is not None and not can_check:
        say("-      signatures were NOT checked: this Python has no package `cryptography`, and there is no")
        say("       program `openssl` (3.0 or newer) that can check Ed25519; install one of them")
    elif unchecked > 0:
        say("-      %s not checked: --public-key FILE checks them" % counted(unchecked, "signature"))
    if ZONES.unknown:
        say("-      local times of %s were NOT checked: this Python lacks data of time" % counted(len(ZONES.unknown), "zone"))
        say("       zones; install the package tzdata, or update it")
    if ZONES.other:
        say("-      %s in agenda.csv: the time zone data of this machine says another." % counted(ZONES.other, "local time"))
        say("       A country may have changed its clocks. start_time and end_time, in UTC, do not depend on that")
    state = "all intact" if faulty == 0 else "%d not intact" % faulty
    signatures = ", signatures checked" if can_check else ", signatures NOT checked" if keys or unchecked else ""
    if evidence is not None and evidence.findings:
        faulty += 1
        state = "but the evidence is not intact"
        # If the index was refused, no signature of a pack was checked.
        signatures = signatures if packs > 0 else ""
    say("%s, %s%s" % (counted(packs, "pack"), state, signatures))
    if faulty > 0:
        return FAULTY
    return UNCHECKED if keys is not None and not can_check else OK


def main():
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
        sys.stderr.reconfigure(errors="backslashreplace")
    try:
        code = run(sys.argv[1:], print)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The reader, such as `head`, has read enough. Python would complain at its end if it wrote more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAULTY
    except UsageError as error:
        print(visible("verify.py: %s" % error), file=sys.stderr)
        return USAGE


if __name__ == "__main__":
    sys.exit(main())
