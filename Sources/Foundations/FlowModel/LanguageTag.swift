/// A language, by its tag, such as `de` or `pt-br` (RFC 5646 §2.1).
public struct LanguageTag: RawRepresentable, Hashable, Sendable, Codable {
    /// The tag in lower case, since tags are the same in any case (RFC 5646 §2.1.1).
    public let rawValue: String

    /// Reads a tag: two or three letters, then parts of up to eight letters and digits; at most 35 characters in all.
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

    /// Reads a locale's name as environments have it, such as `de_AT.UTF-8`; nil for `C`, `POSIX` and what is no name.
    public init?(locale: String) {
        let name = locale.prefix { $0 != "." && $0 != "@" }
        self.init(rawValue: String(name.map { $0 == "_" ? "-" : $0 }))
    }

    /// The language of the person at a command line, as POSIX.1 §8.2 has it: of `LC_ALL`, `LC_MESSAGES` and `LANG`, the
    /// first that is set.
    public init?(environment: [String: String]) {
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"]
        guard let locale = names.compactMap({ environment[$0] }).first(where: { !$0.isEmpty }) else { return nil }
        self.init(locale: locale)
    }

    /// The languages of the person at a command line, the best first.
    ///
    /// They are those of `LANGUAGE`, with colons between them, and that of the locale. Without a locale, or in `C`,
    /// `LANGUAGE` says nothing, as gettext has it.
    public static func wanted(in environment: [String: String]) -> [LanguageTag] {
        guard let locale = LanguageTag(environment: environment) else { return [] }
        let list = (environment["LANGUAGE"] ?? "").split(separator: ":").prefix(mostWanted)
        return list.compactMap { LanguageTag(locale: String($0)) } + [locale]
    }

    /// The most languages of `LANGUAGE` that are looked at.
    private static let mostWanted = 32

    private init(known: String) {
        rawValue = known
    }

    /// English, which every text has.
    public static let english = LanguageTag(known: "en")
    /// German.
    public static let german = LanguageTag(known: "de")

    /// The language without its region or script: `de` for `de-ch`.
    public var primary: LanguageTag { LanguageTag(known: String(rawValue.prefix { $0 != "-" })) }

    /// The tag and what is left of it part by part, the narrowest first: `de-at`, `de` (RFC 4647 §3.4).
    public var ranges: [String] {
        let parts = rawValue.split(separator: "-")
        return parts.indices.reversed().map { parts[...$0].joined(separator: "-") }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
