"""Tests that `check-imports` reports bad imports in a small package."""

import contextlib
import importlib.machinery
import importlib.util
import io
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

PAGE = """
```mermaid
flowchart LR
    BrokerClient -.->|socket| BrokerRPC
    BrokerRPC --> Words
```

<!-- imports: begin -->
| target | purpose | imports | shows |
|---|---|---|---|
| `Words` | words | - | - |
| `Rows` | rows | - | - |
| `BrokerRPC` | frames | - | - |
| `BrokerClient` | calls | - | - |
<!-- imports: end -->
"""


def target(name, wing, *dependencies, kind="regular"):
    folder = "Tests" if kind == "test" or not wing else "Sources"
    return {
        "name": name,
        "type": kind,
        "path": "/".join(part for part in (folder, wing, name) if part),
        "dependencies": [{"byName": [dependency, None]} for dependency in dependencies],
    }


class CheckImports(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.targets = {
            name: target(name, *rest)
            for name, *rest in (
                ("Words", "Foundations", "Crypto"),
                ("Rows", "Storage", "Words", "GRDB"),
                ("BrokerRPC", "Broker", "Words", "NIOCore", "NIOPosix"),
                ("BrokerClient", "Broker", "Words"),
                ("TestSupport", "", "Words"),
            )
        }
        self.targets["WordsTests"] = target("WordsTests", "Foundations", "Words", "Crypto", "TestSupport", kind="test")
        self.write("Tests/TestSupport/Clock.swift", "import Words\n")
        self.write("Tests/Foundations/WordsTests/WordTests.swift", "@testable import Words\n")
        self.write("Sources/Foundations/Words/Word.swift", "public import Foundation\n")
        self.write("Sources/Storage/Rows/Row.swift", "import GRDB\npublic import Words\n")
        self.write("Sources/Broker/BrokerRPC/Frame.swift", "public import NIOCore\nimport NIOPosix\nimport struct Words.Word\n")
        self.write("Sources/Broker/BrokerClient/Call.swift", "import Words\n")
        for wing in ("Foundations", "Storage", "Broker"):
            self.write(f"Sources/{wing}/README.md", f"# {wing}\n")
        self.write("docs/architecture.md", PAGE)
        self.rewrite()

    def write(self, path, text):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def change(self, name, wing, *dependencies, kind="regular"):
        """Changes the dependencies of a target, and the table."""
        self.targets[name] = target(name, wing, *dependencies, kind=kind)
        self.rewrite()

    def command(self, *options):
        self.write("manifest.json", json.dumps({"targets": list(self.targets.values())}))
        arguments = ["--root", str(self.root), "--manifest", str(self.root / "manifest.json"), *options]
        with contextlib.redirect_stderr(io.StringIO()):
            return check.main(arguments)

    def rewrite(self):
        self.command("--write")

    def found(self):
        package = check.Package(self.root, {"targets": list(self.targets.values())})
        return list(check.problems(package, (self.root / "docs/architecture.md").read_text()))

    def assertFound(self, *parts):
        found = self.found()
        self.assertEqual(len(found), 1, found)
        for part in parts:
            self.assertIn(part, found[0])

    def test_a_tree_as_package_swift_says_has_no_problem(self):
        self.assertEqual(self.found(), [])

    def test_the_table_is_written_from_the_dependencies(self):
        page = (self.root / "docs/architecture.md").read_text()
        self.assertIn("| `Rows` | rows | `Words`, `GRDB` | - |", page)
        self.assertIn("### Storage", page)

    def test_a_planted_import_of_a_sibling_is_found_with_its_line(self):
        self.write("Sources/Foundations/Words/Bad.swift", "import Foundation\n\n@preconcurrency internal import Rows\n")
        self.assertFound("Sources/Foundations/Words/Bad.swift:3", "`Words` imports `Rows`")

    def test_a_planted_import_of_one_declaration_is_found(self):
        self.write("Sources/Foundations/Words/Bad.swift", "import class GRDB.Database\n")
        self.assertFound("Sources/Foundations/Words/Bad.swift:1", "`GRDB`")

    def test_an_import_in_a_folder_below_is_found(self):
        self.write("Sources/Foundations/Words/Deep/Bad.swift", "import NIOCore\n")
        self.assertFound("Sources/Foundations/Words/Deep/Bad.swift:1")

    def test_an_import_between_conditions_is_found(self):
        self.write("Sources/Foundations/Words/Bad.swift", "#if os(Linux)\n    import NIOCore\n#endif\n")
        self.assertFound("Sources/Foundations/Words/Bad.swift:2")

    def test_an_import_that_is_only_spoken_of_is_none(self):
        text = '/* import GRDB\nimport NIOCore */\n// import GRDB\nlet a = """\nimport GRDB\n"""\n'
        self.write("Sources/Foundations/Words/Fine.swift", text)
        self.assertEqual(self.found(), [])

    def test_a_dependency_that_no_file_imports_is_found(self):
        self.write("Sources/Broker/BrokerClient/Call.swift", "import Foundation\n")
        self.assertFound("Package.swift", "`BrokerClient` depends on `Words`, which none of its files imports")

    def test_a_dependency_of_a_test_that_no_file_imports_is_found(self):
        self.change("WordsTests", "Foundations", "Words", "Rows", kind="test")
        self.assertFound("`WordsTests` depends on `Rows`, which none of its files imports")

    def test_a_test_may_leave_unused_what_its_target_has(self):
        self.change("Words", "Foundations", "Yams")
        self.write("Sources/Foundations/Words/Word.swift", "import Yams\n")
        self.change("WordsTests", "Foundations", "Words", "Yams", kind="test")
        self.assertEqual(self.found(), [])

    def test_a_test_may_depend_on_a_program_that_it_runs(self):
        self.change("WordsTests", "Foundations", "Words", "tool", kind="test")
        self.targets["tool"] = target("tool", "", "Words", kind="executable")
        self.write("Tests/tool/main.swift", "import Words\n")
        self.assertEqual(self.found(), [])

    def test_a_face_that_shows_a_library_is_found(self):
        self.write("Sources/Storage/Rows/Row.swift", "public import GRDB\nimport Words\n")
        self.assertFound("the public declarations of `Rows` show `GRDB`")

    def test_test_support_stays_in_tests(self):
        self.write("Sources/Storage/Rows/Bad.swift", "import TestSupport\n")
        self.assertFound("in a form that only tests may use")

    def test_a_testable_import_stays_in_tests(self):
        self.write("Sources/Storage/Rows/Bad.swift", "@testable import Words\n")
        self.assertFound("in a form that only tests may use")

    def test_a_wing_that_imports_a_later_one_is_found(self):
        self.write("Sources/Foundations/Words/Bad.swift", "import Rows\n")
        self.targets["Rows"] = target("Rows", "Storage", "GRDB")
        self.write("Sources/Storage/Rows/Row.swift", "import GRDB\n")
        self.change("Words", "Foundations", "Rows")
        self.assertFound("`Words` of Foundations depends on `Rows` of Storage")

    def test_tables_import_nothing_of_the_broker(self):
        self.targets["Tasks"] = target("Tasks", "Tables", "BrokerClient")
        self.write("Sources/Tables/Tasks/Task.swift", "import BrokerClient\n")
        self.write("Sources/Tables/README.md", "# Tables\n")
        page = (self.root / "docs/architecture.md").read_text()
        self.write("docs/architecture.md", page.replace("<!-- imports: end", "| `Tasks` | tasks | - | - |\n<!-- imports: end"))
        self.rewrite()
        self.assertFound("`Tasks` of Tables depends on `BrokerClient` of Broker")

    def test_a_client_that_reaches_a_server_through_another_target_is_found(self):
        self.write("docs/architecture.md", (self.root / "docs/architecture.md").read_text().replace(" -.->|socket| ", " "))
        self.targets["Words"] = target("Words", "Foundations", "Hummingbird")
        self.write("Sources/Foundations/Words/Word.swift", "import Hummingbird\n")
        self.rewrite()
        self.assertFound("`BrokerClient` reaches `Hummingbird`, which it must never import")

    def test_an_arrow_that_is_no_dependency_is_found(self):
        page = (self.root / "docs/architecture.md").read_text()
        self.write("docs/architecture.md", page.replace("BrokerRPC --> Words", "BrokerRPC --> Rows"))
        self.assertFound("`BrokerRPC --> Rows`, which Package.swift has not")

    def test_a_dotted_arrow_that_is_a_dependency_is_found(self):
        page = (self.root / "docs/architecture.md").read_text()
        self.write("docs/architecture.md", page.replace("BrokerRPC --> Words", "BrokerRPC -.-> Words"))
        self.assertFound("`BrokerRPC` imports `Words`")

    def test_a_page_without_a_drawing_is_found(self):
        page = (self.root / "docs/architecture.md").read_text()
        self.write("docs/architecture.md", page.replace("mermaid", "text"))
        self.assertFound("the drawing is missing")

    def test_a_table_that_is_not_what_package_swift_says_is_found(self):
        page = (self.root / "docs/architecture.md").read_text()
        self.write("docs/architecture.md", page.replace("`Words`, `GRDB`", "`Words`"))
        self.assertFound("--write writes it")

    def test_a_target_without_a_description_is_found(self):
        page = (self.root / "docs/architecture.md").read_text()
        self.write("docs/architecture.md", "\n".join(line for line in page.splitlines() if "| words |" not in line))
        self.assertIn("target `Words` has no description", "".join(self.found()))

    def test_a_target_outside_a_wing_is_found(self):
        self.targets["Words"]["path"] = "Sources/Words"
        self.assertIn("`Words` is in `Sources/Words`, which is no folder of a wing", "\n".join(self.found()))

    def test_a_folder_without_a_target_is_found(self):
        self.write("Sources/Storage/Left/Row.swift", "")
        self.assertFound("Sources/Storage/Left: is no target")

    def test_a_wing_without_a_page_is_found(self):
        (self.root / "Sources/Storage/README.md").unlink()
        self.assertFound("Sources/Storage: has no README.md")

    def test_the_command_says_every_problem_and_exits_1(self):
        self.write("Sources/Foundations/Words/Bad.swift", "import GRDB\n")
        self.assertEqual(self.command(), 1)
        (self.root / "Sources/Foundations/Words/Bad.swift").unlink()
        self.assertEqual(self.command(), 0)


if __name__ == "__main__":
    unittest.main()
