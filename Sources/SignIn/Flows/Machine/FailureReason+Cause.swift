import FlowModel
import OpenIDClient

extension FailureReason {
    /// Returns the reason of a flow that ends with a refusal.
    init(_ refusal: Refusal) {
        switch refusal.reason {
        case .wrongUser: self = .wrongUser
        // A connector is not called if too many calls are in progress.
        case .providerUnavailable, .providerProtocol, .limitExceeded: self = .providerFailed
        case .storageFailed, .shuttingDown: self = .internal
        case .interactionRequired, .flowNotFound, .flowFinished, .staleStep, .submissionInProgress, .invalidAnswer,
            .blocked, .unmetAuthenticationRequirements, .unsupportedStep, .unknownPolicy, .unknownCheck, .scopeDenied,
            .expiredStep, .notPermitted, .accountAmbiguous, .locked, .unknownClient, .accountNotFound:
            self = .denied
        }
    }

    /// Returns the reason of a flow that ends because of an error at an external authority.
    init(_ error: ProviderError) {
        switch error.code {
        case .denied, .invalidGrant: self = .denied
        case .unavailable, .protocolViolation: self = .providerFailed
        }
    }
}
