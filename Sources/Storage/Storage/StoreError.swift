package import FlowModel

/// An error of a store, with a code for callers and a message for the operator.
///
/// ``message`` contains no secret and no sign-in name. It appears in logs and on the operator's terminal, but is not
/// sent to peers.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// Another key encrypted the store.
        case wrongKey
        /// The store exists but its key does not, or the key is not 32 bytes long.
        case missingKey
        /// A version before 0.1.0 wrote the store.
        case olderSchema
        /// A newer version wrote the store.
        case newerSchema
        /// Another process uses the store.
        case inUse
        /// The file exists but cannot be read, or is not a store of this kind.
        case unreadable
        /// Other users can read the file, or another user owns it.
        case permissions
        /// The disk is full.
        case full
        /// The file cannot be written.
        case readOnly
        /// Another process locked the database for too long.
        case busy
        /// The content is damaged.
        case corrupt
        /// The write-ahead log is damaged, so acknowledged changes are lost.
        case damagedLog
        /// The row does not exist.
        case notFound
        /// The row changed since the caller read it.
        case conflict
        /// Another user has this sign-in name.
        case nameTaken
        /// The row has expired.
        case expired
        /// The row can be used once and was already used.
        case consumed
        /// Another commit already used the answer.
        case answerUsed
        /// The state on which the caller based its decision has changed.
        ///
        /// The caller must decide again.
        case stale
        /// The account was signed out in the meantime.
        case signedOut
        /// The caller's rows are encrypted with a passphrase that was not entered yet.
        case locked
        /// The user is disabled.
        case disabled
        /// A limit is reached.
        case limitExceeded
        /// Any other error, such as an I/O error.
        case failed
    }

    /// The kind of error.
    public let code: Code
    /// The message for the operator, in English and as a catalog text.
    package let said: EnglishText
    /// How long until a limit permits the operation again, in milliseconds, or `nil` if unknown.
    public let retryAfterMs: Int64?

    /// Creates an error with a message only in English.
    public init(_ code: Code, _ message: String, retryAfterMs: Int64? = nil) {
        self.code = code
        said = EnglishText(exactly: message)
        self.retryAfterMs = retryAfterMs
    }

    /// Creates an error with a message from the catalogs.
    package init(_ code: Code, _ said: EnglishText) {
        self.code = code
        self.said = said
        retryAfterMs = nil
    }

    /// The message for the operator, in English.
    public var message: String { said.english }

    /// The same text as ``message``.
    public var description: String { message }

    /// Returns the error for a store of a development version before 0.1.0, which cannot be upgraded.
    ///
    /// - Parameters:
    ///   - path: The path of the store.
    ///   - version: The version of its schema.
    /// - Returns: The error.
    public static func olderSchema(path: String, version: Int) -> StoreError {
        StoreError(.olderSchema, .olderSchema(path, version: version))
    }

    /// Returns the error for a store that another key encrypted.
    ///
    /// - Parameters:
    ///   - path: The path of the store.
    ///   - expected: The id of the key that encrypted the store.
    ///   - found: The id of the given key.
    /// - Returns: The error.
    public static func wrongKey(path: String, expected: String, found: String) -> StoreError {
        StoreError(.wrongKey, .wrongKey(path, expected: expected, found: found))
    }
}

extension StoreError: TextualError {}
