"""Every row of the tables of checks has a fault that takes it out, so that a test must see it missing."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CHECKS = ROOT / "Sources" / "Authority" / "Checks"
TABLES = (CHECKS / "EndpointChecks.swift", CHECKS / "Grants" / "PresentedGrantChecks.swift")
ROW = re.compile(r"^ {8}(\(\w+Check\(\), .*\),)$", re.MULTILINE)


class CheckTablesTests(unittest.TestCase):
    def test_each_row_has_its_fault(self):
        faults = {
            line[2:].strip()
            for path in (ROOT / "scripts" / "faults").glob("*.txt")
            for line in path.read_text().splitlines()
            if line.startswith("- ")
        }
        for table in TABLES:
            rows = ROW.findall(table.read_text())
            self.assertGreater(len(rows), 5, table)
            self.assertEqual([row for row in rows if row not in faults], [], table)


if __name__ == "__main__":
    unittest.main()
