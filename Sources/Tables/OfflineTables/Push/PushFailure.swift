import TablesClient

/// The meaning of a failed request for the push.
enum PushFailure: Hashable {
    /// The server is as the operation wanted it.
    case done
    /// Another change of the row came first.
    case conflict
    /// The operation stays, its error is recorded, and the push goes on.
    case refused(TableOperation.State)
    /// The push ends; the operation stays.
    case aborts(SyncError.Code, TableOperation.State)

    /// The meaning of an answer.
    ///
    /// - Parameters:
    ///   - error: The answer.
    ///   - operation: The operation that was sent.
    ///   - formerly: The state before this request. A refusal that may come from something else than the API says nothing
    ///     about an earlier request of the operation.
    init(_ error: TablesError, of operation: TableOperation, formerly: TableOperation.State) {
        let untouched: TableOperation.State = formerly == .attempted ? .attempted : .pending
        switch error.code {
        case .unauthorized, .invalidToken: self = .aborts(.pushAbortedAuthentication, untouched)
        case .unreachable where error.isOfUntrustedServer: self = .aborts(.pushAbortedNetwork, untouched)
        case .unreachable, .timedOut: self = .aborts(.pushAbortedNetwork, .attempted)
        case .conflict, .preconditionFailed: self = .conflict
        case .notFound:
            switch operation.kind {
            case .delete: self = .done
            case .update: self = .conflict
            case .insert: self = .refused(.pending)
            }
        // Nobody knows how far the server came.
        case .serverFailed, .busy, .malformedAnswer, .tooLarge: self = .refused(.attempted)
        case .forbidden, .redirected: self = .refused(untouched)
        case .refused, .gone, .keyReused, .missingID, .invalidID, .unexpectedID, .invalidItem, .invalidParameter,
            .invalidRequest:
            self = .refused(.pending)
        }
    }
}
