import importlib.machinery
import importlib.util
import pathlib
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "check-texts"
LOADER = importlib.machinery.SourceFileLoader("check_texts", str(SCRIPT))
check = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_texts", LOADER))
LOADER.exec_module(check)

ENGLISH = '{"a.b": "There is no {name} here", "a.n": "{count} tokens", "a.n.one": "1 token", "cli.x": "x"}'
GERMAN = '{"a.b": "Es gibt kein {name} hier", "a.n": "Token: {count}", "cli.x": "y"}'
SENTENCES = {"a.b": "There is no {name} here", "a.n": "{count} tokens", "a.n.one": "1 token", "cli.x": "x"}


class CatalogTests(unittest.TestCase):
    def problems(self, english=ENGLISH, german=GERMAN):
        return check.catalog_problems({"en": english, "de": german})[0]

    def test_good(self):
        self.assertEqual(self.problems(), [])

    def test_bad(self):
        for german, expected in [
            (GERMAN.replace('"a.b"', '"a.c"'), ["de.json has a.c", "de.json lacks a.b"]),
            (GERMAN.replace("{name}", "{nom}"), ["de.json: a.b has the parameters nom, in en.json name"]),
            (GERMAN.replace("Es gibt kein {name} hier", "There is no {name} here"), ["a.b is not translated"]),
            (GERMAN.replace('"y"', '""'), ["cli.x has no sentence"]),
            (GERMAN.replace('"y"', "1"), ["cli.x has no sentence"]),
            (GERMAN.replace('"y"', '"\\u00e4"'), ["written as the character itself"]),
            (GERMAN.replace("}\n", ""), []),
            (GERMAN[:-1] + ', "cli.x": "z"}', ["cli.x is repeated"]),
            (GERMAN[:-1] + ', "a.b.one": "eins"}', []),
            (GERMAN[:-1] + ', "a.b.one": "{other}"}', ["a.b.one has other parameters than a.b"]),
            (GERMAN[:-1] + ', "c.one": "eins"}', ["de.json has c.one"]),
            (GERMAN[:-1] + ', "A B": "eins"}', ["A B is not a valid key", "de.json has A B"]),
            (GERMAN.replace("{count}", "{the count}"), ["{the count} is not a valid parameter", "a.n has the parameters"]),
            (GERMAN.replace('"y"', '"a \\\\ b \\"c\\""'), []),
            (GERMAN.replace('"y"', '"a \\t b"'), ["\\t must be written as the character itself"]),
            (GERMAN[:-1], ["de.json: Expecting"]),
        ]:
            with self.subTest(german):
                found = self.problems(german=german)
                self.assertEqual(len(found) > 0, len(expected) > 0, found)
                for part in expected:
                    self.assertTrue(any(part in problem for problem in found), found)


    def test_reasons_are_said_once(self):
        def problems(first, second):
            english = f'{{"{first}": "There is nothing here", "{second}": "There is nothing here"}}'
            german = f'{{"{first}": "Hier gibt es nichts", "{second}": "Da ist nichts"}}'
            return self.problems(english, german)

        self.assertEqual(problems("refusal.none", "failure.none"), ["en.json: refusal.none is the sentence failure.none"])
        self.assertEqual(problems("refusal.none", "cli.none"), [])


class CallTests(unittest.TestCase):
    def problems(self, source):
        return check.call_problems("a.swift", source, SENTENCES)

    def test_good(self):
        for source in [
            'Text("a.b", ["name": f(1, "x, y")])', 'Text("a.n", ["count": 1])', 'Text("cli.x")', 'Text(exactly: "cli")',
            'Text(is ? "cli.x" : "cli.x").text', 'help: .text("cli.x")', '.text("\\(x).b")', 'Text("a.b", values)',
            'texts.text("a.b")', 'RichText("none")', '// Text("none")', 'Text("a.b", [\n  "name": "\\(g(["x": 1]))"\n])',
            'let x = #"Text("none")"#', 'Text("cli.x", ["count": 2])',
        ]:
            with self.subTest(source):
                self.assertEqual(self.problems(source), [])

    def test_bad(self):
        for source, expected in [
            ('Text("none")', "there is no text none"), ('x("cli.none")', "there is no text cli.none"),
            ('Text(is ? "cli.x" : "a.none")', "there is no text a.none"), ('Text("a.b")', "is given none"),
            ('Text("a.b", ["nom": 1])', "is given nom"), ('Text("cli.x", ["name": 1])', "is given name"),
            ('.init("x", "a.b")', "is given none"), ('EnglishText("x", "a.c")', "there is no text a.c"),
            ('.init("x", "a.b", ["nom": 1])', "is given nom"),
            ('texts.sentence("a.c")', "there is no text a.c"), ('help: .text("help.y")', "there is no text help.y"),
        ]:
            with self.subTest(source):
                found = self.problems("\n" + source)
                self.assertEqual(len(found), 1, found)
                self.assertIn(expected, found[0])
                self.assertTrue(found[0].startswith("a.swift:2: "))


class EnglishTests(unittest.TestCase):
    def problems(self, source):
        return check.english_problems("a.swift", source, SENTENCES)

    def test_good(self):
        for source in [
            'EnglishText("There is no \\(a(b, "c")) here", Text("a.b", ["name": x]))', 'EnglishText("1 token", Text("a.n", ["count": 1]))',
            'EnglishText("\\(n) tokens", Text("a.n", ["count": n]))', 'EnglishText(exactly: "anything else")',
            'EnglishText(\n  "x",\n  Text("cli.x")\n)', 'EnglishText(of: error)', 'EnglishText(words, text)',
            '.init("There is no \\(a) here", "a.b", ["name": a])', 'EnglishText("x", "cli.x")', '.init(a: "y", b: "cli.x")',
        ]:
            with self.subTest(source):
                self.assertEqual(self.problems(source), [])

    def test_bad(self):
        for source in [
            'EnglishText("There is nothing here", Text("a.b", ["name": x]))', 'EnglishText("\\(x) is not here", Text("a.b", ["name": x]))',
            'Invalid("y", Text("cli.x"))', '.init("y", "cli.x")', 'EnglishText("There is nothing here", "a.b", ["name": x])',
        ]:
            with self.subTest(source):
                found = self.problems("\n" + source)
                self.assertEqual(len(found), 1, found)
                self.assertTrue(found[0].startswith("a.swift:2: "), found)


class UseTests(unittest.TestCase):
    def used(self, source, keys):
        return check.used_keys([source], {key: "x" for key in keys})

    def test_used(self):
        for source, keys in [
            ('f("a.b")', {"a.b"}), ('f("a.\\(x).c")', {"a.b.c", "a.d.c"}), ('f("a.b"); g("\\(x).title")', {"a.b.title"}),
            ('f("a.b")', {"a.b", "a.b.one"}),
        ]:
            with self.subTest(source):
                self.assertEqual(self.used(source, keys | {"other"}), keys)

    def test_patterns_of_holes_alone_use_nothing(self):
        self.assertEqual(self.used('f("\\(a).\\(b)"); g("a")', {"a.b"}), set())


class SentenceTests(unittest.TestCase):
    def test_sentences(self):
        self.assertEqual(len(check.sentence_problems("A.swift", 'throw f("there is no \\(x) here")')), 1)
        for source in [
            'logger.info("there is no \\(x) here")', 'throw TokenError(.expired, "there is no such file")',
            'throw Self.broken(hook, "there is no such file")',
        ]:
            with self.subTest(source):
                self.assertEqual(check.sentence_problems("A.swift", source), [])
        for source in ['f("there is")', 'f("GET /readyz HTTP/1.1 now")', 'precondition(x, "there is no such file")', '// "there is no x"']:
            with self.subTest(source):
                self.assertEqual(check.sentence_problems("A.swift", source), [])
        self.assertEqual(check.sentence_problems("ClientShow.swift", 'f("there is no \\(x) here")'), [])


class OneLanguageTests(unittest.TestCase):
    def test_good(self):
        for source in [
            'Refusal(.blocked, Text("a.b", ["name": x])).because("the cause of it all")', 'Text(exactly: problem.text)',
            'Text(exactly: name)', 'Text(exactly: "\\(x): \\(y)")', 'RichText(exactly: "there is no such file")', 'Text("a.b")',
            '// Text(exactly: "there is no such file")', 'self.init(name, "there is no such file")',
        ]:
            with self.subTest(source):
                self.assertEqual(check.exact_problems("A.swift", source), [])

    def test_bad(self):
        for source in [
            'Refusal(.blocked, Text(exactly: "there is no such file"))', 'Text(exactly: x ?? "there is no such file")',
            'Refusal(.blocked, Text("a.b", ["name": "there is no such file"]))',
            'InvalidParameters(Text(exactly: "there is no \\(x)"))', '.invalidParams(Text(\n  exactly: "there is no such file"\n))',
            'let text: Text = .init(exactly: "there is no such file")',
        ]:
            with self.subTest(source):
                found = check.exact_problems("A.swift", "\n" + source)
                self.assertEqual(len(found), 1, found)
                self.assertIn("a sentence in one language", found[0])


class SourceTests(unittest.TestCase):
    def test_the_tree_is_clean(self):
        self.assertEqual(check.main(), 0)


if __name__ == "__main__":
    unittest.main()
