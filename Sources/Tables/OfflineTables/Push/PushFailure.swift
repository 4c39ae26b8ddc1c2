import TablesClient

/// The effect of a failed request on the push.
enum PushFailure: Hashable {
    /// The server already has the result of the operation.
    case done
    /// The row was changed on the server first.
    case conflict
    /// The server rejected the operation. It stays in the queue, its error is recorded, and the push continues.
    case refused(TableOperation.State)
    /// The push stops.
    ///
    /// The operation stays in the queue.
    case aborts(SyncError.Code, TableOperation.State)

    /// Determines the effect of an error.
    ///
    /// - Parameters:
    ///   - error: The error of the request.
    ///   - operation: The operation that was sent.
    ///   - formerly: The state before this request. An error response that may not have come from the API says nothing
    ///     about earlier attempts to send the operation.
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
        // It is unknown whether the server performed the operation.
        case .serverFailed, .busy, .malformedAnswer, .tooLarge: self = .refused(.attempted)
        case .forbidden, .redirected: self = .refused(untouched)
        case .refused, .gone, .keyReused, .missingID, .invalidID, .unexpectedID, .invalidItem, .invalidParameter,
            .invalidRequest:
            self = .refused(.pending)
        }
    }
}
