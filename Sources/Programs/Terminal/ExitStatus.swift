public import FlowModel

/// The exit codes of every program.
public enum ExitStatus: Int32, Hashable, Sendable {
    /// Done.
    case done = 0
    /// Failed.
    case failed = 1
    /// The command was not written as it must be (`EX_USAGE`).
    case usage = 64
    /// The daemon, the API or a provider cannot be reached (`EX_UNAVAILABLE`).
    case unreachable = 69
    /// Try later: blocked, rate-limited, full (`EX_TEMPFAIL`).
    case tryLater = 75
    /// Denied, cancelled, locked, or a person is needed and cannot be asked (`EX_NOPERM`).
    case denied = 77
    /// The configuration is wrong (`EX_CONFIG`).
    case configuration = 78

    /// The exit status for a refusal of the socket.
    public init(_ reason: Refusal.Reason) {
        self =
            switch reason {
            case .providerUnavailable, .providerProtocol: .unreachable
            case .blocked, .limitExceeded, .submissionInProgress, .shuttingDown: .tryLater
            case .interactionRequired, .unmetAuthenticationRequirements, .scopeDenied, .notPermitted, .wrongUser,
                .locked:
                .denied
            case .flowNotFound, .flowFinished, .staleStep, .invalidAnswer, .unsupportedStep, .unknownPolicy,
                .unknownCheck, .expiredStep, .accountAmbiguous, .unknownClient, .accountNotFound, .storageFailed:
                .failed
            }
    }

    /// The exit status for a flow that failed.
    public init(_ reason: FailureReason) {
        self =
            switch reason {
            case .blocked: .tryLater
            case .denied, .userCancelled, .wrongUser: .denied
            case .providerFailed: .unreachable
            case .expired, .policyChanged, .internal: .failed
            }
    }
}
