"""Tests how load-sanitized evaluates memory and descriptors."""

import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import unittest

PATH = str(pathlib.Path(__file__).resolve().parent.parent / "load-sanitized")
SPEC = importlib.util.spec_from_loader("load_sanitized", importlib.machinery.SourceFileLoader("load_sanitized", PATH))
LOAD = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(LOAD)


def judged(samples):
    with contextlib.redirect_stdout(io.StringIO()):
        return LOAD.judge("d", samples)


class LoadSanitizedTests(unittest.TestCase):
    def test_what_settles_in_the_first_quarter_is_flat(self):
        samples = [(1_000 * index, index) for index in range(20)] + [(20_000 + index % 3, 30) for index in range(60)]
        self.assertEqual(judged(samples), [])

    def test_memory_that_grows_is_a_problem(self):
        self.assertIn("memory grew", judged([(10_000 + 100 * index, 30) for index in range(80)])[0])

    def test_descriptors_that_grow_are_a_problem(self):
        self.assertIn("descriptors grew", judged([(10_000, index) for index in range(80)])[0])


if __name__ == "__main__":
    unittest.main()
