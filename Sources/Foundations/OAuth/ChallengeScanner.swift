/// A parser of `WWW-Authenticate`: schemes, each with a token68 or with parameters (RFC 9110 §11.2 to §11.6).
struct ChallengeScanner {
    /// The longest field, in bytes.
    static let maxLength = 4096

    private let bytes: [UInt8]
    private var at = 0

    /// Returns the parameters of the first Bearer challenge by their names in lower case; nil if there is none.
    static func bearerParameters(_ field: String) -> [String: String]? {
        guard field.utf8.count <= maxLength else { return nil }
        var scanner = ChallengeScanner(bytes: Array(field.utf8))
        return scanner.firstBearer()
    }

    private mutating func firstBearer() -> [String: String]? {
        while at < bytes.count {
            skip { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }
            guard let scheme = token() else { return nil }
            guard let parameters = parameters() else { return nil }
            if scheme.lowercased() == "bearer" { return parameters }
        }
        return nil
    }

    /// Reads the parameters up to the next scheme or the end; nil if they are malformed or one is repeated.
    private mutating func parameters() -> [String: String]? {
        var parameters: [String: String] = [:]
        while true {
            let before = at
            skip { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }
            if at == bytes.count { return parameters }
            guard at > before else { return nil }
            let start = at
            if parameters.isEmpty, skipToken68() { continue }
            at = start
            guard let name = token() else { return nil }
            skipSpace()
            guard at < bytes.count, bytes[at] == UInt8(ascii: "=") else {
                at = start
                return parameters
            }
            guard let value = value(), parameters.updateValue(value, forKey: name.lowercased()) == nil else {
                return nil
            }
        }
    }

    private mutating func value() -> String? {
        at += 1
        skipSpace()
        return quoted() ?? token()
    }

    private mutating func quoted() -> String? {
        let start = at
        guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") else { return nil }
        at += 1
        var text: [UInt8] = []
        while at < bytes.count {
            let byte = bytes[at]
            at += 1
            if byte == UInt8(ascii: "\"") { return String(validating: text, as: UTF8.self) }
            if byte == UInt8(ascii: "\\"), at < bytes.count {
                text.append(bytes[at])
                at += 1
            } else {
                text.append(byte)
            }
        }
        at = start
        return nil
    }

    private mutating func token() -> String? {
        let start = at
        skip(while: Self.isTokenCharacter)
        return at == start ? nil : String(decoding: bytes[start..<at], as: UTF8.self)
    }

    /// Skips a token68, which only a `/` or `=` distinguishes from a scheme's name.
    private mutating func skipToken68() -> Bool {
        let start = at
        skip { Self.isTokenCharacter($0) || $0 == UInt8(ascii: "/") }
        let bodyEnd = at
        skip { $0 == UInt8(ascii: "=") }
        let end = at
        skipSpace()
        let isWhole = at == bytes.count || bytes[at] == UInt8(ascii: ",")
        return isWhole && (end > bodyEnd || bytes[start..<bodyEnd].contains(UInt8(ascii: "/")))
    }

    private mutating func skipSpace() {
        skip { $0 == 0x20 || $0 == 0x09 }
    }

    private mutating func skip(while condition: (UInt8) -> Bool) {
        while at < bytes.count, condition(bytes[at]) { at += 1 }
    }

    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}
