import Foundation

/// A language of pages, by its tag (BCP 47) in lower case, such as `en` or `de-ch`.
public struct Language: Hashable, Sendable, CustomStringConvertible {
    /// The tag, in lower case.
    public let tag: String

    /// Reads a tag of at most 35 letters, digits and hyphens; nil for anything else.
    public init?(_ tag: String) {
        let parts = tag.split(separator: "-", omittingEmptySubsequences: false)
        guard tag.utf8.count <= 35, let primary = parts.first, (2...8).contains(primary.utf8.count),
            primary.utf8.allSatisfy(Self.isLetter),
            parts.allSatisfy({ (1...8).contains($0.utf8.count) && $0.utf8.allSatisfy(Self.isLetterOrDigit) })
        else { return nil }
        self.tag = tag.lowercased()
    }

    private init(known tag: String) { self.tag = tag }

    /// English, which every text has.
    public static let english = Language(known: "en")
    /// German.
    public static let german = Language(known: "de")

    /// The tag, in lower case.
    public var description: String { tag }

    /// The language without its region or script: `de` for `de-ch`.
    public var primary: Language { Language(known: String(tag.prefix { $0 != "-" })) }

    /// True if it is written from right to left.
    public var isRightToLeft: Bool { Self.rightToLeft.contains(primary.tag) }

    /// The name of the language in itself, such as `Deutsch`.
    public var name: String {
        let locale = Locale(identifier: tag)
        guard let name = locale.localizedString(forIdentifier: tag), let first = name.first else { return tag }
        return first.uppercased() + name.dropFirst()
    }

    private static let rightToLeft: Set<String> = ["ar", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"]

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool { isLetter(byte) || (0x30...0x39).contains(byte) }
}
