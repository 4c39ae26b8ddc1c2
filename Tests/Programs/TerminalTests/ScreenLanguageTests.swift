import FlowModel
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
        #expect(ScreenLanguage(environment: environment).rawValue == language)
    }

    @Test("a daemon is asked for the language that the command line speaks, else for the person's best")
    func tag() {
        #expect(ScreenLanguage.tag(environment: ["LANG": "fr_FR", "LANGUAGE": "fr:de_AT"])?.rawValue == "de-at")
        #expect(ScreenLanguage.tag(environment: ["LANG": "fr_FR", "LANGUAGE": "fr:it"])?.rawValue == "fr")
        #expect(ScreenLanguage.tag(environment: ["LANG": "C"]) == nil)
    }

    @Test("a name that means nothing, or several things, is told of each kind", arguments: UniquePrefix.Kind.allCases)
    func prefixes(_ kind: UniquePrefix.Kind) {
        for text in [PrefixText.none(kind, "<x>"), .several(kind, "<x>", 77)] {
            let (english, german) = (text.text(in: .english), text.text(in: .german))
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
            ("The value 'x' is invalid for '--limit <limit>'", "'x' ist kein Wert von '--limit <limit>'"),
            (
                "The value 'x' is invalid for '--type <type>'. Please provide one of 'public' and 'confidential'.",
                "'x' ist kein Wert von '--type <type>'"
            ),
            ("The value 'x' is invalid for '--due <due>': ein Datum", "'x' ist kein Wert von '--due <due>': ein Datum"),
            ("sagen Sie, was zu tun ist", "sagen Sie, was zu tun ist"),
        ]
    )
    func usage(_ english: String, _ german: String) {
        #expect(UsageText(english).text(in: .german) == german)
        #expect(UsageText(english).text(in: .english) == english)
    }

    @Test("a help screen has its sentences, titles and values in the other language, wrapped where a line ends")
    func help() {
        let screen = HelpScreen(
            ["Add it.": "Legt es an.", "Which one.": "Genau die, welche hier gemeint ist.", "default: ": "sonst: "],
            titles: ["OVERVIEW": "ÜBERBLICK", "OPTIONS": "OPTIONEN"],
            width: 52
        )
        let english = """
            OVERVIEW: Add it.

            USAGE: tasks add

            OPTIONS:
              --id <id>               Which one. (default: 7)
              --a-name-that-is-too-long <x>
                                      Which one.
              --other                 Something else.
            """
        let german = """
            ÜBERBLICK: Legt es an.

            USAGE: tasks add

            OPTIONEN:
              --id <id>               Genau die, welche hier
                                      gemeint ist. (sonst: 7)
              --a-name-that-is-too-long <x>
                                      Genau die, welche hier
                                      gemeint ist.
              --other                 Something else.
            """
        #expect(screen.translated(english) == german)
    }

    @Test("no German sentence is the English one, and both have the same values") func translated() {
        let texts: [TerminalText] = [
            .optional, .yesOrNoOptions, .again(label: "<x>"), .notTheSame, .lastAttempt, .attemptsLeft(77),
            .action("create"), .action("resend"), .action("back"), .action("<x>"), .timeEnded,
            .yesOrNo, .noDate,
            .signInWithBrowser(address: "<x>"), .browserWords(["<x>"]), .cancelled, .signedOut(program: "<x>"),
            .proofMissing, .runInTerminal, .noTerminal(questions: "<x>"), .runInTerminalOrWith(options: ["<x>"]),
            .noLine(label: "<x>"), .unknownAnswer(name: "<x>"), .asksFor(names: ["<x>"]), .secretName("<x>"),
            .nothingAskedForIt(name: "<x>"), .retry(seconds: 77), .signInBy(command: "<x>"), .accountsLists, .doctor,
            .severalAccounts(77), .account(option: "<x>", username: "77"), .signedOutMeanwhile,
            .noCommand("<x>", nearest: nil), .noCommand("<x>", nearest: "77"), .notInThisVersion("<x>"),
            .help(command: "<x>"), .noSecrets, .longLine, .browserOrDevice, .signedIn("<x>"), .signedUp("<x>"),
            .tokens(77), .sessions(77), .flows(77), .signedOutOf(removed: ["<x>"]), .left("<x>"), .accountHeading,
            .usernameHeading, .nameHeading, .policiesHeading,
        ]
        for text in texts {
            let (english, german) = (text.text(in: .english), text.text(in: .german))
            #expect(english != german)
            for value in ["<x>", "77"] { #expect(english.contains(value) == german.contains(value), "\(german)") }
        }
    }
}
