"""test-long with `true` instead of `swift`."""

import pathlib
import re
import subprocess
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "test-long"


def run(*arguments):
    environment = {"PATH": "/usr/bin:/bin", "SWIFT": "true"}
    return subprocess.run([SCRIPT, *arguments], env=environment, capture_output=True, text=True, check=False)


class TestLongTests(unittest.TestCase):
    def test_prints_the_parts_without_one(self):
        found = run()
        self.assertEqual(found.returncode, 0)
        self.assertIn("offline", found.stdout)

    def test_refuses_an_unknown_part_and_prints_the_parts(self):
        found = run("everything")
        self.assertEqual(found.returncode, 64)
        self.assertIn("unknown part 'everything'", found.stderr)
        self.assertIn("offline", found.stderr)

    def test_has_a_function_for_each_part_it_prints(self):
        script = SCRIPT.read_text(encoding="utf-8")
        for part in re.findall(r"^  ([\w-]+) ", run().stdout, re.MULTILINE):
            self.assertIn(f"part_{part}() {{", script)

    def test_measures_by_each_benchmark(self):
        programs = {path.name for path in (SCRIPT.parent.parent / "Benchmarks").glob("measure*") if path.is_file()}
        part = SCRIPT.read_text(encoding="utf-8").split("part_benchmarks() {")[1].split("\n}\n")[0]
        self.assertEqual(programs - set(re.findall(r"[\w-]+", part)), set())

    def test_each_part_is_described(self):
        page = (SCRIPT.parent.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
        for part in re.findall(r"^  ([\w-]+) ", run().stdout, re.MULTILINE):
            self.assertIn(f"`{part}`", page)

    def test_runs_a_part(self):
        self.assertEqual(run("offline").returncode, 0)


if __name__ == "__main__":
    unittest.main()
