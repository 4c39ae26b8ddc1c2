import TablesClient

enum PushFailure: Hashable {
    /// The server already has the result of the operation.
    case done
    case conflict
    /// The server rejected the operation, which stays in the queue with a recorded error while the push continues.
    case refused(TableOperation.State)
    case aborts(SyncError.Code, TableOperation.State)

    /// Determines the effect of an error, given the operation's state before the request.
    ///
    /// An error response that may not have come from the API does not show whether an earlier request was performed.
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
        // After these errors, it is unknown whether the server performed the operation.
        case .serverFailed, .busy, .malformedAnswer, .tooLarge: self = .refused(.attempted)
        case .forbidden, .redirected: self = .refused(untouched)
        case .refused, .gone, .keyReused, .missingID, .invalidID, .unexpectedID, .invalidItem, .invalidParameter,
            .invalidRequest:
            self = .refused(.pending)
        }
    }
}
