"""Tests that a measurement prints all its figures, and fails if one of them misses its target."""

import argparse
import contextlib
import io
import pathlib
import sys
import unittest
from unittest import mock

BENCHMARKS = pathlib.Path(__file__).resolve().parent.parent.parent / "Benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from measuring import options, report  # noqa: E402


class MeasuringTests(unittest.TestCase):
    def told(self, values, short=False):
        """The output for these values with a target of 2, and the exit of the program."""
        page = report.table(("what", "", "", ""), [("a figure", "≤ 2", one, report.verdict(one, 2)) for one in values])
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            try:
                report.tell(page, short)
                outcome = None
            except SystemExit as end:
                outcome = end.code
        self.assertEqual(printed.getvalue(), page + "\n")
        return outcome

    def test_figures_that_reach_their_marks_are_success(self):
        self.assertIsNone(self.told([1, 2]))

    def test_a_figure_that_misses_its_mark_is_failure_after_all_was_printed(self):
        self.assertEqual(self.told([1, 3, 2]), "1 target was missed")
        self.assertEqual(self.told([3, 3]), "2 targets were missed")

    def test_a_short_round_has_no_marks(self):
        self.assertIsNone(self.told([1, 3, 2], short=True))

    def test_short_sets_what_makes_a_round_short(self):
        def read(*words):
            parser = argparse.ArgumentParser()
            parser.add_argument("--rounds", type=int, default=7)
            with mock.patch.object(sys, "argv", ["measure", *words]):
                return options.read(parser, rounds=1)

        self.assertEqual(read().rounds, 7)
        self.assertEqual(read("--short").rounds, 1)

    def test_each_measurement_has_a_short_round(self):
        for program in sorted(BENCHMARKS.glob("measure*")):
            if program.is_file():
                self.assertIn("options.read(parser, rounds=1", program.read_text(), program.name)

    def test_each_measurement_with_marks_ends_so(self):
        for program in sorted(BENCHMARKS.glob("measure*")):
            text = program.read_text() if program.is_file() else ""
            if "verdict" in text or "report.page" in text:
                self.assertRegex(text, r"\n    (report\.)?tell\(", program.name)
                self.assertNotRegex(text, r"print\((\w+\.)?page\(", program.name)


if __name__ == "__main__":
    unittest.main()
