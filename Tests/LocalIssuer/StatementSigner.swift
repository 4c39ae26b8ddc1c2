import Foundation
public import OAuth
import Tokens

/// A provider of one's own that signs statements about people.
public struct StatementSigner: Sendable {
    private let key: SigningKey

    /// A provider with a new RSA key.
    public init() throws { key = try SigningKey.generate(.rs256) }

    /// The public key as operators have it.
    public var pem: String {
        let jwk = key.publicKey.jwk
        func number(_ name: String) -> [UInt8] {
            let bytes = Array(jwk[name]?.string.flatMap { Base64URL.decode($0) } ?? Data())
            return Self.tagged(0x02, (bytes.first ?? 0) < 0x80 ? bytes : [0] + bytes)
        }
        let name: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00]
        let numbers = Self.tagged(0x30, number("n") + number("e"))
        let info = Self.tagged(0x30, Self.tagged(0x30, name) + Self.tagged(0x03, [0] + numbers))
        return "-----BEGIN PUBLIC KEY-----\n\(Data(info).base64EncodedString())\n-----END PUBLIC KEY-----"
    }

    /// A statement with these claims.
    ///
    /// - Parameters:
    ///   - claims: The claims.
    ///   - isNamed: False for one whose header names no key, as the guides' samples do.
    /// - Returns: The statement.
    /// - Throws: What keeps the key from signing.
    public func statement(_ claims: [String: JSONValue], isNamed: Bool = true) throws -> String {
        if isNamed { return try TokenMinter.mint(typ: .jwt, claims: claims, with: key).reveal() }
        let header = Base64URL.encode(Array(#"{"alg":"RS256"}"#.utf8))
        let text = header + "." + Base64URL.encode(JSONValue.object(claims).bytes)
        return text + "." + Base64URL.encode(try key.sign(Array(text.utf8)))
    }

    private static func tagged(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            switch count {
            case ..<0x80: [UInt8(count)]
            case ..<0x100: [0x81, UInt8(count)]
            default: [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
            }
        return [tag] + length + content
    }
}
