/// An error from hashing or comparing a credential, which never contains a secret.
public struct CredentialError: Error, Hashable, Sendable {
    /// The kinds of errors that callers can distinguish.
    public enum Code: String, Hashable, Sendable {
        /// Too many passwords are waiting to be hashed.
        case busy
        /// The stored data is not a valid hash.
        case malformedHash
        /// The hash function itself failed, for example because memory was exhausted.
        case failed
    }

    /// The kind of the error.
    public let code: Code
    /// A sentence that describes the error, for the log.
    public let description: String

    static let busy = Self(code: .busy, description: "too many passwords are waiting to be hashed")

    static func malformedHash(_ why: String) -> Self {
        Self(code: .malformedHash, description: "the stored hash is malformed: \(why)")
    }

    static func failed(_ why: String) -> Self {
        Self(code: .failed, description: "the password could not be hashed: \(why)")
    }
}
