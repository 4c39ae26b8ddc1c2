import Files

/// A kind of character that an editor, a shell or a copy adds to a secret and that is never part of it.
public enum SecretAddition: Hashable, Sendable, CaseIterable, CustomStringConvertible {
    case byteOrderMark
    /// UTF-16 or UTF-32, in which most of the secret's characters have NUL bytes.
    case otherEncoding
    case carriageReturn
    /// White space at one of the ends, such as a no-break space.
    case blank
    /// The same quotation mark at both ends.
    case quotationMarks

    private static let quotes: Set<Unicode.Scalar> = ["\"", "'"]
    /// Invisible characters without a width, which a browser can copy along with a text.
    private static let zeroWidth: Set<Unicode.Scalar> = ["\u{200B}", "\u{2060}", "\u{FEFF}"]

    /// Finds an addition in the bytes of a secret without its final line break, or returns `nil` if there is none.
    public init?(in bytes: some Collection<UInt8>) {
        if bytes.starts(with: ByteOrderMark.utf8) {
            self = .byteOrderMark
        } else if ByteOrderMark.wideEncoding(of: bytes) != nil {
            self = .otherEncoding
        } else if bytes.contains(0x0D) {
            self = .carriageReturn
        } else {
            let text = String(decoding: bytes, as: UTF8.self).unicodeScalars
            guard let first = text.first, let last = text.last else { return nil }
            if Self.isBlank(first) || Self.isBlank(last) {
                self = .blank
            } else if text.count > 1, first == last, Self.quotes.contains(first) {
                self = .quotationMarks
            } else {
                return nil
            }
        }
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar != "\n" && scalar.properties.isWhitespace || zeroWidth.contains(scalar)
    }

    /// The rest of a sentence that begins with the name of the secret's file.
    public var description: String {
        switch self {
        case .byteOrderMark: "begins with a byte order mark; remove this mark"
        case .otherEncoding: "is UTF-16 or UTF-32; convert it to UTF-8"
        case .carriageReturn: "contains a carriage return; use Unix line endings"
        case .blank: "begins or ends with a blank; remove the blank"
        case .quotationMarks: "has quotation marks around the secret; remove the quotation marks"
        }
    }
}
