import OAuth
import Tables
import TablesClient
import Terminal

extension CommandFailure {
    /// What the API refused, or why it could not be asked.
    init(_ error: TablesError, _ api: APIAddress) {
        self.init(Self.status(error.code), error.code.rawValue, Self.sentence(error, api), hint: Self.hint(error))
        correlationID = error.correlationID
        facts["status"] = error.status.map { .int(Int64($0)) }
        facts["column"] = error.column.map(JSONValue.string)
        facts["row"] = error.row?.json
        facts["retryAfterMs"] = error.retryAfter.map { .int($0.components.seconds * 1000) }
    }

    private static func status(_ code: TablesError.Code) -> ExitStatus {
        switch code {
        case .unreachable, .timedOut: .unreachable
        case .busy: .tryLater
        case .unauthorized, .forbidden, .invalidToken: .denied
        case .refused, .notFound, .conflict, .gone, .preconditionFailed, .serverFailed, .redirected, .malformedAnswer,
            .tooLarge:
            .failed
        }
    }

    private static func sentence(_ error: TablesError, _ api: APIAddress) -> String {
        switch error.code {
        case .unreachable, .timedOut: "\(error.message): \(api)"
        case .preconditionFailed: "the task was changed meanwhile"
        default: error.message
        }
    }

    private static func hint(_ error: TablesError) -> String? {
        switch error.code {
        case .unreachable: "is tasksd running? `api` of tasks.yaml says where it is"
        case .preconditionFailed: "look at it by `tasks list`, and do it again"
        case .unauthorized: "does tasksd trust the authority that signed you in?"
        default: nil
        }
    }
}
