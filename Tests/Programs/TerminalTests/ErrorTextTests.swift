import FlowModel
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Terminal

/// The German of sentences that are made in English; the sources are walked, so that none can be forgotten.
@Suite(.timeLimit(.minutes(2)))
struct ErrorTextTests {
    /// The literals of the targets' files, with the path of each.
    private func literals(_ targets: [String]) throws -> [(path: String, literal: StringLiterals.Literal)] {
        var all: [(String, StringLiterals.Literal)] = []
        for target in targets {
            for file in ProjectFolder.swiftFiles(of: target) {
                let text = try String(contentsOf: file, encoding: .utf8)
                all += StringLiterals(text).all.map { (String(file.path.dropFirst(ProjectFolder.path.count + 1)), $0) }
            }
        }
        return all
    }

    /// Fails unless a table has the sentence.
    private func expectGerman(_ path: String, _ literal: StringLiterals.Literal) {
        let sample = literal.text.replacing("{}", with: "<x>")
        let german = ErrorText(sample).german
        #expect(german != sample, "\(path):\(literal.line): \(literal.text)")
        let holes = literal.text.matches(of: /\{\}/).count
        #expect(german.matches(of: /<x>/).count == holes, "\(path):\(literal.line): \(german)")
    }

    @Test("every error of the daemon's client has its German") func clients() throws {
        // A fault of a program is said to its programmer.
        let found = try literals(["BrokerClient"])
            .filter { $0.literal.isSentence && !$0.literal.before.contains("precondition(") }
        #expect(found.count > 10)
        for (path, literal) in found { expectGerman(path, literal) }
    }

    @Test(
        "what varies stays, what is a sentence itself is said in German, and what no table has stays as it is",
        arguments: [
            ("it failed (internal)", "es ist gescheitert (internal)"),
            ("a number is not a condition", "eine Zahl ist keine Bedingung"),
            ("--filter: there is no column 'x'", "--filter: eine Spalte 'x' gibt es nicht"),
            ("$filter: is too long (at position 7)", "$filter: ist zu lang (an Stelle 7)"),
            ("'a' must be one of b", "'a' muss eines von b sein"),
            ("nothing that a table has", "nothing that a table has"), ("", ""),
        ]
    )
    func sentences(_ english: String, _ german: String) {
        #expect(ErrorText(english).german == german)
        #expect(Text(exactly: english).text(in: .english) == english)
        #expect(Text(exactly: english).text(in: .german) == german)
    }

    @Test("no table says a sentence twice, and each German has what the English has") func tables() {
        let all = ErrorText.ofClients + ErrorText.ofTables
        #expect(Set(all.map(\.0)).count == all.count)
        for (english, german) in all {
            #expect(english != german)
            #expect(english.matches(of: /\{\}/).count == german.matches(of: /\{\}/).count, "\(english)")
        }
    }
}
