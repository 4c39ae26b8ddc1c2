"""Tests that `check-parsed-once` reports each form of a default for an unknown word."""

import importlib.machinery
import importlib.util
import pathlib
import unittest

PATH = pathlib.Path(__file__).resolve().parent.parent / "check-parsed-once"
LOADER = importlib.machinery.SourceFileLoader("check_parsed_once", str(PATH))
SPEC = importlib.util.spec_from_loader("check_parsed_once", LOADER)
check = importlib.util.module_from_spec(SPEC)
LOADER.exec_module(check)


class ParsedOnceTest(unittest.TestCase):
    def test_replaced(self):
        self.assertEqual(check.problems("let a = 1\nlet mode = Mode(rawValue: text) ?? .closed\n"), [2])

    def test_replaced_on_the_next_line(self):
        self.assertEqual(check.problems("let mode = Mode(\n    rawValue: word(of: file)\n)\n    ?? .closed\n"), [1])

    def test_replaced_behind_a_closure(self):
        self.assertEqual(check.problems("let mode = text.flatMap { Mode(rawValue: $0) } ?? .closed\n"), [1])

    def test_refused(self):
        self.assertEqual(check.problems("guard let mode = Mode(rawValue: text) else { return nil }\nlet b = a ?? c\n"), [])

    def test_other_part(self):
        self.assertEqual(check.problems("Mode(rawValue: first ?? second)\n"), [])

    def test_comments_and_texts(self):
        self.assertEqual(check.problems('// Mode(rawValue: a) ?? .b\nlet a = "(rawValue: a) ?? b"\n'), [])


if __name__ == "__main__":
    unittest.main()
