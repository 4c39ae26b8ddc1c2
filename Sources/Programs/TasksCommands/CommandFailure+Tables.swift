import FlowModel
import OAuth
import Tables
import TablesClient
import Terminal

extension CommandFailure {
    init(_ error: TablesError, _ api: APIAddress) {
        if error.isOfUntrustedServer {
            self.init(.denied, Self.listenerRefused, Text(error.said))
        } else {
            self.init(Self.status(error.code), error.code.rawValue, Self.sentence(error, api), hint: Self.hint(error))
        }
        correlationID = error.correlationID
        isRecorded = error.correlationID != nil && Self.isRecorded(error.code)
        facts["status"] = error.status.map { .int(Int64($0)) }
        facts["column"] = error.column.map(JSONValue.string)
        facts["row"] = error.row?.json
        facts["retryAfterMs"] = error.retryAfter.map { .int($0.components.seconds * 1000) }
    }

    /// The failure reason to report if an untrusted process is listening at the API's address.
    static let listenerRefused = "listener_refused"

    private static func status(_ code: TablesError.Code) -> ExitStatus {
        switch code {
        case .unreachable, .timedOut: .unreachable
        case .busy: .tryLater
        case .unauthorized, .forbidden, .invalidToken: .denied
        case .refused, .notFound, .conflict, .keyReused, .gone, .preconditionFailed, .serverFailed, .redirected,
            .malformedAnswer, .tooLarge, .invalidItem, .invalidRequest:
            .failed
        case .missingID, .invalidID, .unexpectedID, .invalidParameter: .usage
        }
    }

    /// Whether the log of `tasksd` contains more details than the response.
    private static func isRecorded(_ code: TablesError.Code) -> Bool {
        switch code {
        case .serverFailed, .unauthorized, .forbidden, .invalidToken, .busy, .malformedAnswer: true
        case .unreachable, .timedOut, .refused, .notFound, .conflict, .keyReused, .gone, .preconditionFailed,
            .redirected, .tooLarge, .invalidItem, .invalidRequest, .missingID, .invalidID, .unexpectedID,
            .invalidParameter:
            false
        }
    }

    private static func sentence(_ error: TablesError, _ api: APIAddress) -> Text {
        switch error.code {
        case .unreachable, .timedOut:
            Text("failure.atAddress", ["text": Text(error.said), "address": "\(api)"])
        case .preconditionFailed: Text("cli.tasks.taskChanged")
        default: Text(error.said)
        }
    }

    private static func hint(_ error: TablesError) -> Text? {
        switch error.code {
        case .unreachable: Text("cli.tasks.isRunning")
        case .preconditionFailed: Text("cli.tasks.lookAgain")
        case .unauthorized where error.challenge?.error == .insufficientUserAuthentication:
            Text("cli.tasks.weakSignIn")
        case .unauthorized: Text("cli.tasks.distrusted")
        default: nil
        }
    }

    /// Adds the rejected values (`edit`) and the command line to the failure, so that the user can correct the values.
    func keeping(_ edit: [String: TableValue], typed arguments: [String] = CommandLine.arguments) -> CommandFailure {
        guard facts["status"] == 400 else { return self }
        var failure = self
        failure.facts["edit"] = .object(edit.mapValues(\.json))
        let words = ["tasks"] + arguments.dropFirst().map(Self.quoted)
        failure.hint = Text("cli.tasks.correctIt", ["command": words.joined(separator: " ")])
        return failure
    }

    private static func quoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty
            && word.utf8.allSatisfy { byte in
                switch byte {
                case 0x2B...0x3A, 0x3D, 0x40...0x5A, 0x5F, 0x61...0x7A: true
                default: byte >= 0x80
                }
            }
        return isPlain ? word : "'\(word.replacing("'", with: #"'\''"#))'"
    }
}
