"""Tests that the parsing function calls every check of an endpoint, and that a fault removes each call."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
AUTHORITY = ROOT / "Sources" / "Authority" / "Authority"
# A non-private function in a list of checks, with its list.
LIST = re.compile(r"^enum (\w+Checks) \{\n(.*?)^\}$", re.MULTILINE | re.DOTALL)
CHECK = re.compile(r"^    static func (\w+)\(", re.MULTILINE)
CALL = re.compile(r"\b(\w+Checks)\.(\w+)\(")
# Calls for a part of a request, of checks with faults where a whole request is parsed.
PARTS = {"AuthorizationDecision.swift": 1, "SessionChecks.swift": 2, "UserChecks+Requirements.swift": 2}


def sources():
    return {path.name: path.read_text() for path in sorted(AUTHORITY.rglob("*.swift"))}


def checks(texts):
    """The checks of all lists, in the form of calls."""
    return {f"{name}.{check}" for text in texts.values() for name, body in LIST.findall(text) for check in CHECK.findall(body)}


def calls(texts):
    """The lines with calls of checks, with their file and the check."""
    known = checks(texts)
    lines = [(name, line.strip()) for name, text in texts.items() for line in text.splitlines()]
    return [
        (name, line, f"{found[1]}.{found[2]}")
        for name, line in lines
        if not line.startswith("//")
        for found in CALL.finditer(line)
        if f"{found[1]}.{found[2]}" in known
    ]


def faults():
    """The lines that faults replace."""
    return {
        line[2:].strip()
        for path in (ROOT / "scripts" / "faults").glob("*.txt")
        for line in path.read_text().splitlines()
        if line.startswith("- ")
    }


def unseen(texts):
    """The checks without a call, and the calls without a fault, except the known parts."""
    called, planted = calls(texts), faults()
    missing = checks(texts) - {check for _, _, check in called}
    parts = {}
    for name, line, check in called:
        if line not in planted:
            parts.setdefault(name, []).append(check)
    return missing, {name: found for name, found in parts.items() if len(found) > PARTS.get(name, 0)}


class CheckTablesTests(unittest.TestCase):
    def test_each_call_of_a_check_has_its_fault(self):
        texts = sources()
        self.assertGreater(len(checks(texts)), 45)
        self.assertEqual(unseen(texts), (set(), {}))

    def test_each_check_has_a_call_that_a_fault_takes_out(self):
        planted, texts = faults(), sources()
        seen = {check for _, line, check in calls(texts) if line in planted}
        self.assertEqual(checks(texts) - seen, set())

    def test_a_call_without_a_fault_is_found(self):
        texts = sources()
        line = "            let own = try AuthorizeChecks.own(bounded)\n"
        self.assertIn(line, texts["AuthorizationEndpoint.swift"])
        texts["AuthorizationEndpoint.swift"] = texts["AuthorizationEndpoint.swift"].replace(
            line, line + "            let again = try AuthorizeChecks.own(own)\n"
        )
        self.assertEqual(list(unseen(texts)[1]), ["AuthorizationEndpoint.swift"])

    def test_a_check_that_nobody_calls_is_found(self):
        texts = sources()
        line = "            let own = try AuthorizeChecks.own(bounded)\n"
        texts["AuthorizationEndpoint.swift"] = texts["AuthorizationEndpoint.swift"].replace(line, "")
        self.assertEqual(unseen(texts)[0], {"AuthorizeChecks.own"})


if __name__ == "__main__":
    unittest.main()
