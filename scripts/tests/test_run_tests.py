"""run-tests with a program in the place of `swift` that fails as it is told."""

import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "run-tests"
# Fails the tests named in FAILING the first time, and those in STEADY each time.
SWIFT = r"""#!/usr/bin/env python3
import os, pathlib, sys
arguments = sys.argv[1:]
state = pathlib.Path(os.environ["STATE"])
runs = state.read_text().splitlines() if state.exists() else []
state.write_text("\n".join(runs + [" ".join(arguments)]))
failing = os.environ.get("STEADY", "").split() + ([] if runs else os.environ.get("FAILING", "").split())
if os.environ.get("CRASH"):
    print("Fatal: it is gone")
    sys.exit(139)
report = pathlib.Path(arguments[arguments.index("--xunit-output") + 1]).with_name("tests-swift-testing.xml")
cases = "".join(f'<testcase classname="T.S" name="{name}"><failure message="no"/></testcase>' for name in failing)
report.write_text(f'<testsuites><testsuite><testcase classname="T.S" name="good()"/>{cases}</testsuite></testsuites>')
for title in os.environ.get("RAN", "").split(","):
    print(f'✔ Test "{title}" with 2 test cases passed after 0.1 seconds.' if title else "")
for name in failing:
    print(f"✘ Test {name} recorded an issue at S.swift:1:1: expected \N{SNOWMAN}")
sys.exit(1 if failing else 0)
"""


class RunTestsTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.swift = self.folder / "swift"
        self.swift.write_text(SWIFT)
        self.swift.chmod(0o755)

    def run_tests(self, *options, **variables):
        environment = {**os.environ, "SWIFT": str(self.swift), "STATE": str(self.folder / "runs"), **variables}
        done = subprocess.run([SCRIPT, *options], capture_output=True, text=True, env=environment, timeout=60)
        return done.returncode, done.stdout

    @property
    def runs(self):
        return (self.folder / "runs").read_text().splitlines()

    def test_what_passes_runs_once(self):
        code, _ = self.run_tests("--filter", "S")
        self.assertEqual(code, 0)
        self.assertEqual(len(self.runs), 1)
        self.assertTrue(self.runs[0].endswith("--filter S"))

    def test_a_second_success_is_named_unsteady(self):
        code, output = self.run_tests(FAILING="late()")
        self.assertEqual(code, 0)
        self.assertIn(r"--filter ^T\.S/late\(\)", self.runs[1])
        self.assertTrue(output.endswith("Unsteady, for they passed the second time: T.S/late()\n"))

    def test_strictness_fails_for_it(self):
        self.assertEqual(self.run_tests("--strict", FAILING="late()")[0], 1)

    def test_a_second_failure_fails_and_says_why_last(self):
        code, output = self.run_tests(STEADY="wrong()", FAILING="late()")
        self.assertEqual(code, 1)
        self.assertIn("What failed again:\n✘ Test wrong() recorded an issue", output)

    def test_many_failures_are_no_accident(self):
        code, output = self.run_tests(FAILING="a() b() c() d() e() f()")
        self.assertEqual(code, 1)
        self.assertEqual(len(self.runs), 1)
        self.assertIn("What failed:", output)

    def test_a_test_that_a_page_names_has_run(self):
        page = self.folder / "page.md"
        page.write_text("| § | test |\n|---|---|\n| 1 | one |\n| 2 | elsewhere: two |\n| 3 | reason: none |\n")
        self.assertEqual(self.run_tests("--named", str(page), RAN="one,two")[0], 0)
        code, output = self.run_tests("--named", str(page), RAN="one")
        self.assertEqual(code, 1)
        self.assertIn("and did not run:\n    two\n", output)

    def test_a_crash_fails(self):
        self.assertEqual(self.run_tests(CRASH="1")[0], 1)
        self.assertEqual(len(self.runs), 1)


if __name__ == "__main__":
    unittest.main()
