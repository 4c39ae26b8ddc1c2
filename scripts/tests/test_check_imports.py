"""Plants bad imports in a small package and sees `check-imports` name each."""

import importlib.machinery
import importlib.util
import json
import pathlib
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "check-imports"


def load():
    loader = importlib.machinery.SourceFileLoader("check_imports", str(SCRIPT))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


check = load()

TABLE = """
<!-- imports: begin -->
| target | what it is | may import | shows |
|---|---|---|---|
| `Words` | words | - | - |
| `Store` | rows | `Words`, `GRDB` | - |
| `Door` | frames | `Words`, `NIO*` | `NIOCore` |
<!-- imports: end -->
"""


def target(name, *dependencies, kind="regular", path=None):
    return {
        "name": name,
        "type": kind,
        "path": path,
        "dependencies": [{"byName": [dependency, None]} for dependency in dependencies],
    }


class CheckImports(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.targets = [
            target("Words", "Crypto"),
            target("Store", "Words", "GRDB"),
            target("Door", "Words", "NIOCore", "NIOPosix"),
            target("TestSupport", "Words", path="Tests/TestSupport"),
            target("WordsTests", "Words", "TestSupport", kind="test"),
        ]
        self.write("docs/architecture.md", TABLE)
        self.write("Tests/TestSupport/Clock.swift", "import Words\n")
        self.write("Tests/WordsTests/WordTests.swift", "@testable import Words\n")
        self.write("Sources/Words/Word.swift", "public import Foundation\n")
        self.write("Sources/Store/Row.swift", "import GRDB\npublic import Words\n")
        self.write("Sources/Door/Frame.swift", "public import NIOCore\nimport NIOPosix\nimport struct Words.Word\n")

    def write(self, path, text):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def found(self):
        rows = check.read_table((self.root / "docs/architecture.md").read_text())
        return list(check.problems(self.root, {"targets": self.targets}, rows))

    def assertFound(self, *parts):
        found = self.found()
        self.assertEqual(len(found), 1, found)
        for part in parts:
            self.assertIn(part, found[0])

    def test_a_tree_as_the_table_says_has_no_problem(self):
        self.assertEqual(self.found(), [])

    def test_a_planted_import_of_a_sibling_is_found_with_its_line(self):
        self.write("Sources/Words/Bad.swift", "import Foundation\n\n@preconcurrency internal import Store\n")
        self.assertFound("Sources/Words/Bad.swift:3", "`Words` imports `Store`")

    def test_a_planted_import_of_one_declaration_is_found(self):
        self.write("Sources/Words/Bad.swift", "import class GRDB.Database\n")
        self.assertFound("Sources/Words/Bad.swift:1", "`GRDB`")

    def test_an_import_in_a_folder_below_is_found(self):
        self.write("Sources/Words/Deep/Bad.swift", "import NIOCore\n")
        self.assertFound("Sources/Words/Deep/Bad.swift:1")

    def test_an_import_between_conditions_is_found(self):
        self.write("Sources/Words/Bad.swift", "#if os(Linux)\n    import NIOCore\n#endif\n")
        self.assertFound("Sources/Words/Bad.swift:2")

    def test_an_import_that_is_only_spoken_of_is_none(self):
        self.write("Sources/Words/Fine.swift", '/* import GRDB\nimport NIOCore */\n// import GRDB\nlet a = """\nimport GRDB\n"""\n')
        self.assertEqual(self.found(), [])

    def test_a_planted_dependency_is_found(self):
        self.targets[0] = target("Words", "GRDB")
        self.assertIn("which its row in docs/architecture.md does not allow", "".join(self.found()))

    def test_a_dependency_that_no_file_imports_is_found(self):
        self.write("Sources/Door/Frame.swift", "public import NIOCore\nimport NIOPosix\n")
        self.assertFound("Package.swift", "`Door` depends on `Words`, which none of its files imports")

    def test_a_dependency_of_a_test_that_no_file_imports_is_found(self):
        self.targets[4] = target("WordsTests", "Words", "Store", kind="test")
        self.assertFound("`WordsTests` depends on `Store`, which none of its files imports")

    def test_a_test_may_depend_on_a_program_that_it_runs(self):
        self.targets[4] = target("WordsTests", "Words", "tool", kind="test")
        self.targets.append(target("tool", "Words", kind="executable", path="Examples/tool"))
        self.write("Examples/tool/main.swift", "import Words\n")
        self.assertEqual(self.found(), [])

    def test_an_import_that_the_manifest_does_not_list_is_found(self):
        self.targets[1] = target("Store", "GRDB")
        self.assertFound("Sources/Store/Row.swift:2", "Package.swift does not list")

    def test_a_face_that_shows_a_library_is_found(self):
        self.write("Sources/Store/Row.swift", "public import GRDB\nimport Words\n")
        self.assertFound("the face of `Store` shows `GRDB`")

    def test_test_support_stays_in_tests(self):
        self.write("Sources/Store/Bad.swift", "import TestSupport\n")
        self.assertFound("as only a test may")

    def test_a_testable_import_stays_in_tests(self):
        self.write("Sources/Store/Bad.swift", "@testable import Words\n")
        self.assertFound("as only a test may")

    def test_a_target_without_a_row_is_found(self):
        self.targets.append(target("Extra"))
        self.assertFound("target `Extra` has no row")

    def test_a_row_without_a_target_is_found(self):
        self.write("docs/architecture.md", TABLE.replace("| `Door`", "| `Gone` | - | - | - |\n| `Door`"))
        self.assertFound("`Gone` is no target")

    def test_a_row_that_allows_what_does_not_exist_is_found(self):
        self.write("docs/architecture.md", TABLE.replace("`Words`, `GRDB`", "`Words`, `GRDB`, `Wrods`"))
        self.assertFound("`Wrods`, which does not exist")

    def test_two_rows_for_one_target_are_refused(self):
        self.write("docs/architecture.md", TABLE.replace("| `Door`", "| `Words` | - | - | - |\n| `Door`"))
        with self.assertRaises(ValueError):
            self.found()

    def test_the_command_says_every_problem_and_exits_1(self):
        self.write("Sources/Words/Bad.swift", "import GRDB\n")
        self.write("manifest.json", json.dumps({"targets": self.targets}))
        arguments = ["--root", str(self.root), "--manifest", str(self.root / "manifest.json")]
        self.assertEqual(check.main(arguments), 1)
        (self.root / "Sources/Words/Bad.swift").unlink()
        self.assertEqual(check.main(arguments), 0)


if __name__ == "__main__":
    unittest.main()
