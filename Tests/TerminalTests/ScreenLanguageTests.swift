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

    @Test("no German sentence is the English one, and both have the same values") func translated() {
        let texts: [TerminalText] = [
            .optional, .yesOrNoOptions, .again(label: "<x>"), .notTheSame, .lastAttempt, .attemptsLeft(77),
            .action("create"), .action("resend"), .action("back"), .action("<x>"), .timeEnded, .unanswered, .noAddress,
            .codeDigits(77), .notWhole, .yesOrNo, .oneOf(["<x>"]), .noDate, .tooShort(77), .tooLong(77),
            .signInWithBrowser(address: "<x>"), .browserWords(["<x>"]), .cancelled, .signedOut(program: "<x>"),
            .proofMissing, .runInTerminal, .noTerminal(questions: "<x>"), .runInTerminalOrWith(options: ["<x>"]),
            .noLine(label: "<x>"), .unknownAnswer(name: "<x>"), .asksFor(names: ["<x>"]), .secretName("<x>"),
            .nothingAskedForIt(name: "<x>"), .retry(seconds: 77), .signInBy(command: "<x>"), .accountsLists, .doctor,
        ]
        for text in texts {
            let (english, german) = (text.text(in: .english), text.text(in: .german))
            #expect(english != german)
            for value in ["<x>", "77"] { #expect(english.contains(value) == german.contains(value), "\(german)") }
        }
    }
}
