package import FlowModel

/// A store error, with a code for callers and a message for the operator that is not sent to peers.
///
/// The message contains no secret and no sign-in name.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The store is encrypted with a different key.
        case wrongKey
        /// The key is missing although the store exists, or the key is not 32 bytes long.
        case missingKey
        /// The store was written by a version of the program before 0.1.0.
        case olderSchema
        /// The store was written by a newer version of the program.
        case newerSchema
        /// Another process is using the store.
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
        /// The content of the store is damaged.
        case corrupt
        /// The write-ahead log is damaged, so opening the database would lose acknowledged changes.
        case damagedLog
        /// The row does not exist.
        case notFound
        /// The row has changed since the caller read it.
        case conflict
        /// Another user already has this sign-in name.
        case nameTaken
        /// The row has expired.
        case expired
        /// The row can be used only once and was already used.
        case consumed
        /// The user's answer, such as a one-time code, was already used by another commit.
        case answerUsed
        /// The state on which the caller based its decision has changed, so the caller must decide again.
        case stale
        /// The account was signed out before the operation was completed.
        case signedOut
        /// The caller's rows are encrypted with a passphrase that has not been entered yet.
        case locked
        /// The user is disabled.
        case disabled
        /// A limit has been reached.
        case limitExceeded
        /// Any other error, such as an I/O error.
        case failed
    }

    /// The kind of error.
    public let code: Code
    package let said: EnglishText
    /// The time until a limit permits the operation again, in milliseconds, or `nil` if the time is unknown.
    public let retryAfterMs: Int64?

    /// Creates an error whose message exists only in English.
    public init(_ code: Code, _ message: String, retryAfterMs: Int64? = nil) {
        self.code = code
        said = EnglishText(exactly: message)
        self.retryAfterMs = retryAfterMs
    }

    package init(_ code: Code, _ said: EnglishText) {
        self.code = code
        self.said = said
        retryAfterMs = nil
    }

    /// The message for the operator, in English.
    public var message: String { said.english }

    /// The same text as ``message``.
    public var description: String { message }

    /// Returns the error for a store from a development version before 0.1.0, which cannot be upgraded.
    public static func olderSchema(path: String, version: Int) -> StoreError {
        StoreError(.olderSchema, .olderSchema(path, version: version))
    }

    /// Returns the error, with the ids of both keys, for a store that is encrypted with a different key.
    public static func wrongKey(path: String, expected: String, found: String) -> StoreError {
        StoreError(.wrongKey, .wrongKey(path, expected: expected, found: found))
    }
}

extension StoreError: TextualError {}
