import FlowModel
import Foundation
import Localization
import OAuth

/// Composes the prompt for one node of a step, and converts the user's input to the value that the broker expects.
struct NodeQuestion {
    let node: Node

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

    private func choice(_ option: String) -> String {
        let words = node.words(for: option)
        return PlainText.line(words == option ? option : "\(option): \(words)")
    }

    /// Returns the option that `text` names, `nil` if there is none, or `text` itself if the node has no options.
    private func chosen(_ text: String) -> String? {
        guard let options = node.options else { return text }
        if options.contains(text) { return text }
        let meant = options.filter { node.words(for: $0).lowercased() == text.lowercased() }
        return meant.count == 1 ? meant.first : nil
    }

    private func parts(_ text: String) -> [String] {
        text.split { $0 == "," || $0.isNewline }.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// Returns the message to show for invalid input, or `nil` if the broker may accept the input.
    func problem(with text: String) -> Text? {
        switch fault(of: text) {
        case .code(let code)?: Text.problem(code, of: node)
        case .sentence(let sentence)?: sentence
        case nil: nil
        }
    }

    /// A problem as a code that the broker also reports, or as a message that only this program shows.
    private enum Fault {
        case code(NodeProblem.Code)
        case sentence(Text)
    }

    private func fault(of text: String) -> Fault? {
        if text.isEmpty { return node.required ? .code(.missing) : nil }
        let entered = node.kind == .code ? CodeText.folded(text) : text
        let count = entered.unicodeScalars.count
        switch node.kind {
        case .email where text.wholeMatch(of: /[^\s@]+@[^\s@]+/) == nil:
            return .code(.malformed)
        case .code where node.pattern == "digits" && (count != node.minLength || entered.contains { !$0.isNumber }):
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

    private static let affirmations: Set<String> = ["yes", "y", "true", "ja", "j"]
    private static let negations: Set<String> = ["no", "n", "false", "nein"]

    private static func truth(_ text: String) -> Bool? {
        if affirmations.contains(text.lowercased()) { return true }
        return negations.contains(text.lowercased()) ? false : nil
    }
}

extension Node {
    var isShown: Bool {
        switch kind {
        case .info, .link, .image: true
        case .text, .secret, .code, .email, .number, .select, .multiselect, .bool, .date, .json: false
        }
    }

    /// Whether the terminal hides what the user types, including JSON, because it may contain secrets.
    var isHidden: Bool {
        switch kind {
        case .secret, .json: true
        case .code, .info, .link, .image, .text, .email, .number, .select, .multiselect, .bool, .date: false
        }
    }

    /// Whether the value is a secret, which must not appear on a command line.
    var isSecret: Bool {
        switch kind {
        case .secret, .code, .json: true
        case .info, .link, .image, .text, .email, .number, .select, .multiselect, .bool, .date: false
        }
    }
}
