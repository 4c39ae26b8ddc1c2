"""run-tests with a program that replaces the built tests and fails as configured."""

import importlib.machinery
import importlib.util
import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "run-tests"
# Lists the tests of LISTED; fails those of FAILING, leaves out those of SKIPPING, and crashes in the group CRASHING.
PROGRAM = r"""#!/usr/bin/env python3
import os, pathlib, re, sys
arguments = sys.argv[1:]
listed = os.environ["LISTED"].split()
if "--list-tests" in arguments:
    print("\n".join(listed))
    sys.exit(0)
pattern = arguments[arguments.index("--filter") + 1]
state = pathlib.Path(os.environ["STATE"])
with state.open("a") as file:
    file.write(f"{pattern} {os.environ['TOKENBROKER_TEST_PORTS']}\n")
names = [name for name in listed if re.search(pattern, name) and name not in os.environ.get("SKIPPING", "").split()]
if os.environ.get("CRASHING", "nothing") in pattern:
    print('\N{WHITE DIAMOND} Test "goes" started.'.replace("\N{WHITE DIAMOND}", "\u25c7"))
    pathlib.Path(arguments[arguments.index("--xunit-output") + 1]).write_text("<testsuites>\n<testsuite>\n")
    sys.exit(139)
failing = [name for name in names if name in os.environ.get("FAILING", "").split()]
cases = ""
for name in names:
    failure = '<failure message="no"/>' if name in failing else ""
    suite, test = name.split("/")
    cases += f'<testcase classname="{suite}" name="{test}" time="0.5">{failure}</testcase>'
    print(f'\u2714 Test "{test}" with 2 test cases passed after 0.1 seconds.')
report = pathlib.Path(arguments[arguments.index("--xunit-output") + 1])
report.with_name("tests-swift-testing.xml" if os.environ.get("SUFFIX") else report.name).write_text(
    f"<testsuites><testsuite>{cases}</testsuite></testsuites>"
)
for name in failing:
    print(f"\u2718 Test {name} recorded an issue at S.swift:1:1: expected \N{SNOWMAN}")
sys.exit(1 if failing else 0)
"""
TESTS = "ATests.S/one() ATests.S/two() EndToEndTests.U/three() EndToEndTests.V/four() EndToEndTests.OutsideStampedeTests/five()"


class RunTestsTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.program = self.folder / "tests"
        self.program.write_text(PROGRAM)
        self.program.chmod(0o755)

    def run_tests(self, *options, **variables):
        environment = {**os.environ, "LISTED": TESTS, "STATE": str(self.folder / "runs"), **variables}
        command = [SCRIPT, "--program", self.program, *options]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
        return done.returncode, done.stdout

    @property
    def runs(self):
        return [line.split()[0] for line in (self.folder / "runs").read_text().splitlines()]

    def test_each_target_runs_once_and_suites_that_start_programs_by_themselves(self):
        code, output = self.run_tests()
        self.assertEqual(code, 0, output)
        self.assertEqual(
            sorted(self.runs),
            sorted(rf"^{name}[./]" for name in (
                "ATests", r"EndToEndTests\.U", r"EndToEndTests\.V", r"EndToEndTests\.OutsideStampedeTests",
            )),
        )
        self.assertTrue(output.endswith("\n5 passed, 0 failed\n"))

    def test_suites_that_measure_run_last(self):
        self.run_tests()
        self.assertEqual(self.runs[-1], r"^EndToEndTests\.OutsideStampedeTests[./]")

    def test_the_longest_group_starts_first(self):
        self.run_tests("--jobs", "1", LISTED="ATests.S/one() ATests.S/two() EndToEndTests.U/three() EndToEndTests.KillTests/six()")
        self.assertEqual(self.runs, [r"^EndToEndTests\.KillTests[./]", r"^EndToEndTests\.U[./]", "^ATests[./]"])

    def test_processes_at_one_time_have_their_own_ports(self):
        self.run_tests("--jobs", "4")
        ranges = {line.split()[1] for line in (self.folder / "runs").read_text().splitlines()}
        self.assertLessEqual(ranges, {"20000-22999", "23000-25999", "26000-28999", "29000-31999"})

    def test_a_filter_chooses(self):
        code, output = self.run_tests("--filter", r"S/two")
        self.assertEqual(self.runs, ["^ATests[./]"])

    def test_a_failure_fails_and_is_not_repeated(self):
        code, output = self.run_tests(FAILING="EndToEndTests.U/three()")
        self.assertEqual(code, 1)
        self.assertEqual(len(self.runs), 4)
        self.assertIn("What failed:\n✘ Test EndToEndTests.U/three() recorded an issue", output)
        self.assertIn("Failed:\n    EndToEndTests.U/three()\n", output)
        self.assertTrue(output.endswith("\n4 passed, 1 failed\n"))

    def test_the_slowest_tests_are_printed(self):
        self.assertIn("     0.5  ATests.S/one()", self.run_tests()[1])

    def test_a_test_that_a_page_names_has_run(self):
        page = self.folder / "page.md"
        page.write_text("| § | test |\n|---|---|\n| 1 | one() |\n| 2 | elsewhere: two() |\n| 3 | reason: none |\n")
        self.assertEqual(self.run_tests("--named", str(page))[0], 0)
        page.write_text("| § | test |\n|---|---|\n| 1 | six() |\n")
        code, output = self.run_tests("--named", str(page))
        self.assertEqual(code, 1)
        self.assertIn("and did not run:\n    six()\n", output)

    def test_a_title_may_contain_how_a_test_ends(self):
        loader = importlib.machinery.SourceFileLoader("run_tests", str(SCRIPT))
        module = importlib.util.module_from_spec(importlib.util.spec_from_loader("run_tests", loader))
        loader.exec_module(module)
        for title in ['"a failed sign-in is counted"', "counted()"]:
            for end in ["passed after 0.1 seconds.", "with 2 test cases failed after 1.0 seconds with 1 issue.", 'skipped: "why"']:
                self.assertEqual(module.ENDED.match(f"\u2714 Test {title} {end}")[1], title, end)

    def test_a_test_that_is_left_out_fails(self):
        code, output = self.run_tests(SKIPPING="ATests.S/two()")
        self.assertEqual(code, 1)
        self.assertIn("ATests: 1 of 2 tests ran", output)

    def test_a_crash_fails_and_names_the_test_that_ran(self):
        code, output = self.run_tests(CRASHING="U")
        self.assertEqual(code, 1)
        self.assertIn("EndToEndTests.U ended with 139", output)
        self.assertIn('in "goes"', output)

    def test_no_test_at_all_fails(self):
        self.assertEqual(self.run_tests("--filter", "nothing")[0], 1)


if __name__ == "__main__":
    unittest.main()
