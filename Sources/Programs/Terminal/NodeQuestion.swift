import FlowModel
import Foundation
import Localization
import OAuth

/// One node of a step as it is put to a person, and its answer as the broker takes it.
struct NodeQuestion {
    let node: Node

    /// The text in front of the answer.
    var prompt: String {
        var text = PlainText.line(node.label)
        if let options = node.options { text += " (\(options.map(choice).joined(separator: ", ")))" }
        if node.kind == .bool { text += " " + Text("cli.terminal.yesOrNoOptions").text }
        if let value = node.value {
            text += " [\(PlainText.line(value.replacing("\n", with: ", ")))]"
        } else if !node.required {
            text += " " + Text("cli.terminal.optional").text
        }
        return text + ": "
    }

    /// A value to choose, and its words if it has others.
    private func choice(_ option: String) -> String {
        let words = node.words(for: option)
        return PlainText.line(words == option ? option : "\(option): \(words)")
    }

    /// The value that a person means, who types it or its words.
    private func chosen(_ text: String) -> String? {
        guard let options = node.options else { return text }
        if options.contains(text) { return text }
        let meant = options.filter { node.words(for: $0).lowercased() == text.lowercased() }
        return meant.count == 1 ? meant.first : nil
    }

    /// The parts of an answer of several.
    private func parts(_ text: String) -> [String] {
        text.split { $0 == "," || $0.isNewline }.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// The sentence that says why a text is no answer; nil for one that the broker may take.
    func problem(with text: String) -> Text? {
        switch fault(of: text) {
        case .code(let code)?: Text.problem(code, of: node)
        case .sentence(let sentence)?: sentence
        case nil: nil
        }
    }

    /// A problem that the broker knows, too, or one of what is typed at a terminal only.
    private enum Fault {
        case code(NodeProblem.Code)
        case sentence(Text)
    }

    private func fault(of text: String) -> Fault? {
        if text.isEmpty { return node.required ? .code(.missing) : nil }
        let count = text.unicodeScalars.count
        switch node.kind {
        case .email where text.wholeMatch(of: /[^\s@]+@[^\s@]+/) == nil:
            return .code(.malformed)
        case .code where node.pattern == "digits" && (count != node.minLength || text.contains { !$0.isNumber }):
            return .code(.malformed)
        case .number where Int64(text) == nil: return .code(.wrongType)
        case .bool where Self.truth(text) == nil: return .sentence(Text("cli.terminal.yesOrNo"))
        case .select where chosen(text) == nil: return .code(.notAnOption)
        case .multiselect where parts(text).contains { chosen($0) == nil }: return .code(.notAnOption)
        case .date where text.wholeMatch(of: /\d{4}-\d{2}-\d{2}/) == nil:
            return .sentence(Text("cli.terminal.noDate"))
        case .json where (try? StrictJSON.parse(Array(text.utf8)))?.object == nil: return .code(.malformed)
        case .text, .secret, .email, .number, .select, .multiselect, .bool, .date, .code, .info, .link, .image, .json:
            break
        }
        if let least = node.minLength, count < least { return .code(.tooShort) }
        if let most = node.maxLength, count > most { return .code(.tooLong) }
        return nil
    }

    /// An answer as JSON has it; nil for one that is empty or has a problem.
    func value(of text: String) -> JSONValue? {
        guard !text.isEmpty else { return nil }
        return switch node.kind {
        case .number: Int64(text).map(JSONValue.int)
        case .bool: Self.truth(text).map(JSONValue.bool)
        case .multiselect: .array(parts(text).map { .string(chosen($0) ?? $0) })
        case .select: .string(chosen(text) ?? text)
        case .text, .secret, .code, .email, .date, .info, .link, .image, .json: .string(text)
        }
    }

    /// The words for true, of every language.
    private static let affirmations: Set<String> = ["yes", "y", "true", "ja", "j"]
    /// The words for false, of every language.
    private static let negations: Set<String> = ["no", "n", "false", "nein"]

    private static func truth(_ text: String) -> Bool? {
        if affirmations.contains(text.lowercased()) { return true }
        return negations.contains(text.lowercased()) ? false : nil
    }
}

extension Node {
    /// True if it is something to read instead of something to answer.
    var isShown: Bool {
        switch kind {
        case .info, .link, .image: true
        case .text, .secret, .code, .email, .number, .select, .multiselect, .bool, .date, .json: false
        }
    }

    /// True if nobody who looks at the terminal may read its answer: nobody knows what stands in JSON.
    var isHidden: Bool {
        switch kind {
        case .secret, .json: true
        case .code, .info, .link, .image, .text, .email, .number, .select, .multiselect, .bool, .date: false
        }
    }

    /// True if its answer never goes on a command line.
    var isSecret: Bool {
        switch kind {
        case .secret, .code, .json: true
        case .info, .link, .image, .text, .email, .number, .select, .multiselect, .bool, .date: false
        }
    }
}
