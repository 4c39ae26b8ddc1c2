/// Failure of hashing or comparing; holds no secret.
public struct CredentialError: Error, Hashable, Sendable {
    /// The kinds that callers tell apart.
    public enum Code: String, Hashable, Sendable {
        /// As many passwords wait to be hashed as may.
        case busy
        /// The stored text is not a hash.
        case malformedHash
        /// The hash function itself failed, for example for want of memory.
        case failed
    }

    /// Kind of failure.
    public let code: Code
    /// A sentence for the log.
    public let description: String

    static let busy = Self(code: .busy, description: "as many passwords wait to be hashed as may")

    static func malformedHash(_ why: String) -> Self {
        Self(code: .malformedHash, description: "the stored hash is none: \(why)")
    }

    static func failed(_ why: String) -> Self {
        Self(code: .failed, description: "the password could not be hashed: \(why)")
    }
}
