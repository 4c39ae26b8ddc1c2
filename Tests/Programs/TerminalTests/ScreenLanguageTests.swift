import FlowModel
import Localization
import Testing

@testable import Terminal

@Suite(.timeLimit(.minutes(1)))
struct ScreenLanguageTests {
    @Test(
        "the person's language is the first of the environment's that there is, else English",
        arguments: [
            ([:], "en"), (["LANG": "de_DE.UTF-8"], "de"), (["LC_MESSAGES": "de_AT", "LANG": "en_US.UTF-8"], "de"),
            (["LC_ALL": "en_GB", "LC_MESSAGES": "de_DE"], "en"), (["LANG": "fr_FR", "LANGUAGE": "fr:de:en"], "de"),
            (["LANG": "en_US", "LANGUAGE": "de_DE"], "de"), (["LANG": "C", "LANGUAGE": "de"], "en"),
            (["LANGUAGE": "de"], "en"), (["LANG": "fr_FR.UTF-8"], "en"), (["LANG": "de_DE", "LANGUAGE": ""], "de"),
        ] as [([String: String], String)]
    )
    func environment(_ environment: [String: String], _ language: String) {
        #expect(ScreenLanguage.of(environment).rawValue == language)
    }

    @Test("a daemon is asked for the language that the command line speaks, else for the person's best")
    func tag() {
        #expect(ScreenLanguage.tag(environment: ["LANG": "fr_FR", "LANGUAGE": "fr:de_AT"])?.rawValue == "de-at")
        #expect(ScreenLanguage.tag(environment: ["LANG": "fr_FR", "LANGUAGE": "fr:it"])?.rawValue == "fr")
        #expect(ScreenLanguage.tag(environment: ["LANG": "C"]) == nil)
    }

    @Test("a name that means nothing, or several things, is told of each kind", arguments: UniquePrefix.Kind.allCases)
    func prefixes(_ kind: UniquePrefix.Kind) {
        for text in [kind.none("<x>"), kind.several("<x>", 77)] {
            let (english, german) = (text.words(in: .english), text.words(in: .german))
            #expect(english != german && english.contains("<x>") && german.contains("<x>"))
        }
    }

    @Test(
        "the argument parser's sentences are told in German with their values; others stay as they are",
        arguments: [
            ("Unknown option '--x'", "eine Option '--x' gibt es nicht"),
            ("Unknown option '--al'. Did you mean '--all'?", "eine Option '--al' gibt es nicht; meinten Sie '--all'?"),
            ("Missing expected argument '<text> ...'", "es fehlt <text> ..."),
            ("Missing value for '--id <id>'", "es fehlt der Wert von '--id <id>'"),
            ("Unexpected argument 'x'", "'x' ist zu viel"),
            ("2 unexpected arguments: 'x', 'y'", "zu viel ist 'x', 'y'"),
            ("The value 'x' is invalid for '--limit <limit>'", "'x' ist kein Wert für '--limit <limit>'"),
            (
                "The value 'x' is invalid for '--type <type>'. Please provide one of 'public' and 'confidential'.",
                "'x' ist kein Wert für '--type <type>'"
            ),
            ("The value 'x' is invalid for '--due <due>': ein Datum", "'x' ist kein Wert für '--due <due>': ein Datum"),
            ("geben Sie an, was zu tun ist", "geben Sie an, was zu tun ist"),
        ]
    )
    func usage(_ english: String, _ german: String) {
        #expect(UsageText.text(english, in: .german) == german)
        #expect(UsageText.text(english, in: .english) == english)
    }

    @Test("a help screen has the parser's titles and words in the other language, and is wrapped where a line ends")
    func help() {
        let english = """
            OVERVIEW: Legt es an.

            USAGE: tasks add --a-name-that-is-too-long-for-a-line-of-the-screen

            OPTIONS:
              --id <id>               Genau die, welche hier gemeint ist. (default: 7)
              --format <format>       So. (values: json, csv; default: json)
              --type <type>           So. (values: public, confidential)
              --a-name-that-is-too-long <x>
                                      Genau die, welche hier gemeint ist.
              -h, --help              Show help information.

              See 'tasks help <subcommand>' for detailed help.
            """
        let german = """
            ÜBERBLICK: Legt es an.

            AUFRUF: tasks add --a-name-that-is-too-long-for-a-line-of-the-screen

            OPTIONEN:
              --id <id>               Genau die, welche hier
                                      gemeint ist. (sonst: 7)
              --format <format>       So. (Werte: json, csv;
                                      sonst: json)
              --type <type>           So. (Werte: public,
                                      confidential)
              --a-name-that-is-too-long <x>
                                      Genau die, welche hier
                                      gemeint ist.
              -h, --help              Zeigt diese Hilfe.

              Mehr sagt 'tasks help <subcommand>'.
            """
        #expect(HelpScreen(.german, width: 52).translated(english) == german)
    }

    @Test("what a terminal says has its own form for none, one and several") func numbers() {
        #expect(Text.noAction(":x", offered: []).english == "There is no :x here.")
        #expect(Text.noAction(":x", offered: [":a"]).english == "There is no :x here; there is :a.")
        #expect(Text.noAction(":x", offered: [":a", ":b"]).english == "There is no :x here; there are :a and :b.")
        #expect(
            Text.noAction(":x", offered: [":a", ":b"]).words(in: .german) == ":x gibt es hier nicht; es gibt :a und :b."
        )
        #expect(Text.openedBy("ann", uid: 7).english.hasPrefix("Opened by ann (uid 7)."))
        #expect(Text.openedBy(nil, uid: 7).english.hasPrefix("Opened by uid 7."))
        #expect(
            Text.noCommand("tasks lst", nearest: "list").english
                == "there is no command `tasks lst`; did you mean `list`?"
        )
        #expect(Text.noCommand("tasks x", nearest: nil).english == "there is no command `tasks x`")
        #expect(Text.action("<x>").english == "Type :<x> instead of an answer.")
    }
}
