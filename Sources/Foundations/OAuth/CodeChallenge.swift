import Crypto
import Foundation

/// A code challenge with the method `S256` (RFC 7636); the method `plain` is rejected (RFC 9700 §2.1.1).
public struct CodeChallenge: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The only supported value of `code_challenge_method`.
    public static let method = "S256"

    /// The challenge as it appears in the request.
    public let description: String

    /// Parses 43 characters of unpadded base64url (32 bytes), or throws `invalid_request`.
    public init(_ text: String) throws(OAuthError) {
        guard Base64URL.decode(text)?.count == SHA256.byteCount else {
            throw .invalidRequest("code_challenge is not 43 characters of base64url")
        }
        description = text
    }

    /// Decodes a challenge from a string, which is validated like the request parameter.
    public init(from decoder: any Decoder) throws {
        try self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the challenge as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// Whether the challenge was derived from `verifier` (RFC 7636 §4.6), or `false` for a malformed verifier.
    public func matches(verifier: Secret) -> Bool {
        let bytes = verifier.revealBytes()
        guard Self.isVerifier(verifier) else { return false }
        return Secret(Base64URL.encode(Data(SHA256.hash(data: bytes)))) == Secret(description)
    }

    /// Whether `text` is a well-formed code verifier, which has 43 to 128 unreserved characters (RFC 7636 §4.1).
    public static func isVerifier(_ text: Secret) -> Bool {
        (43...128).contains(text.count) && text.revealBytes().allSatisfy(\.isUnreserved)
    }
}
