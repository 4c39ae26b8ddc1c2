"""Tests that `check-compatibility` reports wrong names and sums for a small suite."""

import importlib.machinery
import importlib.util
import pathlib
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "check-compatibility"


def load():
    loader = importlib.machinery.SourceFileLoader("check_compatibility", str(SCRIPT))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


check = load()

TESTS = """
    @Suite struct Queries {
        @Test("one") func suite() {}
        @Test("two") func byID() async throws {}
    }
    @Suite struct Paging { @Suite(.serialized) struct Inner {} }
"""
README = """
`Paging` and `JavaScriptClient.swift`, `Queries` with `$top`.

| group | tests | alone | script | tests here |
|---|---|---|---|---|
| a | 3 | - | 1 | `Queries.suite`, `.byID` |
| b | 2 | 1 | - | `Inner` |
| together | 5 | 1 | 1 | |
"""


class Compatibility(unittest.TestCase):
    def problems(self, readme):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "QueryTests.swift").write_text(TESTS.replace("{ @Suite(", "{\n@Suite("), encoding="utf-8")
            (folder / "README.md").write_text(readme, encoding="utf-8")
            return list(check.problems(folder))

    def test_true(self):
        self.assertEqual(self.problems(README), [])

    def test_names(self):
        self.assertEqual(self.problems(README.replace(".byID", ".byName")), ["'Queries' has no test 'byName'"])
        self.assertEqual(self.problems(README.replace("Queries.suite", "Absent.suite"))[0], "there is no suite 'Absent'")
        self.assertEqual(self.problems(README.replace("`Inner`", "")), ["suite 'Inner' is not named"])

    def test_sums(self):
        self.assertEqual(self.problems(README.replace("| 3 |", "| 4 |")), ["'tests' adds up to 6, not 5"])
        self.assertEqual(self.problems("`Queries` `Paging` `Inner`"), ["there is no table"])


if __name__ == "__main__":
    unittest.main()
