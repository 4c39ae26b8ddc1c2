package import FlowModel
import TablesClient

/// An error in an operation on offline tables, with an error code of the Azure Mobile Services SDK.
public struct SyncError: Error, Sendable, CustomStringConvertible {
    /// The kinds of error.
    public enum Code: Int, CaseIterable, Sendable {
        /// The row does not exist.
        case itemNotFound = -1101
        /// The row cannot be stored, because a column is unknown or a value does not have its column's type.
        case invalidItem = -1103
        case invalidID = -1105
        /// The change cannot follow the row's pending operation, or the row to insert already exists.
        case syncActionInvalid = -1150
        /// The store cannot be read or written.
        case localStore = -1153
        /// The query id is not a letter followed by at most 24 letters, digits, `-` or `_`.
        case invalidQueryID = -1155
        /// The given row cannot be used to cancel or update the operation.
        case cancelInvalid = -1156
        /// The operation is no longer in the queue.
        case operationNotFound = -1157
        /// The context has no API client, or has no table with the given name.
        case invalidContext = -1160
        /// The push finished, but the operations in ``SyncError/errors`` were rejected or are in conflict.
        case pushCompleteWithErrors = -1170
        /// The push was aborted because the store could not be read or written.
        case pushAbortedLocalStore = -1171
        /// The push was aborted because the API was unreachable.
        case pushAbortedNetwork = -1172
        /// The push was aborted because the API rejected the token or no token was available.
        case pushAbortedAuthentication = -1173
        case pushCancelled = -1174
        /// The table was not purged, because it has pending operations.
        case purgeAborted = -1180
        case pullCancelled = -1190
        /// The query has options that a pull does not support.
        case invalidParameter = -1401
    }

    /// The kind of error.
    public let code: Code
    package let said: EnglishText
    /// The errors of rejected or conflicting operations, or an empty array if the error is not from a push.
    public internal(set) var errors: [TableOperationError]
    /// The number of operations that were performed before the push stopped.
    public internal(set) var completed = 0
    /// The underlying error, or `nil` if there is none.
    public let underlying: (any Error)?

    init(_ code: Code, _ reason: Reason, errors: [TableOperationError] = [], underlying: (any Error)? = nil) {
        self.init(code, reason.said, errors: errors, underlying: underlying)
    }

    init(_ code: Code, _ failure: TablesError) {
        self.init(code, failure.said, errors: [], underlying: failure)
    }

    private init(_ code: Code, _ said: EnglishText, errors: [TableOperationError], underlying: (any Error)?) {
        self.code = code
        self.said = said
        self.errors = errors
        self.underlying = underlying
    }

    /// The message for the user, in English.
    public var message: String { said.english }

    /// The message.
    public var description: String { message }
}

extension SyncError: TextualError {}
