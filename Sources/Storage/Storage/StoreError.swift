package import FlowModel

/// Failure of a store, with a code that callers tell apart and a sentence for the operator.
///
/// ``message`` holds no secret and no sign-in name; it goes into logs and onto terminals of operators, not to peers.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Kind of failure.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The store is sealed by another key.
        case wrongKey
        /// The store exists and its key does not, or a key is not 32 bytes.
        case missingKey
        /// A version before 0.1.0 wrote the store.
        case olderSchema
        /// A newer version wrote the store.
        case newerSchema
        /// Another process has it.
        case inUse
        /// It is there and cannot be read, or is no such store.
        case unreadable
        /// Others can read it, or somebody else owns it.
        case permissions
        /// The disk is full.
        case full
        /// It cannot be written.
        case readOnly
        /// Another process held it for too long.
        case busy
        /// The contents are damaged.
        case corrupt
        /// Its write-ahead log is damaged, and acknowledged changes are lost by that.
        case damagedLog
        /// There is no such row.
        case notFound
        /// The row is not what the caller saw last.
        case conflict
        /// Somebody has this sign-in name.
        case nameTaken
        /// The row's time has ended.
        case expired
        /// The row was good for one use and was used.
        case consumed
        /// Another commit used the answer up.
        case answerUsed
        /// Somebody changed what the caller decided by; decide again.
        case stale
        /// The account was signed out meanwhile.
        case signedOut
        /// The uid's rows are sealed by a passphrase that has not been given.
        case locked
        /// The user may not sign in.
        case disabled
        /// A bound is reached.
        case limitExceeded
        /// Anything else, such as an I/O error.
        case failed
    }

    /// Kind of failure.
    public let code: Code
    /// A sentence for who operates the store, in English and as a text.
    package let said: EnglishText
    /// Milliseconds after which a bound has room again; nil if that is not known.
    public let retryAfterMs: Int64?

    /// Creates a failure that is said in English alone.
    public init(_ code: Code, _ message: String, retryAfterMs: Int64? = nil) {
        self.code = code
        said = EnglishText(exactly: message)
        self.retryAfterMs = retryAfterMs
    }

    /// Creates a failure whose sentence the catalogs have.
    package init(_ code: Code, _ said: EnglishText) {
        self.code = code
        self.said = said
        retryAfterMs = nil
    }

    /// A sentence for who operates the store.
    public var message: String { said.english }

    /// The message.
    public var description: String { message }

    /// A development version before 0.1.0 made the store; there is no way from its schema to this one.
    ///
    /// - Parameters:
    ///   - path: The store.
    ///   - version: The number of its schema.
    /// - Returns: The error.
    public static func olderSchema(path: String, version: Int) -> StoreError {
        StoreError(.olderSchema, .olderSchema(path, version: version))
    }

    /// The key is another one than the store's.
    ///
    /// - Parameters:
    ///   - path: The store.
    ///   - expected: The id of the key that sealed it.
    ///   - found: The id of the key that was given.
    /// - Returns: The error.
    public static func wrongKey(path: String, expected: String, found: String) -> StoreError {
        StoreError(.wrongKey, .wrongKey(path, expected: expected, found: found))
    }
}

extension StoreError: TextualError {}
