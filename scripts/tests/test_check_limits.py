"""Tests that `check-limits` reports what the table lacks."""

import importlib.machinery
import importlib.util
import pathlib
import unittest

PATH = pathlib.Path(__file__).resolve().parent.parent / "check-limits"
LOADER = importlib.machinery.SourceFileLoader("check_limits", str(PATH))
SPEC = importlib.util.spec_from_loader("check_limits", LOADER)
check = importlib.util.module_from_spec(SPEC)
LOADER.exec_module(check)

HEAD = "| " + " | ".join(check.COLUMNS) + " |\n|---|---|---|---|---|---|\n"
KNOWN = check.tests(["@Suite\nstruct FlowTests {\n  @Test(\"a total\") func total() {}\n  func helper() {}\n}\n"])


def table(rows, head=HEAD):
    return f"before\n{check.BEGIN}\n{head}{rows}{check.END}\nafter"


class LimitsTest(unittest.TestCase):
    def test_good(self):
        self.assertEqual(check.problems(table("| flows | 8 | 64 | 256 | refused | `FlowTests.total` |\n"), KNOWN), [])

    def test_missing_table(self):
        self.assertEqual(len(check.problems("nothing", KNOWN)), 1)

    def test_no_rows(self):
        self.assertEqual(check.problems(table(""), KNOWN), ["the table has no rows"])

    def test_other_columns(self):
        self.assertEqual(len(check.problems(table("", "| a | b |\n|---|---|\n"), KNOWN)), 1)

    def test_empty_cell(self):
        self.assertEqual(len(check.problems(table("| flows | 8 | | 256 | refused | `FlowTests.total` |\n"), KNOWN)), 1)

    def test_no_test(self):
        self.assertEqual(len(check.problems(table("| flows | 8 | 64 | 256 | refused | none |\n"), KNOWN)), 1)

    def test_suite_on_the_line_of_its_attribute(self):
        known = check.tests(["@Suite(.timeLimit(.minutes(2)), .serialized) struct FlowTests {\n  @Test func total() {}\n}\n"])
        self.assertIn("total", known["FlowTests"])

    def test_function_that_is_no_test(self):
        row = "| flows | 8 | 64 | 256 | refused | `FlowTests.helper` |\n"
        self.assertEqual(len(check.problems(table(row), KNOWN)), 1)

    def test_unknown_test(self):
        row = "| flows | 8 | 64 | 256 | refused | `FlowTests.total`, `FlowTests.gone`, `GoneTests.total` |\n"
        self.assertEqual(len(check.problems(table(row), KNOWN)), 2)


if __name__ == "__main__":
    unittest.main()
