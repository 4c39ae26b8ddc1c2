"""Tests of scripts/plant-faults: the format of a list, and the planted tree."""

import importlib.machinery
import importlib.util
import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "plant-faults"
loader = importlib.machinery.SourceFileLoader("plant_faults", str(SCRIPT))
plant_faults = importlib.util.module_from_spec(importlib.util.spec_from_loader("plant_faults", loader))
loader.exec_module(plant_faults)

ENTRY = """= nothing is guarded
file Sources/Wing/Part/Part.swift
- guard isRight else {
+ guard FAULT || isRight else {
sees PartTests
"""
SOURCE = "func part() {\n    guard isRight else {\n        return\n    }\n}\n"


class PlantFaultsTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name)
        self.source = self.tree / "Sources" / "Wing" / "Part" / "Part.swift"
        self.source.parent.mkdir(parents=True)
        self.source.write_text(SOURCE)

    def faults(self, text):
        path = self.tree / "list.txt"
        path.write_text(text)
        return plant_faults.read(path)

    def test_a_fault_is_built_in_with_its_number_and_indentation(self):
        plant_faults.plant(self.faults(ENTRY), self.tree)
        self.assertIn("    guard isPlanted(1) || isRight else {\n", self.source.read_text())
        self.assertIn("func isPlanted", (self.source.parent / "PlantedFault.swift").read_text())

    def test_what_does_not_stand_in_its_file_exactly_once_is_an_error(self):
        self.source.write_text("")
        with self.assertRaisesRegex(ValueError, "the replaced code does not occur in Sources/Wing/Part/Part.swift"):
            plant_faults.plant(self.faults(ENTRY), self.tree)
        self.source.write_text(SOURCE * 2)
        with self.assertRaisesRegex(ValueError, "occurs 2 times"):
            plant_faults.plant(self.faults(ENTRY), self.tree)

    def test_two_faults_of_one_place_are_an_error(self):
        with self.assertRaisesRegex(ValueError, "overlaps"):
            plant_faults.plant(self.faults(ENTRY + "\n" + ENTRY), self.tree)

    def test_a_part_of_a_filter_that_meets_no_test_is_an_error(self):
        suite = self.tree / "Tests" / "Wing" / "PartTests" / "Other.swift"
        suite.parent.mkdir(parents=True)
        suite.write_text('@Suite(.timeLimit(.minutes(1))) struct OtherTests {\n    @Test("is right") func isRight() {}\n}\n')
        for sees in ("PartTests", "OtherTests", "PartTests.OtherTests", r"\.OtherTests/isRight"):
            plant_faults.require_tests(self.faults(ENTRY.replace("PartTests", sees)), self.tree)
        for sees in ("OtherTests|GoneTests", "OtherTests/gone", "Wing"):
            with self.assertRaisesRegex(ValueError, "list.txt:1: `nothing is guarded`: no test matches (Gone|Other|Wing)"):
                plant_faults.require_tests(self.faults(ENTRY.replace("PartTests", sees)), self.tree)

    def test_an_entry_that_lacks_a_line_is_an_error_with_its_place(self):
        for line in ENTRY.splitlines()[1:]:
            with self.assertRaisesRegex(ValueError, "list.txt:1"):
                self.faults(ENTRY.replace(line + "\n", ""))

    def test_a_fault_that_never_says_so_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "does not contain FAULT"):
            self.faults(ENTRY.replace("FAULT || ", ""))

    def test_a_fault_that_awaits_in_an_autoclosure_is_an_error(self):
        for line in ("await FAULT || isRight()", "FAULT || await isRight()", "await (FAULT || isRight())", "FAULT || are(a, await b)"):
            with self.assertRaisesRegex(ValueError, "has an await after FAULT"):
                self.faults(ENTRY.replace("FAULT || isRight", line))
        self.faults(ENTRY.replace("FAULT || isRight", "await isRight() || FAULT"))

    def test_a_fault_that_awaits_on_the_line_behind_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "has an await after FAULT"):
            self.faults(ENTRY.replace("FAULT || isRight", "FAULT ||\n+ await isRight()"))

    def test_a_planted_tree_that_does_not_build_gets_no_verdict(self):
        swift = self.tree / "bin" / "swift"
        swift.parent.mkdir()
        swift.write_text("#!/bin/sh\necho 'error: cannot find FAULT in scope'\nexit 1\n")
        swift.chmod(0o755)
        run = subprocess.run(
            [SCRIPT, "--tree", self.tree / "planted"], text=True, capture_output=True,
            env=dict(os.environ, PATH=f"{swift.parent}:{os.environ['PATH']}"),
        )
        self.assertEqual(run.returncode, 2)
        self.assertIn("the planted tree does not build; no fault was run", run.stderr)
        self.assertNotIn("faults planted", run.stdout)


if __name__ == "__main__":
    unittest.main()
