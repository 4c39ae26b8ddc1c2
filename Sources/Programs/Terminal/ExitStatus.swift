public import FlowModel

/// The exit statuses of the command-line programs.
public enum ExitStatus: Int32, Hashable, Sendable {
    /// The command succeeded.
    case done = 0
    /// The command failed for a reason that has no exit status of its own.
    case failed = 1
    /// The command line is invalid (`EX_USAGE`).
    case usage = 64
    /// The daemon, the API or a provider cannot be reached (`EX_UNAVAILABLE`).
    case unreachable = 69
    /// The command was blocked or a limit was reached, so the caller should try again later (`EX_TEMPFAIL`).
    case tryLater = 75
    /// The request was denied or cancelled, the cache is locked, or a necessary prompt is not possible (`EX_NOPERM`).
    case denied = 77
    /// The configuration is invalid (`EX_CONFIG`).
    case configuration = 78

    /// Creates the exit status for a refusal from the broker.
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

    /// Creates the exit status for a failed flow.
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
