/// A language tag, such as `de` or `pt-br` (RFC 5646 §2.1).
public struct LanguageTag: RawRepresentable, Hashable, Sendable, Codable {
    /// The tag in lower case, because tags are case-insensitive (RFC 5646 §2.1.1).
    public let rawValue: String

    /// Parses a tag of at most 35 characters: two or three letters, then subtags of up to eight letters and digits.
    public init?(rawValue: String) {
        let parts = rawValue.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard rawValue.utf8.count <= 35, let language = parts.first, (2...3).contains(language.count),
            language.allSatisfy({ Self.isLetter($0) }),
            parts.dropFirst().allSatisfy({ part in
                (1...8).contains(part.count)
                    && part.allSatisfy { Self.isLetter($0) || (0x30...0x39).contains($0) }
            })
        else { return nil }
        self.rawValue = rawValue.lowercased()
    }

    /// Reads a locale name such as `de_AT.UTF-8`, or returns `nil` for `C`, `POSIX` and malformed names.
    public init?(locale: String) {
        let name = locale.prefix { $0 != "." && $0 != "@" }
        self.init(rawValue: String(name.map { $0 == "_" ? "-" : $0 }))
    }

    /// Reads the language from the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is not empty (POSIX.1 §8.2).
    public init?(environment: [String: String]) {
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"]
        guard let locale = names.compactMap({ environment[$0] }).first(where: { !$0.isEmpty }) else { return nil }
        self.init(locale: locale)
    }

    /// Returns the languages in `LANGUAGE`, then the locale's language, most preferred first.
    ///
    /// As in gettext, `LANGUAGE` is ignored if no locale is set or if the locale is `C`.
    public static func wanted(in environment: [String: String]) -> [LanguageTag] {
        guard let locale = LanguageTag(environment: environment) else { return [] }
        let list = (environment["LANGUAGE"] ?? "").split(separator: ":").prefix(mostWanted)
        return list.compactMap { LanguageTag(locale: String($0)) } + [locale]
    }

    private static let mostWanted = 32

    private init(known: String) {
        rawValue = known
    }

    /// English, whose catalog contains every message.
    public static let english = LanguageTag(known: "en")
    /// German.
    public static let german = LanguageTag(known: "de")

    /// The language without a region or script, for example `de` for the tag `de-ch`.
    public var primary: LanguageTag { LanguageTag(known: String(rawValue.prefix { $0 != "-" })) }

    /// The tag and its shortened forms, most specific first, for example `de-at` and `de` (RFC 4647 §3.4).
    public var ranges: [String] {
        let parts = rawValue.split(separator: "-")
        return parts.indices.reversed().map { parts[...$0].joined(separator: "-") }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
