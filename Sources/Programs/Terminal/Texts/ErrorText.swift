import FlowModel

/// A sentence of an error that was made in English below the command lines: by a daemon, or by a library.
///
/// Its German stands in a table of sentences, in which `{}` is what varies. What varies is said in German, too, if it is
/// itself such a sentence.
struct ErrorText {
    /// The sentence as it was made.
    let english: String

    /// A sentence of an error.
    init(_ english: String) {
        self.english = english
    }

    /// The sentence in German; as it is, if no table has it.
    var german: String { known ?? english }

    /// A text in which what was made in English is German, as far as a table has it.
    static func translated(_ text: Text) -> Text {
        if let words = text.exactWords { return Text(exactly: ErrorText(words).german) }
        return Text(key: text.key, parameters: text.parameters.mapValues(translated))
    }

    private static func translated(_ value: Text.Value) -> Text.Value {
        switch value {
        case .text(let text): .text(translated(text))
        case .list(let values, let joint): .list(values.map(translated), joint)
        case .words, .number: value
        }
    }

    /// The German of a sentence that a table has.
    private var known: String? {
        if let place = english.prefixMatch(of: #/(--[a-z-]+|\$[a-z]+|warning): /#) {
            let (name, rest) = (place.1 == "warning" ? "Warnung" : place.1, english[place.range.upperBound...])
            return ErrorText(String(rest)).known.map { "\(name): \($0)" }
        }
        if let place = english.firstMatch(of: #/ \(at position (\d+)\)$/#) {
            return ErrorText(String(english[..<place.range.lowerBound])).known.map { "\($0) (an Stelle \(place.1))" }
        }
        return Self.sentences.lazy.compactMap { $0.german(of: english) }.first
    }

    /// The sentences of all tables, those first that leave least open.
    private static let sentences = (ofDaemons + ofOutside)
        .map(Sentence.init).sorted { $0.length > $1.length }

    /// A sentence of a table.
    private struct Sentence {
        /// The fixed parts, between which something varies.
        let parts: [Substring]
        /// The same of the German sentence.
        let german: [Substring]

        init(_ english: String, _ german: String) {
            parts = english.split(separator: "{}", omittingEmptySubsequences: false)
            self.german = german.split(separator: "{}", omittingEmptySubsequences: false)
        }

        /// The number of characters that are fixed.
        var length: Int { parts.reduce(0) { $0 + $1.count } }

        func german(of text: String) -> String? {
            guard let first = parts.first, text.hasPrefix(first) else { return nil }
            var rest = text.dropFirst(first.count)
            guard parts.count > 1, let last = parts.last else { return rest.isEmpty ? german.joined() : nil }
            var varying: [Substring] = []
            for part in parts.dropFirst().dropLast() {
                guard let place = rest.firstRange(of: part) else { return nil }
                varying.append(rest[..<place.lowerBound])
                rest = rest[place.upperBound...]
            }
            guard rest.hasSuffix(last) else { return nil }
            varying.append(rest.dropLast(last.count))
            let values = varying.map { ErrorText(String($0)).german } + [""]
            return zip(german, values).map { $0 + $1 }.joined()
        }
    }
}
