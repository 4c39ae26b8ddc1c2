"""The picture of the README shows what a demo run printed."""

import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "picture"
RUN = """== 1. Title
$ tasks sign-up
Code: 352227 (in /tmp/tmp.abc/state/outbox)
$ tasks add --due 2026-12-24 tree
Added 168f644f: tree
$ tasks list
168f644f  2026-12-24  1     tree
$ tokenbroker tokens
2026-11-28 04:02:31Z  tasks-cli
$ tokenbroker sign-in --answer username=ann@example.org --password-stdin   # wrong-3
hint: Try again in 10 s.
correlation id: 04b10663-6a28-451c-8767-7f0d1ada1bc5
$ tasks sign-out --account ann
Signed out.
$ tokenbroker token --no-prompt --client tasks-cli
   (exit 77)
"""


class PictureTests(unittest.TestCase):
    def check(self, run):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "demo.svg"
            path.write_text(subprocess.run([SCRIPT], input=RUN, capture_output=True, text=True, check=True).stdout)
            return subprocess.run([SCRIPT, "--check", path], input=run, capture_output=True, text=True)

    def test_times_ids_codes_and_paths_may_differ(self):
        other = RUN
        for before, after in [
            ("352227", "000001"), ("tmp.abc", "tmp.xyz"), ("168f644f", "00000000"), ("04:02:31", "12:00:00"),
            ("10 s", "9 s"), ("04b10663", "aaaaaaaa"),
        ]:
            other = other.replace(before, after)
        self.assertEqual(self.check(other).returncode, 0)

    def test_tokens_that_expire_together_may_be_in_any_order(self):
        rows = ["2026-11-28 04:02:31Z  tasks-cli", "2026-11-28 04:02:31Z  other"]
        self.assertEqual(self.check(RUN.replace(rows[0], f"{rows[0]}\n{rows[0]}")).returncode, 1)
        both = RUN.replace(rows[0], "\n".join(rows))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "demo.svg"
            path.write_text(subprocess.run([SCRIPT], input=both, capture_output=True, text=True, check=True).stdout)
            other = RUN.replace(rows[0], "\n".join(reversed(rows)))
            run = subprocess.run([SCRIPT, "--check", path], input=other, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout)

    def test_a_changed_sentence_is_reported(self):
        outcome = self.check(RUN.replace("Signed out.", "You are signed out."))
        self.assertEqual(outcome.returncode, 1)
        self.assertEqual(outcome.stdout, "- Signed out.\n+ You are signed out.\n")

    def test_a_command_that_did_not_run_is_reported(self):
        outcome = self.check(RUN.replace("$ tasks list", "$ tasks"))
        self.assertNotEqual(outcome.returncode, 0)
        self.assertIn("tasks list", outcome.stderr)


if __name__ == "__main__":
    unittest.main()
