internal import CTexts
public import FlowModel

/// The sentences of one language, by key, from a file in `Texts/` that is parsed once, on first use.
public struct Catalog: Sendable {
    /// The languages that have a catalog file.
    public static let languages: [LanguageTag] = [.english, .german]

    /// The language of the sentences.
    public let language: LanguageTag
    /// The sentences, by key, with their placeholders in braces.
    let sentences: [String: String]

    /// Returns the catalog of a language, whose region is ignored, or `nil` if the language has no catalog.
    public static func of(_ language: LanguageTag) -> Catalog? {
        switch language.primary {
        case .english: english
        case .german: german
        default: nil
        }
    }

    /// The English catalog, which contains every key.
    public static let english = Catalog(.english)
    /// The German catalog.
    public static let german = Catalog(.german)

    private init(_ language: LanguageTag) {
        self.language = language
        var length = 0
        let bytes = UnsafeBufferPointer(start: ctexts_of(language.rawValue, &length), count: length)
        sentences = Self.read(bytes)
    }

    /// Returns the sentence that `text` refers to, with its placeholders filled in.
    public func words(of text: Text) -> String { text.words { sentences[$0] } }

    /// Reads a JSON object of strings with no escapes but `\n`, `\"` and `\\`, as `scripts/check-texts` enforces.
    ///
    /// Foundation's decoder would take longer than the rest of a command that makes one call to the daemon.
    static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> [String: String] {
        var table: [String: String] = [:]
        table.reserveCapacity(bytes.count / 64)
        var key: String?
        var place = 0
        while place < bytes.count {
            guard bytes[place] == UInt8(ascii: "\"") else {
                place += 1
                continue
            }
            let quote = place
            var end = quote + 1
            var isPlain = true
            while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
                if bytes[end] == UInt8(ascii: "\\") {
                    isPlain = false
                    end += 1
                }
                end += 1
            }
            let raw = bytes[min(quote + 1, bytes.count)..<min(end, bytes.count)]
            let text =
                isPlain
                ? String(decoding: UnsafeBufferPointer(rebasing: raw), as: UTF8.self)
                : String(decoding: unescaped(raw), as: UTF8.self)
            if let name = key {
                table[name] = text
                key = nil
            } else {
                key = text
            }
            place = min(end + 1, bytes.count)
        }
        return table
    }

    private static func unescaped(_ raw: Slice<UnsafeBufferPointer<UInt8>>) -> [UInt8] {
        var bytes: [UInt8] = []
        var isEscaped = false
        for byte in raw {
            if isEscaped {
                bytes.append(byte == UInt8(ascii: "n") ? UInt8(ascii: "\n") : byte)
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}

extension Text {
    /// Returns the sentence with its placeholders filled in; `sentence` looks up a sentence by its key.
    func words(_ sentence: (String) -> String?) -> String {
        let several = sentence(key) ?? Catalog.english.sentences[key] ?? key
        let chosen = parameters["count"] == .number(1) ? sentence("\(key).one") ?? several : several
        return PageTexts.pieces(of: chosen).map { piece in
            switch piece {
            case .words(let words): words
            case .value(let name): parameters[name].map { $0.words(sentence) } ?? ""
            }
        }.joined()
    }

    /// Returns the sentence in the given language, or in English if the language has no catalog.
    public func words(in language: LanguageTag) -> String { (Catalog.of(language) ?? .english).words(of: self) }

    /// The sentence in English.
    public var english: String { Catalog.english.words(of: self) }

    /// Whether this version's catalogs contain this and all nested sentences, and all placeholders have values.
    public var isInCatalog: Bool {
        guard let sentence = Catalog.english.sentences[key] else { return false }
        return PageTexts.placeholders(of: sentence).isSubset(of: parameters.keys)
            && parameters.values.allSatisfy(Self.isInCatalog)
    }

    private static func isInCatalog(_ value: Value) -> Bool {
        switch value {
        case .words, .number: true
        case .text(let text): text.isInCatalog
        case .list(let values, _): values.allSatisfy(isInCatalog)
        }
    }
}

extension Text.Value {
    fileprivate func words(_ sentence: (String) -> String?) -> String {
        switch self {
        case .words(let words): words
        case .number(let number): "\(number)"
        case .text(let text): text.words(sentence)
        case .list(let values, let joint):
            values.map { $0.words(sentence) }.joined(separator: sentence("list.\(joint.rawValue)") ?? ", ")
        }
    }
}

extension Refusal {
    /// The refusal's message in English.
    public var message: String { text.english }
}
