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

    init(_ error: TablesError, of operation: TableOperation) {
        switch error.code {
        case .unauthorized, .invalidToken: self = .aborts(.pushAbortedAuthentication, .pending)
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
        case .refused, .forbidden, .gone, .keyReused, .redirected, .missingID, .invalidID, .unexpectedID, .invalidItem,
            .invalidParameter, .invalidRequest:
            self = .refused(.pending)
        }
    }
}
