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

    @Test("every refusal of the daemon has its German") func refusals() throws {
        let targets = [
            "Broker", "Flows", "Attempts", "Authority", "Administration", "StoreRefusals", "BrokerRPC",
        ]
        let found = try literals(targets).filter { $0.literal.before.contains(/Refusal\(\s*\.\w+,\s*$/) }
        #expect(found.count > 80)
        for (path, literal) in found { expectGerman(path, literal) }
    }

    @Test(
        "what varies stays, what is a sentence itself is said in German, and what no table has stays as it is",
        arguments: [
            ("there is no policy b2c_1_x", "eine Richtlinie b2c_1_x gibt es nicht"),
            (
                "the token cache is busy; try again",
                "der Zwischenspeicher der Token ist beschäftigt; versuchen Sie es noch einmal"
            ),
            ("policy a does not grant b/c", "die Richtlinie a erteilt b/c nicht"),
            ("nothing that a table has", "nothing that a table has"), ("", ""),
        ]
    )
    func sentences(_ english: String, _ german: String) {
        #expect(ErrorText(english).german == german)
        #expect(Text(exactly: english).text(in: .english) == english)
        #expect(Text(exactly: english).text(in: .german) == german)
    }

    @Test("no table says a sentence twice, and each German has what the English has") func tables() {
        let all = ErrorText.ofDaemons + ErrorText.ofOutside
        #expect(Set(all.map(\.0)).count == all.count)
        for (english, german) in all {
            #expect(english != german)
            #expect(english.matches(of: /\{\}/).count == german.matches(of: /\{\}/).count, "\(english)")
        }
    }
}
