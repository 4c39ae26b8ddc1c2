import BrokerAPI
import BrokerClient
import FlowModel
public import OAuth

extension CommandFailure {
    /// Converts any error to a failure that can be shown to the user.
    public init(_ error: any Error, _ correlation: CorrelationID) {
        switch error {
        case let failure as CommandFailure: self = failure
        case is CancellationError: self = .cancelled
        case let error as BrokerError: self.init(error)
        case let error as ClientError: self.init(error)
        default: self.init(.failed, "internal", Text(EnglishText(of: error)))
        }
        correlationID = correlationID ?? correlation
    }

    private init(_ error: BrokerError) {
        let isUsage = error.code == JSONRPCError.Code.invalidParams
        let status = isUsage ? .usage : error.refusal.map(ExitStatus.init) ?? .failed
        self.init(status, error.reason, error.text, hint: Self.hint(error))
        facts = error.data
        // These members are redundant, because the failure already contains the translated text and the correlation id.
        for member in ["correlationId", "key", "parameters"] { facts[member] = nil }
        correlationID = error.correlationID.flatMap { CorrelationID($0) }
        isRecorded = error.refusal.map(Self.isRecorded) ?? !isUsage
    }

    private init(_ error: ClientError) {
        switch error.code {
        case .unreachable where !error.silentPaths.isEmpty:
            self.init(
                .unreachable,
                error.code.rawValue,
                Text("cli.terminal.notRunning", ["places": Text.or(error.silentPaths)]),
                hint: Text(error.lacksRuntimeDirectory ? "cli.terminal.startItOrSet" : "cli.terminal.startIt")
            )
        case .unreachable:
            self.init(
                .unreachable,
                error.code.rawValue,
                Text(error.said),
                hint: Text("cli.terminal.doctor")
            )
        case .untrustedServer, .disconnected, .deadlinePassed:
            self.init(.unreachable, error.code.rawValue, Text(error.said))
            isRecorded = error.code == .deadlinePassed
        case .unreadableAnswer: self.init(.failed, error.code.rawValue, Text(error.said))
        case .unhandledChallenge:
            self.init(.denied, Refusal.Reason.interactionRequired.word, Text(error.said))
        case .flowEnded: self.init(end: error)
        }
    }

    private init(end error: ClientError) {
        switch error.flow?.state {
        case .failed(let reason)?: self.init(ExitStatus(reason), reason.rawValue, Text(error.said))
        case .cancelled?: self.init(.denied, "cancelled", Text(error.said))
        case .expired?: self.init(.failed, "expired", Text(error.said))
        default: self.init(.failed, error.code.rawValue, Text(error.said))
        }
        isRecorded = error.flow != nil
        if let milliseconds = error.flow?.retryAfterMs {
            facts["retryAfterMs"] = .int(milliseconds)
            hint = Self.waiting(milliseconds)
        }
    }

    /// Whether the daemon's log or audit log contains more details about a refusal than the daemon's response.
    private static func isRecorded(_ reason: Refusal.Reason) -> Bool {
        switch reason {
        case .blocked, .providerUnavailable, .providerProtocol, .storageFailed, .notPermitted, .wrongUser: true
        case .interactionRequired, .flowNotFound, .flowFinished, .staleStep, .submissionInProgress, .invalidAnswer,
            .unmetAuthenticationRequirements, .unsupportedStep, .unknownPolicy, .unknownCheck, .scopeDenied,
            .limitExceeded, .expiredStep, .shuttingDown, .accountAmbiguous, .locked, .unknownClient,
            .accountNotFound:
            false
        }
    }

    private static func hint(_ error: BrokerError) -> Text? {
        if let milliseconds = error.retryAfterMs { return waiting(milliseconds) }
        switch error.refusal {
        case .interactionRequired:
            return Text("cli.terminal.signInBy", ["command": "tokenbroker sign-in"])
        case .accountAmbiguous:
            return .list(
                error.candidates.map {
                    Text("cli.terminal.account", ["option": "--account \($0.account)", "username": $0.username])
                }
            )
        case .unknownClient: return Text("cli.broker.clientsLists")
        case .unknownPolicy: return Text("failure.policiesLists")
        case .accountNotFound: return Text("cli.terminal.accountsLists")
        case .invalidAnswer:
            return Text(exactly: error.nodes.map { "\($0.name): \($0.text)" }.joined(separator: "; "))
        default: return nil
        }
    }

    private static func waiting(_ milliseconds: Int64) -> Text {
        Text("cli.terminal.retry", ["seconds": (milliseconds + 999) / 1000])
    }
}
