import Glibc

/// The two spellings of an e-mail address whose domain has characters beyond ASCII: A-labels and Unicode (RFC 5890).
public enum MailAddress {
    /// Returns the address with a non-ASCII domain as A-labels (UTS #46), or `nil` if the domain is invalid.
    ///
    /// An address whose domain is ASCII, and a text without `@`, stay unchanged.
    public static func ascii(_ text: String) -> String? { replacingDomain(of: text, InternationalDomain.ascii) }

    /// Returns the address with its domain in Unicode, if this domain is converted back to the same A-labels.
    ///
    /// Otherwise, and without the system's libidn2, the address stays unchanged. It also stays unchanged if the domain has
    /// an invisible character, or a label that can be mistaken for another one.
    public static func shown(_ text: String) -> String {
        replacingDomain(of: text, InternationalDomain.unicode) ?? text
    }

    /// Whether the part before the `@` is ASCII, so that a mail server without SMTPUTF8 takes the address (RFC 6531).
    public static func hasASCIILocalPart(_ text: String) -> Bool {
        text.utf8.prefix { $0 != UInt8(ascii: "@") }.allSatisfy { $0 < 0x80 }
    }

    private static func replacingDomain(of text: String, _ convert: (String) -> String?) -> String? {
        guard let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) else { return text }
        let domain = String(text[text.utf8.index(after: at)...])
        return convert(domain).map { $0 == domain ? text : "\(text[...at])\($0)" }
    }
}

/// The conversion of domain names with the system's libidn2, which is opened at the first conversion.
private struct InternationalDomain: Sendable {
    private typealias Output = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private typealias Convert = @Sendable @convention(c) (UnsafePointer<CChar>, Output, Int32) -> Int32

    private static let library = InternationalDomain()
    /// `IDN2_NFC_INPUT` and `IDN2_NONTRANSITIONAL` of `idn2.h`.
    private static let flags: Int32 = 1 | 8
    /// The maximum length of a domain before its conversion, in bytes, which exceeds that of each valid domain.
    private static let longest = 1024

    private let toASCII: Convert
    private let toUnicode: Convert

    private init?() {
        guard let handle = dlopen("libidn2.so.0", RTLD_NOW | RTLD_LOCAL),
            let ascii = dlsym(handle, "idn2_to_ascii_8z"), let unicode = dlsym(handle, "idn2_to_unicode_8z8z")
        else { return nil }
        toASCII = unsafeBitCast(ascii, to: Convert.self)
        toUnicode = unsafeBitCast(unicode, to: Convert.self)
    }

    static func ascii(_ domain: String) -> String? {
        if domain.utf8.allSatisfy({ $0 < 0x80 }) { return domain }
        guard let name = converted(domain, by: library?.toASCII), name.utf8.count <= 253 else { return nil }
        // Some characters, such as U+2100, are mapped to ASCII characters that no domain name contains.
        let isName = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy {
            $0.first.map(isLetterOrDigit) == true && $0.last.map(isLetterOrDigit) == true
                && $0.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
        }
        return isName ? name : nil
    }

    static func unicode(_ domain: String) -> String? {
        let name = domain.lowercased()
        guard name.hasPrefix("xn--") || name.contains(".xn--"),
            let shown = converted(name, by: library?.toUnicode), ascii(shown) == name,
            !shown.unicodeScalars.contains(where: \.isMisleading),
            !shown.split(separator: ".").contains(where: { LabelScripts($0).isConfusable })
        else { return nil }
        return shown
    }

    private static func converted(_ domain: String, by convert: Convert?) -> String? {
        guard let convert, domain.utf8.count <= longest, !domain.utf8.contains(0) else { return nil }
        var output: UnsafeMutablePointer<CChar>?
        defer { free(output) }
        guard convert(domain, &output, flags) == 0, let output else { return nil }
        return String(validatingCString: output)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
