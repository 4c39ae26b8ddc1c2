import FlowModel
import Localization
import Testing

@testable import Terminal

@Suite(.timeLimit(.minutes(1)))
struct ScreenLanguageTests {
    @Test(
        "the user's language is the first available one of the environment, else English",
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

    @Test("the daemon gets the command line's language, else the user's preferred one")
    func tag() {
        #expect(ScreenLanguage.tag(environment: ["LANG": "fr_FR", "LANGUAGE": "fr:de_AT"])?.rawValue == "de-at")
        #expect(ScreenLanguage.tag(environment: ["LANG": "fr_FR", "LANGUAGE": "fr:it"])?.rawValue == "fr")
        #expect(ScreenLanguage.tag(environment: ["LANG": "C"]) == nil)
    }

    @Test("an unknown or ambiguous name is reported for each kind", arguments: UniquePrefix.Kind.allCases)
    func prefixes(_ kind: UniquePrefix.Kind) {
        for text in [kind.none("<x>"), kind.several("<x>", 77)] {
            let (english, german) = (text.words(in: .english), text.words(in: .german))
            #expect(english != german && english.contains("<x>") && german.contains("<x>"))
        }
    }

    @Test(
        "the argument parser's messages are German with their values, and others are unchanged",
        arguments: [
            ("Unknown option '--x'", "Eine Option '--x' gibt es nicht"),
            ("Unknown option '--al'. Did you mean '--all'?", "Eine Option '--al' gibt es nicht. Meinten Sie '--all'?"),
            ("Missing expected argument '<text> ...'", "Es fehlt <text> ..."),
            ("Missing value for '--id <id>'", "Es fehlt der Wert von '--id <id>'"),
            ("Unexpected argument 'x'", "'x' ist zu viel"),
            ("2 unexpected arguments: 'x', 'y'", "Zu viel ist 'x', 'y'"),
            ("The value 'x' is invalid for '--limit <limit>'", "'x' ist kein Wert für '--limit <limit>'"),
            (
                "The value 'x' is invalid for '--type <type>'. Please provide one of 'public' and 'confidential'.",
                "'x' ist kein Wert für '--type <type>'. Möglich sind 'public', 'confidential'."
            ),
            (
                "The value 'x' is invalid for '<operation>'. Please provide one of 'get', 'store' or 'erase'.",
                "'x' ist kein Wert für '<operation>'. Möglich sind 'get', 'store', 'erase'."
            ),
            ("The value 'x' is invalid for '--due <due>': ein Datum", "'x' ist kein Wert für '--due <due>': ein Datum"),
            (
                "Der Text der Aufgabe fehlt. Rufen Sie `tasks add TEXT` auf.",
                "Der Text der Aufgabe fehlt. Rufen Sie `tasks add TEXT` auf."
            ),
        ]
    )
    func usage(_ english: String, _ german: String) {
        #expect(UsageText.text(english, in: .german) == german)
        #expect(UsageText.text(english, in: .english) == english)
    }

    @Test("a help screen has the parser's headings in the other language, wrapped at the line's width")
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

            KONTO SUBCOMMANDS:
              use                     Wählt eines.

              See 'tasks help <subcommand>' for detailed help.
            """
        let german = """
            ÜBERBLICK: Legt es an.

            AUFRUF: tasks add --a-name-that-is-too-long-for-a-line-of-the-screen

            OPTIONEN:
              --id <id>               Genau die, welche hier
                                      gemeint ist. (Standard: 7)
              --format <format>       So. (Werte: json, csv;
                                      Standard: json)
              --type <type>           So. (Werte: public,
                                      confidential)
              --a-name-that-is-too-long <x>
                                      Genau die, welche hier
                                      gemeint ist.
              -h, --help              Zeigt diese Hilfe.

            KONTO:
              use                     Wählt eines.

              Mehr zu einem Befehl: 'tasks help <subcommand>'
            """
        #expect(HelpScreen(.german, width: 52).translated(HelpScreen.withShortHeadings(english)) == german)
    }

    @Test("a message has separate forms for none, one and several") func numbers() {
        #expect(Text.noAction(":x", offered: []).english == ":x is not available here.")
        #expect(Text.noAction(":x", offered: [":a"]).english == ":x is not available here. Available: :a.")
        let several = Text.noAction(":x", offered: [":a", ":b"])
        #expect(several.english == ":x is not available here. Use one of :a and :b.")
        #expect(several.words(in: .german) == ":x gibt es hier nicht. Möglich sind :a und :b.")
        #expect(Text.openedBy("ann", uid: 7).english.hasPrefix("The link was opened by ann (uid 7)."))
        #expect(Text.openedBy(nil, uid: 7).english.hasPrefix("The link was opened by uid 7."))
        #expect(
            Text.noCommand("tasks lst", nearest: "list").english
                == "There is no command `tasks lst`. Did you mean `list`?"
        )
        #expect(Text.noCommand("tasks x", nearest: nil).english == "There is no command `tasks x`.")
        #expect(Text.action("<x>").english == "You can type :<x> instead of an answer.")
    }
}
