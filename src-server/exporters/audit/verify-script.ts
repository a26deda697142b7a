/**
 * The program that comes with an exported audit trail, for people who have no Outpost: Python 3 with its standard library, one
 * file. It is text of this module so that every build carries it. `resources/protocol/audit-export.md` says what it checks and why.
 */
export const VERIFY_SCRIPT = String.raw`#!/usr/bin/env python3
"""Verifies an audit trail that Outpost exported, without Outpost.

    python3 verify-audit.py [audit.csv] [--expect ROWS:HASH] [--since SEQUENCE:HASH] [--against WHOLE.csv]

Reads audit.csv (default: the one beside this script) and recomputes the hash of every row. It names the first row that is
changed, missing, added or out of order. Needs Python 3.6 or newer and no other package. Exit code: 0 intact, 1 not intact,
2 could not check.

A chain of hashes cannot show that rows are missing at its end, or that all of it was replaced by an older copy. Therefore the
site shows the number of rows and the closing hash when it makes an export. Compare them with what this program prints, or pass
them as --expect. export.json beside the file is compared too, but a person who cuts the file can also change export.json.
--since checks that a whole trail continues an earlier one, of which you know a row. --against checks an export of some records
against a whole trail: no row of them may be missing.
"""
import argparse
import datetime
import hashlib
import json
import os
import re
import sys

COLUMNS = [
    "sequence", "timeTs", "time", "actorType", "actorId", "action", "entityType", "entityId",
    "studyId", "subjectId", "reason", "changes", "erasedBy", "previousHash", "hash",
]
# Exports of earlier versions: nothing could be erased.
FORMER_COLUMNS = [name for name in COLUMNS if name != "erasedBy"]
# What the hash of a row covers after the hash of the row before it, in this order.
COVERED = [
    "action", "actorId", "actorType", "changes", "entityId", "entityType", "reason", "sequence",
    "studyId", "subjectId", "timeTs",
]
MAY_BE_ABSENT = {"actorId", "studyId", "subjectId", "reason", "erasedBy"}
START = "0" * 64
CELL = re.compile(r'(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\Z)')
WHOLE_NUMBER = re.compile(r"(?:0|-?[1-9][0-9]{0,15})\Z")
HASH = re.compile(r"[0-9a-f]{64}\Z")
EPOCH = datetime.datetime(1970, 1, 1)


class Broken(Exception):
    """A row that shows that the file is not what the site wrote."""


def records(lines):
    """The rows of a CSV file as lists of cells (RFC 4180). A line feed within quotes does not end a row."""
    pending = ""
    for line in lines:
        pending += line
        if pending.count('"') % 2 == 1:
            continue
        text, pending = pending, ""
        if text.endswith("\n"):
            text = text[:-1]
        if text.endswith("\r"):
            text = text[:-1]
        cells, at = [], 0
        while True:
            found = CELL.match(text, at)
            if found is None:
                cells = None
                break
            quoted, plain, end = found.groups()
            cells.append(plain if quoted is None else quoted.replace('""', '"'))
            at = found.end()
            if end == "":
                break
        yield cells
    if pending:
        yield None


def value_of(name, cell, line):
    if cell == "":
        if name in MAY_BE_ABSENT:
            return None
        raise Broken("line %d: the column %s is empty" % (line, name))
    if name in ("sequence", "timeTs", "erasedBy"):
        if WHOLE_NUMBER.match(cell) is None:
            raise Broken("line %d: %s is not a whole number: %s" % (line, name, cell[:40]))
        return int(cell)
    # The apostrophe keeps a spreadsheet from running the text as a formula; an empty text is one apostrophe.
    return cell[1:] if cell.startswith("'") else cell


def time_of(ms):
    try:
        time = EPOCH + datetime.timedelta(milliseconds=ms)
    except OverflowError:
        return None
    return time.strftime("%Y-%m-%dT%H:%M:%S.") + "%03dZ" % (ms % 1000)


def content_of(row):
    return json.dumps({name: row[name] for name in COVERED}, ensure_ascii=False, separators=(",", ":"))


def hash_of(row):
    return hashlib.sha256((row["previousHash"] + content_of(row)).encode("utf-8", "surrogatepass")).hexdigest()


class Erased:
    """Rows that lost their content when a person was erased. A later row, subject.erase, vouches for them with a digest."""

    def __init__(self):
        self.rows = 0
        self.found = {}
        self.told = {}

    def add(self, row):
        by = row["erasedBy"]
        if by is not None:
            if by <= row["sequence"] or row["changes"] != "{}" or row["reason"] is not None or row["subjectId"] is not None:
                raise Broken("entry %d is marked as erased, but was not emptied by an erasure" % row["sequence"])
            count, digest = self.found.setdefault(by, [0, hashlib.sha256()])
            digest.update((row["previousHash"] + content_of(row) + row["hash"] + "\n").encode("utf-8", "surrogatepass"))
            self.found[by][0] = count + 1
            self.rows += 1
        elif row["action"] == "subject.erase":
            changes = json.loads(row["changes"])
            self.told[row["sequence"]] = tuple(changes.get(name, {}).get("new") for name in ("entries", "entriesSha256"))

    def check(self):
        for by, (count, digest) in sorted(self.found.items()):
            if self.told.pop(by, None) != (count, digest.hexdigest()):
                raise Broken("entry %d does not account for the %d entries that it is to have erased" % (by, count))
        for by, (count, _) in sorted(self.told.items()):
            if count != 0:
                raise Broken("entry %d says that it erased %s entries, but they are not so" % (by, count))


def rows_of(path, is_whole):
    """Yields the rows of a file in order. Raises Broken at the first that the site cannot have written there."""
    with open(path, encoding="utf-8-sig", newline="\n") as file:
        found = records(file)
        header = next(found, None)
        if header not in (COLUMNS, FORMER_COLUMNS):
            raise Broken("line 1: these are not the columns of an audit export")
        before = None
        for number, cells in enumerate(found, 1):
            place = "row %d" % number
            if cells is None or len(cells) != len(header):
                raise Broken("%s is damaged or cut: it has not %d cells" % (place, len(header)))
            row = {name: value_of(name, cell, number + 1) for name, cell in zip(header, cells)}
            row.setdefault("erasedBy", None)
            place = "row %d (entry %d)" % (number, row["sequence"])
            expected = 1 if before is None else before["sequence"] + 1
            if before is not None and row["sequence"] <= before["sequence"]:
                raise Broken("%s is out of order: the row before it is entry %d" % (place, before["sequence"]))
            if is_whole and row["sequence"] != expected:
                raise Broken("%s: entries %d to %d are missing before it" % (place, expected, row["sequence"] - 1))
            if HASH.match(row["hash"]) is None or HASH.match(row["previousHash"]) is None:
                raise Broken("%s: its hashes are not 64 hexadecimal digits" % place)
            if row["erasedBy"] is None and hash_of(row) != row["hash"]:
                raise Broken("%s was changed: its content does not give its hash" % place)
            if row["sequence"] == expected:
                previous = START if before is None else before["hash"]
                if row["previousHash"] != previous:
                    raise Broken("%s does not follow the row before it: one of the two was replaced" % place)
            if time_of(row["timeTs"]) != row["time"]:
                raise Broken("%s was changed: the column time does not match timeTs" % place)
            before = row
            yield row


class Seal:
    """The number of rows and the closing hash, which the site shows when it makes an export."""

    def __init__(self, is_whole):
        self.is_whole = is_whole
        self.rows = 0
        self.last = {"sequence": 0, "hash": START}
        self.digest = hashlib.sha256()

    def add(self, row):
        self.rows += 1
        self.last = {"sequence": row["sequence"], "hash": row["hash"]}
        self.digest.update(("%d:%s\n" % (row["sequence"], row["hash"])).encode("ascii"))

    def closing_hash(self):
        return self.last["hash"] if self.is_whole else self.digest.hexdigest()


def is_selected(row, selection):
    for name, wanted in selection.items():
        if name == "fromTs":
            if row["timeTs"] < wanted:
                return False
        elif name == "toTs":
            if row["timeTs"] > wanted:
                return False
        elif row.get(name) != wanted:
            return False
    return True


def check_against(path, whole_path, facts):
    """Every selected row of a whole trail must be in the export, and no other."""
    selection = facts["selection"]
    if "accountId" in selection:
        raise Broken("an export of an account cannot be selected from a whole trail without the site")
    own = rows_of(path, False)
    mine = next(own, None)
    for row in rows_of(whole_path, True):
        if mine is not None and mine["sequence"] == row["sequence"]:
            if mine["hash"] != row["hash"]:
                raise Broken("entry %d differs from the whole trail" % row["sequence"])
            if not is_selected(row, selection):
                raise Broken("entry %d is not of the exported records" % row["sequence"])
            mine = next(own, None)
        elif row["sequence"] <= facts["upToSequence"] and is_selected(row, selection):
            raise Broken("entry %d of the whole trail is missing in the export" % row["sequence"])
    if mine is not None:
        raise Broken("entry %d is not in the whole trail" % mine["sequence"])


def pair(text):
    found = re.match(r"([0-9]+):([0-9a-f]{64})\Z", text.strip().lower())
    if found is None:
        raise argparse.ArgumentTypeError("write it as NUMBER:HASH, with 64 hexadecimal digits")
    return int(found.group(1)), found.group(2)


def facts_beside(path):
    beside = os.path.join(os.path.dirname(os.path.abspath(path)), "export.json")
    if not os.path.exists(beside):
        return None
    with open(beside, encoding="utf-8") as file:
        facts = json.load(file)
    if facts.get("format") != "outpost-audit" or facts.get("version") not in (1, 2):
        raise ValueError("export.json is of another format, or of a newer version than this program")
    return facts


def main():
    parser = argparse.ArgumentParser(description="Verifies an audit trail that Outpost exported.")
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("file", nargs="?", default=os.path.join(here, "audit.csv"))
    parser.add_argument("--expect", type=pair, metavar="ROWS:HASH", help="as the site showed it for this export")
    parser.add_argument("--since", type=pair, metavar="SEQUENCE:HASH", help="a row of an earlier whole trail")
    parser.add_argument("--against", metavar="WHOLE.csv", help="a whole trail that an export of some records is part of")
    parser.add_argument("--selection", action="store_true", help="without export.json: the file holds some records only")
    asked = parser.parse_args()
    try:
        facts = facts_beside(asked.file)
        is_whole = not asked.selection if facts is None else facts["scope"] == "whole"
        if asked.against and (is_whole or facts is None):
            raise ValueError("--against needs an export of some records with its export.json")
        seal = Seal(is_whole)
        is_continued = asked.since is None
        erased = Erased()
        for row in rows_of(asked.file, is_whole):
            seal.add(row)
            erased.add(row)
            if asked.since is not None and row["sequence"] == asked.since[0]:
                if row["hash"] != asked.since[1]:
                    raise Broken("entry %d is another one than in the earlier trail" % row["sequence"])
                is_continued = True
        if not is_continued:
            raise Broken("entry %d of the earlier trail is missing" % asked.since[0])
        if is_whole:
            erased.check()
        found = (seal.rows, seal.closing_hash())
        for source, expected in (
            ("the site", asked.expect),
            ("export.json", None if facts is None else (facts["rows"], facts["closingHash"])),
        ):
            if expected is not None and expected != found:
                raise Broken(
                    "%s says %d rows with closing hash %s, but the file has %d rows with %s: rows were removed or added"
                    " at the end, or the file is another export" % ((source,) + expected + found)
                )
        if asked.against:
            check_against(asked.file, asked.against, facts)
    except Broken as broken:
        print("NOT INTACT: %s." % broken)
        return 1
    except (OSError, ValueError, KeyError, TypeError) as problem:
        print("Could not check: %s." % problem, file=sys.stderr)
        return 2
    print("Rows: %d" % seal.rows)
    print("Closing hash: %s" % seal.closing_hash())
    if erased.rows and is_whole:
        print("Rows without content, because a person was erased: %d. Entries subject.erase account for each." % erased.rows)
    elif erased.rows:
        print("Rows without content, because a person was erased: %d. Only a whole trail shows by what right." % erased.rows)
    if asked.expect:
        print("INTACT: every row has its hash, and the end is the one that the site showed.")
    else:
        print("Every row has its hash. Now compare these two with what the site showed for this export:")
        print("only they show that no rows are missing at the end.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
`;
