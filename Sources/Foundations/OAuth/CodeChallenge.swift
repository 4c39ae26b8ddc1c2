import Crypto
import Foundation

/// A proof key for code exchange: the challenge that an authorization request carries (RFC 7636).
///
/// There is `S256` only; `plain` is refused where the request is read (RFC 9700 §2.1.1).
public struct CodeChallenge: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The one method, as `code_challenge_method` has it.
    public static let method = "S256"

    /// The challenge as on the wire.
    public let description: String

    /// Reads `code_challenge`.
    ///
    /// - Parameter text: Exactly 43 characters of unpadded base64url, which is 32 bytes.
    /// - Throws: `invalid_request` if `text` is anything else.
    public init(_ text: String) throws(OAuthError) {
        guard Base64URL.decode(text)?.count == SHA256.byteCount else {
            throw .invalidRequest("code_challenge is not 43 characters of base64url")
        }
        description = text
    }

    /// Reads the text again that ``encode(to:)`` wrote, with the same rules as a request's.
    public init(from decoder: any Decoder) throws {
        try self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes ``description``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// True for the verifier that the challenge was made of: 43 to 128 unreserved characters (RFC 7636 §4.1, §4.6).
    public func matches(verifier: Secret) -> Bool {
        let bytes = verifier.revealBytes()
        guard Self.isVerifier(verifier) else { return false }
        return Secret(Base64URL.encode(Data(SHA256.hash(data: bytes)))) == Secret(description)
    }

    /// True for a text of the form that a verifier must have (RFC 7636 §4.1).
    public static func isVerifier(_ text: Secret) -> Bool {
        (43...128).contains(text.count) && text.revealBytes().allSatisfy(\.isUnreserved)
    }
}
