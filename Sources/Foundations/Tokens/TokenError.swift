/// The reason why a token or a key was rejected or could not be created.
public struct TokenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reasons that callers distinguish.
    public enum Code: String, CaseIterable, Sendable {
        /// The token is not a JWS in compact serialization with strict JSON and a valid header and claims.
        case malformed
        /// The token is longer than ``UnverifiedJWT/maxLength``.
        case tooLarge
        /// The token's header requires an unsupported extension (RFC 7515 §4.1.11).
        case critical
        /// The token does not identify a key, or the key is not trusted.
        case unknownKey
        /// The token's algorithm does not match its key (RFC 8725 §3.1).
        case algorithmMismatch
        case badSignature
        case wrongType
        case expired
        case notYetValid
        case wrongIssuer
        case wrongAudience
        case missingClaim
        /// The key has an unsupported type, is too weak, is intended for another use, or is corrupt.
        case unusableKey
        /// libcrypto failed to create a key or a signature.
        case cryptoFailed
    }

    /// The reason as a code.
    public let code: Code
    /// The cause in words for the log, which must not contain any part of the token.
    public let detail: String

    /// Creates an error with a code and a description of the cause.
    public init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// The code, followed by the detail.
    public var description: String { "\(code.rawValue): \(detail)" }
}
