"""Tests that `check-types` reports types that are too large, and what it does not count."""

import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import tempfile
import unittest

PATH = pathlib.Path(__file__).resolve().parent.parent / "check-types"
LOADER = importlib.machinery.SourceFileLoader("check_types", str(PATH))
SPEC = importlib.util.spec_from_loader("check_types", LOADER)
check = importlib.util.module_from_spec(SPEC)
LOADER.exec_module(check)


def functions(number, name="f"):
    return "".join(f"    func {name}{each}() {{}}\n" for each in range(number))


def properties(number):
    return "".join(f"    let p{each}: Int\n" for each in range(number))


class CheckTypesTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, text, path="Broker/Broker/Broker.swift"):
        path = self.root / "Sources" / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def counted(self, text, name="Broker.Broker"):
        self.write(text)
        found = check.types(self.root)[name]
        return found.functions, found.properties

    def problems(self, exceptions=()):
        return list(check.problems(check.types(self.root), dict(exceptions)))

    def assertOne(self, found, *parts):
        self.assertEqual(len(found), 1, found)
        for part in parts:
            self.assertIn(part, found[0])

    def test_thirty_functions_are_allowed_and_one_more_is_not(self):
        self.write("struct Broker {\n" + functions(30) + "}\n")
        self.assertEqual(self.problems(), [])
        self.write("struct Broker {\n" + functions(31) + "}\n")
        self.assertOne(self.problems(), "Broker.swift:1", "`Broker.Broker`", "31 functions")

    def test_extensions_and_files_of_the_target_are_one_type(self):
        self.write("public actor Broker {\n" + functions(20) + "}\n")
        self.write("extension Broker {\n" + functions(11, "g") + "}\n", "Broker/Broker/Tokens/Broker+Tokens.swift")
        self.assertOne(self.problems(), "`Broker.Broker`", "31 functions")

    def test_a_type_of_the_same_name_in_another_target_is_another(self):
        self.write("struct Broker {\n" + functions(20) + "}\n")
        self.write("struct Broker {\n" + functions(20) + "}\n", "Broker/BrokerAPI/Broker.swift")
        self.assertEqual(self.problems(), [])

    def test_what_is_added_to_a_type_of_elsewhere_is_not_counted(self):
        self.write("extension String {\n" + functions(31) + "}\n")
        self.assertEqual(self.problems(), [])

    def test_thirteen_properties_are_one_too_many_beside_six_functions(self):
        self.write("struct Broker {\n" + properties(13) + functions(5) + "}\n")
        self.assertEqual(self.problems(), [])
        self.write("struct Broker {\n" + properties(12) + functions(6) + "}\n")
        self.assertEqual(self.problems(), [])
        self.write("struct Broker {\n" + properties(13) + functions(6) + "}\n")
        self.assertOne(self.problems(), "13 stored properties and 6 functions")

    def test_a_function_inside_a_function_and_an_initializer_are_not_counted(self):
        text = """struct Broker {
            init() { func inner() {} }
            subscript(_ name: String) -> Int { 1 }
            func outer() {
                func inner() {}
                let value = 1
            }
        }"""
        self.assertEqual(self.counted(text), (["outer"], []))

    def test_only_stored_properties_of_the_instance_are_counted(self):
        text = """final class Broker: Sendable {
            static let shared = 1
            private static var other: Int { 1 }
            let one: Int, two: [String: Int]
            public private(set) var three: Result<Int, any Error>
            var four: (Int, Int) -> Int = { $0 + $1 }
            var five: Int {
                didSet { print(five) }
            }
            lazy var six = { let seven = 7; return seven }()
            let closure: @Sendable (
                _ name: String
            ) async throws -> Void

            var computed: Int { 1 }
            var name: String {
                get { "" }
            }
            enum Kind { case one }
            func use() {}
        }"""
        self.assertEqual(self.counted(text), (["use"], ["one", "two", "three", "four", "five", "six", "closure"]))

    def test_a_nested_type_has_its_own_count(self):
        text = """enum Broker {
            case one
            struct Inner { let a: Int; func b() {} }
            func c() {}
        }
        extension Broker.Inner { func d() {} }
        extension Broker { class Other { func e() {} } }"""
        self.assertEqual(self.counted(text), (["c"], []))
        self.assertEqual(self.counted(text, "Broker.Broker.Inner"), (["b", "d"], ["a"]))
        self.assertEqual(self.counted(text, "Broker.Broker.Other"), (["e"], []))

    def test_comments_strings_and_regular_expressions_are_no_code(self):
        text = r'''struct Broker {
            // func a() {
            /* func b() { /* } */ { */
            let text = "{ \(map["}"] ?? "\"") func c() {"
            let raw = #"\(" { "#
            let long = """
                { "func" d() {
                \(one.map { "{\($0)" })
                """
            let expression = /["{]+/
            let half = one / two
            func e() -> Int { one / two / three }
        }'''
        self.assertEqual(self.counted(text), (["e"], ["text", "raw", "long", "expression", "half"]))

    def test_names_that_are_words_of_the_language(self):
        text = """struct Broker {
            let actor: String
            let `func`: Int
            func `class`(struct value: Int) {}
            func f() { self.actor.extension(value) }
            class func g() {}
        }"""
        self.assertEqual(self.counted(text), (["class", "f", "g"], ["actor", "func"]))

    def test_braces_that_do_not_match_are_a_problem(self):
        self.write("struct Broker {\n    func f() {\n}\n")
        with contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertEqual(check.main(["--root", str(self.root)]), 1)
        self.assertIn("Broker.swift: a brace is not closed", said.getvalue())

    def test_an_exception_is_needed_has_a_reason_and_names_a_type(self):
        self.write("struct Broker {\n" + functions(31) + "}\nstruct Small {}\n")
        self.assertEqual(self.problems({"Broker.Broker": "one table"}), [])
        self.assertOne(self.problems({"Broker.Broker": " "}), "`Broker.Broker` has no reason")
        self.assertOne(self.problems({"Broker.Broker": "one table", "Broker.Small": "none"}), "`Broker.Small` is no longer needed")
        self.assertOne(self.problems({"Broker.Broker": "one table", "Broker.Gone": "none"}), "`Broker.Gone` is no type")

    def test_there_are_at_most_five_exceptions(self):
        names = [f"Large{number}" for number in range(6)]
        self.write("".join(f"struct {name} {{\n{functions(31)}}}\n" for name in names))
        exceptions = {f"Broker.{name}": "one table" for name in names}
        self.assertOne(self.problems(exceptions), "6 exceptions")
        del exceptions["Broker.Large5"]
        self.assertOne(self.problems(exceptions), "`Broker.Large5` has 31 functions")


if __name__ == "__main__":
    unittest.main()
