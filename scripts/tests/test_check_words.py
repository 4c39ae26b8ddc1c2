"""The words of texts that people read are checked where they stand, and nowhere else."""

import importlib.machinery
import importlib.util
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "check-words"


class WordsTests(unittest.TestCase):
    def found(self, name, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / name
            path.write_text(text)
            run = subprocess.run([SCRIPT, str(path)], capture_output=True, text=True)
        self.assertEqual(run.returncode, 1 if run.stdout else 0)
        return run.stdout

    def test_comments_and_literals_are_read(self):
        self.assertIn(":1:", self.found("A.swift", "// A token that nobody may use.\n"))
        self.assertIn(":2:", self.found("A.swift", 'let a = 1\nlet b = "an outside authority"\n'))
        self.assertIn(":3:", self.found("A.swift", 'let a = """\n    first\n    """ + "see to it"\n'.replace("see to it", "in vain")))

    def test_code_is_not_read(self):
        for text in ["let nobody = theirs\n", 'let a = "\\(nobody) is signed in"\n', "/// Calls ``door(uid:)``.\n"]:
            self.assertEqual(self.found("A.swift", text), "", text)

    def test_a_doc_comment_begins_as_the_guidelines_say(self):
        self.assertIn("Whether", self.found("A.swift", "/// True if it is.\nlet a = true\n"))
        self.assertEqual(self.found("A.swift", "/// Whether it is. True if so.\nlet a = true\n"), "")
        self.assertEqual(self.found("A.swift", "/// Whether it is.\n///\n/// True if it was set.\nlet a = true\n"), "")

    def test_pages_are_read_without_their_code(self):
        self.assertIn(":1:", self.found("a.md", "Whoever reads this\n"))
        self.assertEqual(self.found("a.md", "```\nwhoever\n```\n\n    whoever\n\n`whoever`\n"), "")

    def test_a_phrase_may_be_spread_over_lines(self):
        for name, text in [
            ("A.swift", "/// A token that is asked\n/// for again.\nlet a = 1\n"), ("a.md", "A token in\nvain.\n"),
            ("A.swift", "/* A token in\n   vain. */\n"), ("check.py", "# A token in\n# vain.\n"),
        ]:
            self.assertIn(":1:", self.found(name, text), text)
        for name, text in [
            ("A.swift", "/// A token in\n///\n/// vain.\nlet a = 1\n"), ("A.swift", "// A token in\nlet a = 1\n// vain\n"),
            ("a.md", "A token in\n\nvain.\n"), ("a.md", "| in |\n| vain |\n"),
        ]:
            self.assertEqual(self.found(name, text), "", text)

    def test_templates_styles_and_scripts_are_read(self):
        self.assertIn(":2:", self.found("a.mustache", "<p class=\"door\">\nThe door {{door}}</p>\n"))
        self.assertEqual(self.found("a.mustache", "<p class=\"door\">{{door}}</p>\n"), "")
        self.assertIn("door", self.found("a.css", "/* The door. */\n.door { color: red }\n"))
        self.assertIn("door", self.found("a.js", "let door = 1; // the door\n"))

    def test_a_list_of_faults_is_read_by_its_titles(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "faults").mkdir()
            (pathlib.Path(folder) / "faults" / "A.txt").write_text("= the door is open\n- door\n+ door\n")
            run = subprocess.run([SCRIPT, folder], capture_output=True, text=True)
        self.assertEqual(run.stdout.count("\n"), 1)

    def test_words_are_whole(self):
        self.assertEqual(self.found("a.md", "The indoor, besideself and SameSite=Lax stay, and `nobody@example.org`.\n"), "")

    def test_a_catalog_is_read_by_its_values(self):
        with tempfile.TemporaryDirectory() as folder:
            texts = pathlib.Path(folder) / "Texts"
            texts.mkdir()
            (texts / "en.json").write_text('{\n    "cli.nobody": "The door is open."\n}\n')
            run = subprocess.run([SCRIPT, folder], capture_output=True, text=True)
        self.assertEqual(run.stdout.count("\n"), 1)
        self.assertIn("door", run.stdout)

    def test_exceptions_are_few_and_used(self):
        loader = importlib.machinery.SourceFileLoader("check_words", str(SCRIPT))
        module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_words", loader))
        loader.exec_module(module)
        self.assertLessEqual(len(module.EXCEPTIONS), module.LIMIT)
        for end, around, why in module.EXCEPTIONS:
            self.assertTrue(end and around and why)


if __name__ == "__main__":
    unittest.main()
