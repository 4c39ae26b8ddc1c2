/// Why a token or a key was refused.
public struct TokenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reasons callers tell apart.
    public enum Code: String, CaseIterable, Sendable {
        /// It is no JWS in compact form, or its JSON is not strict JSON of the right types.
        case malformed
        /// It is longer than ``UnverifiedJWT/maxLength``.
        case tooLarge
        /// Its header demands something that must be understood and is not (RFC 7515 §4.1.11).
        case critical
        /// It names no key, or none that is trusted.
        case unknownKey
        /// It was not signed by the algorithm its key is for (RFC 8725 §3.1).
        case algorithmMismatch
        /// The signature is not the key's.
        case badSignature
        /// It is a token of another kind.
        case wrongType
        /// Its time is over.
        case expired
        /// Its time has not come.
        case notYetValid
        /// Another issuer made it.
        case wrongIssuer
        /// It is for somebody else.
        case wrongAudience
        /// A claim that its kind must have is not there.
        case missingClaim
        /// A key that is of a kind we do not use, too weak, for another use, or damaged.
        case unusableKey
        /// libcrypto refused to make a key or a signature.
        case cryptoFailed
    }

    /// The reason.
    public let code: Code
    /// What was wrong, for the log; it repeats nothing of the token.
    public let detail: String

    /// A reason and what was wrong.
    public init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// Reason and detail.
    public var description: String { "\(code.rawValue): \(detail)" }
}
