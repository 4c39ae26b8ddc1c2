"""Every row of the tables of checks has a fault that takes it out, so that a test must see it missing."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CHECKS = ROOT / "Sources" / "Authority" / "Authority" / "Checks"
TABLES = (CHECKS / "EndpointChecks.swift", CHECKS / "Grants" / "PresentedGrantChecks.swift")
ROW = re.compile(r"^ {8}(\(\w+Check\(\), .*\),)$", re.MULTILINE)
LISTS = ROOT / "Sources" / "Authority" / "Authority" / "AuthorizationEndpoint.swift"
# A list of its own lines, or one line that puts a check before another list.
LIST = re.compile(r"^    static let (\w+Checks): \[any \w+\] = \[\n(.*?)^    \]$", re.MULTILINE | re.DOTALL)
LONGER = re.compile(r"^    (static let (\w+Checks): \[any \w+\] = \[(\w+Check\(\))\] \+ \w+)$", re.MULTILINE)


def lists(text):
    """The lines of each list of checks, by its name."""
    found = {name: [line.strip() for line in rows.splitlines()] for name, rows in LIST.findall(text)}
    return found | {name: [line] for line, name, _ in LONGER.findall(text)}


class CheckTablesTests(unittest.TestCase):
    def setUp(self):
        self.faults = {
            line[2:].strip()
            for path in (ROOT / "scripts" / "faults").glob("*.txt")
            for line in path.read_text().splitlines()
            if line.startswith("- ")
        }

    def test_each_row_has_its_fault(self):
        for table in TABLES:
            rows = ROW.findall(table.read_text())
            self.assertGreater(len(rows), 5, table)
            self.assertEqual([row for row in rows if row not in self.faults], [], table)

    def test_each_check_of_a_list_has_its_fault(self):
        found = lists(LISTS.read_text())
        self.assertEqual(set(found), {"requestChecks", "proofChecks", "sessionChecks"})
        self.assertGreater(len(found["requestChecks"]), 5)
        for name, rows in found.items():
            for row in rows:
                self.assertRegex(row, r"\w+Check\(\)", name)
            self.assertEqual([row for row in rows if row not in self.faults], [], name)

    def test_a_check_without_a_fault_is_found(self):
        text = LISTS.read_text().replace("        MaxAgeCheck(),\n", "        MaxAgeCheck(),\n        NewCheck(),\n")
        self.assertEqual([row for row in lists(text)["requestChecks"] if row not in self.faults], ["NewCheck(),"])


if __name__ == "__main__":
    unittest.main()
