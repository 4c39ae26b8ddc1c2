import Foundation
public import OAuth

/// An RSA public key as operators have it: `-----BEGIN PUBLIC KEY-----` (RFC 7468 §13, RFC 8017 appendix A.1.1).
public struct RSAPublicKey: Hashable, Sendable, Codable {
    /// The shortest modulus, in bytes (RFC 7518 §3.3).
    static let shortest = 256
    /// The longest modulus, in bytes; longer ones only cost time.
    static let longest = 1024

    private let modulus: String
    private let exponent: String

    /// The key as a JWK (RFC 7518 §6.3.1).
    public var jwk: JSONValue {
        ["kty": "RSA", "use": "sig", "alg": "RS256", "n": .string(modulus), "e": .string(exponent)]
    }

    /// Reads a key of 2048 to 8192 bits; nil for anything else.
    public init?(pem: String) {
        let (begin, end) = ("-----BEGIN PUBLIC KEY-----", "-----END PUBLIC KEY-----")
        let text = pem.trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.hasPrefix(begin), text.hasSuffix(end), text.count > begin.count + end.count,
            let der = Data(
                base64Encoded: text.dropFirst(begin.count).dropLast(end.count).filter { !$0.isWhitespace }
            )
        else { return nil }
        var whole = DER(der)
        guard var info = whole.sequence(), whole.isAtEnd, var algorithm = info.sequence(),
            algorithm.value(0x06).map({ Array($0) }) == Self.rsaEncryption,
            // No bit of the last byte is unused.
            let bits = info.value(0x03), bits.first == 0, info.isAtEnd
        else { return nil }
        var key = DER(bits.dropFirst())
        guard var numbers = key.sequence(), key.isAtEnd, let modulus = numbers.unsigned(),
            let exponent = numbers.unsigned(), numbers.isAtEnd,
            (Self.shortest...Self.longest).contains(modulus.count), modulus.first.map({ $0 >= 0x80 }) == true,
            (1...4).contains(exponent.count)
        else { return nil }
        self.modulus = Base64URL.encode(modulus)
        self.exponent = Base64URL.encode(exponent)
    }

    /// The name of the algorithm (RFC 8017 appendix C): 1.2.840.113549.1.1.1.
    private static let rsaEncryption: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
}

/// A reader of the few DER values that a public key is made of (X.690 §8.1).
private struct DER {
    private var rest: Data

    init(_ data: Data) { rest = data }

    var isAtEnd: Bool { rest.isEmpty }

    /// The content of the next value, if it has this tag.
    mutating func value(_ tag: UInt8) -> Data? {
        guard rest.popFirst() == tag, let first = rest.popFirst() else { return nil }
        var count = Int(first)
        if first >= 0x80 {
            let size = Int(first & 0x7F)
            guard (1...2).contains(size), rest.count >= size else { return nil }
            count = rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(size)
        }
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func sequence() -> DER? { value(0x30).map(DER.init) }

    /// The next number, which is not negative, without leading zeros.
    mutating func unsigned() -> Data? {
        guard let bytes = value(0x02), let first = bytes.first, first < 0x80 else { return nil }
        return first == 0 ? bytes.dropFirst() : bytes
    }
}
