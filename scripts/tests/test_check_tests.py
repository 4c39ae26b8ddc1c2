"""Tests that `check-tests` reports tests that cannot fail or may hang, and the same for `check-shell`."""

import importlib.machinery
import importlib.util
import pathlib
import subprocess
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent


def load():
    loader = importlib.machinery.SourceFileLoader("check_tests", str(SCRIPTS / "check-tests"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


check = load()

SUITE = """import Testing

/// A suite.
@Suite(.timeLimit(.minutes(1)))
struct WordTests {
    @Test("a word is a word") func word() async throws {
        BODY
    }
}
"""


class CheckTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def found(self, text, path="Tests/WordsTests/WordTests.swift"):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return list(check.problems(self.root))

    def in_body(self, text):
        return self.found(SUITE.replace("BODY", text))

    def assertOne(self, found, *parts):
        self.assertEqual(len(found), 1, found)
        for part in parts:
            self.assertIn(part, found[0])

    def test_a_good_suite_has_no_problem(self):
        self.assertEqual(self.in_body("for word in words { print(word) }\nwhile let next = queue.next() { use(next) }"), [])

    def test_a_test_that_is_switched_off_is_found(self):
        off = "enabled(if: fal" + "se)"
        self.assertOne(self.found(SUITE.replace('"a word is a word"', f'"a word", .{off}')), "WordTests.swift:6", "switched off")

    def test_a_known_issue_is_found(self):
        self.assertOne(self.in_body("withKnown" + 'Issue("later") { try word() }'), "WordTests.swift:7", "switched off")

    def test_a_loop_that_only_waits_is_found(self):
        self.assertOne(self.in_body("while !isDone {}"), "WordTests.swift:7", "deadline")
        self.assertOne(self.in_body("while await waiting < 3 { await Task.yield() }"), "WordTests.swift:7", "deadline")
        self.assertOne(self.in_body("while try list().filter({ $0.isOpen }).isEmpty { await Task.yield() }"), "deadline")

    def test_a_loop_without_an_end_of_its_own_is_found(self):
        self.assertOne(self.in_body("while true {\n    try word()\n    letters += 1\n}"), "WordTests.swift:7", "deadline")
        self.assertOne(self.in_body("repeat {\n    try word()\n} while letters < 3"), "WordTests.swift:7", "deadline")

    def test_a_loop_that_asks_again_and_again_is_found(self):
        self.assertOne(self.in_body("while !isFull { isFull = write(page) != page.count }"), "deadline")
        self.assertOne(self.in_body("while new == old {\n    await Task.yield()\n    new = try await word()\n}"), "deadline")

    def test_a_loop_that_looks_at_the_clock_may_wait(self):
        self.assertEqual(self.in_body("while true {\n    guard ContinuousClock.now < end else { throw Late() }\n}"), [])
        self.assertEqual(self.in_body("while ContinuousClock.now < end, !isDone { await Task.yield() }"), [])

    def test_a_loop_that_ends_with_what_it_reads_is_no_wait(self):
        self.assertEqual(self.in_body("while case let count = recv(fd, &bytes, 8, 0), count > 0 { all += bytes }"), [])

    def test_the_loop_with_a_deadline_may_wait(self):
        self.assertEqual(self.found("func wait() { while !isDone {} }\n", "Tests/TestSupport/Waiting.swift"), [])

    def test_what_is_only_spoken_of_is_no_loop(self):
        self.assertEqual(self.in_body('// while !isDone {}\nrun("while :; do {}")'), [])

    def test_a_suite_without_a_time_limit_is_found(self):
        text = SUITE.replace("@Suite(.timeLimit(.minutes(1)))\n", "")
        self.assertOne(self.found(text), "WordTests.swift:4", "time limit")

    def test_the_limit_of_another_suite_is_not_its_own(self):
        text = SUITE + SUITE.replace("@Suite(.timeLimit(.minutes(1)))\n", "").replace("WordTests", "OtherTests")
        self.assertOne(self.found(text), "time limit")

    def test_a_helper_without_tests_needs_no_limit(self):
        self.assertEqual(self.found("/// A helper.\nstruct Helper {\n    let name: String\n}\n"), [])


class CheckShell(unittest.TestCase):
    def status(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".sh") as file:
            file.write(text)
            file.flush()
            command = [str(SCRIPTS / "check-shell"), file.name]
            return subprocess.run(command, capture_output=True, check=False).returncode

    def test_each_shell_reads_its_own(self):
        self.assertEqual(self.status("#!/usr/bin/env bash\n[[ a == b ]]\nwords=(a b)\n"), 0)
        self.assertEqual(self.status("#!/bin/sh\nif true; then echo yes; fi\n"), 0)
        self.assertEqual(self.status("#!/usr/bin/env python3\nif True: pass\n"), 0)

    def test_what_does_not_parse_is_found(self):
        self.assertEqual(self.status("#!/usr/bin/env bash\nif true; then\n"), 1)
        self.assertEqual(self.status("#!/bin/sh -e\nif true; then\n"), 1)


if __name__ == "__main__":
    unittest.main()
