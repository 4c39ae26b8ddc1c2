"""Tests that `check-manuals` reports what a manual page lacks."""

import importlib.machinery
import importlib.util
import pathlib
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "check-manuals"


def load():
    loader = importlib.machinery.SourceFileLoader("check_manuals", str(SCRIPT))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


check = load()

PAGE = """.Sh COMMANDS
.Ss Options of every command
.It Fl -json
JSON.
.Ss client add Ar name
.It Fl -type Cm public | confidential
Kind.
.Ss list
"""


def option(name):
    return {"kind": "option", "names": [{"kind": "long", "name": name}]}


def command(name, *arguments, subcommands=()):
    return {"commandName": name, "arguments": list(arguments), "subcommands": list(subcommands)}


HELP = command(
    "prog",
    subcommands=[
        command("client", subcommands=[command("add", option("type"), option("json"))]),
        command("list", option("json"), {"kind": "positional"}),
        command("help"),
    ],
)


class CheckManuals(unittest.TestCase):
    def found(self, page):
        return list(check.problems("prog", "prog.1", HELP, page))

    def test_a_page_that_says_everything_has_no_problem(self):
        self.assertEqual(self.found(PAGE), [])

    def test_an_option_that_is_not_described_is_found(self):
        self.assertEqual(len(self.found(PAGE.replace(".It Fl -type Cm public | confidential\n", ""))), 1)

    def test_a_command_without_a_section_is_found(self):
        self.assertIn("`prog list` has no section", self.found(PAGE.replace(".Ss list\n", ""))[0])

    def test_an_option_that_does_not_exist_is_found(self):
        self.assertIn("--colour", self.found(PAGE + ".It Fl -colour\n")[0])

    def test_an_option_of_one_command_is_not_enough_for_another(self):
        page = PAGE.replace(".It Fl -type Cm public | confidential\n", "") + ".It Fl -type\n"
        self.assertIn("`prog client add`", self.found(page)[0])


if __name__ == "__main__":
    unittest.main()
