package import FlowModel
import TablesClient

/// The failure of an offline table, with the number that the clients of the protocol know it by.
public struct SyncError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    public enum Code: Int, CaseIterable, Sendable {
        /// There is no such row.
        case itemNotFound = -1101
        /// The row cannot be kept: a column that the table does not have, or a value that is none of its type.
        case invalidItem = -1103
        /// The id breaks the rule of ids.
        case invalidID = -1105
        /// The change cannot follow the one that waits, or the row is there already.
        case syncActionInvalid = -1150
        /// The store cannot be read or written.
        case localStore = -1153
        /// The query id is not a letter followed by at most 24 letters, digits, `-` or `_`.
        case invalidQueryID = -1155
        /// The operation cannot be cancelled or kept in this way.
        case cancelInvalid = -1156
        /// The operation is no longer in the queue.
        case operationNotFound = -1157
        /// There is no API, or no table of that name.
        case invalidContext = -1160
        /// The push came to its end, and ``SyncError/errors`` remain.
        case pushCompleteWithErrors = -1170
        /// The push ended early: the store cannot be read or written.
        case pushAbortedLocalStore = -1171
        /// The push ended early: the API could not be reached.
        case pushAbortedNetwork = -1172
        /// The push ended early: the API does not take the token, or there is none.
        case pushAbortedAuthentication = -1173
        /// The push was cancelled.
        case pushCancelled = -1174
        /// The table has operations that wait.
        case purgeAborted = -1180
        /// The pull was cancelled.
        case pullCancelled = -1190
        /// The query has what a pull cannot carry.
        case invalidParameter = -1401
    }

    /// The kind of failure.
    public let code: Code
    /// One sentence, in English and as a text.
    package let said: EnglishText
    /// The operations that were refused or are in conflict, with ``Code/pushCompleteWithErrors`` and the aborted pushes.
    public internal(set) var errors: [TableOperationError]
    /// Number of operations that the push had done before it ended.
    public internal(set) var completed = 0
    /// The error below.
    public let underlying: (any Error)?

    init(_ code: Code, _ reason: Reason, errors: [TableOperationError] = [], underlying: (any Error)? = nil) {
        self.init(code, reason.said, errors: errors, underlying: underlying)
    }

    /// The failure of a request, which ends a push.
    init(_ code: Code, _ failure: TablesError) {
        self.init(code, failure.said, errors: [], underlying: failure)
    }

    private init(_ code: Code, _ said: EnglishText, errors: [TableOperationError], underlying: (any Error)?) {
        self.code = code
        self.said = said
        self.errors = errors
        self.underlying = underlying
    }

    /// One sentence.
    public var message: String { said.english }

    /// The sentence.
    public var description: String { message }
}

extension SyncError: TextualError {}
