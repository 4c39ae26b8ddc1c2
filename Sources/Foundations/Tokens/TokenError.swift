/// An error for a token or a key that is refused.
public struct TokenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reasons that callers tell apart.
    public enum Code: String, CaseIterable, Sendable {
        /// The token is not a JWS in compact form, or its JSON is not strict JSON of the right types.
        case malformed
        /// The token is longer than ``UnverifiedJWT/maxLength``.
        case tooLarge
        /// The header demands an extension that is not supported (RFC 7515 §4.1.11).
        case critical
        /// The token names no key, or none that is trusted.
        case unknownKey
        /// The token was not signed with its key's algorithm (RFC 8725 §3.1).
        case algorithmMismatch
        /// The signature is not the key's.
        case badSignature
        /// The token is of another kind.
        case wrongType
        /// The token has expired (`exp`).
        case expired
        /// The token is not valid yet (`nbf`).
        case notYetValid
        /// The token comes from another issuer.
        case wrongIssuer
        /// The token is for another audience.
        case wrongAudience
        /// A required claim is missing.
        case missingClaim
        /// The key is of an unsupported kind, too weak, for another use, or damaged.
        case unusableKey
        /// libcrypto refused to make a key or a signature.
        case cryptoFailed
    }

    /// The reason.
    public let code: Code
    /// The cause, for the log; it repeats nothing of the token.
    public let detail: String

    /// Makes an error of a reason and its cause.
    public init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// The reason and the detail.
    public var description: String { "\(code.rawValue): \(detail)" }
}
