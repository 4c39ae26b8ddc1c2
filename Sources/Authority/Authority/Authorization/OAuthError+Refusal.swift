public import FlowModel
import Localization
public import OAuth

extension OAuthError {
    /// The kind of endpoint that reports a refusal, which determines the form of the error response.
    public enum Answering: Sendable {
        /// The authorization endpoint, which redirects the browser (RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6).
        case authorizationEndpoint
        /// The token endpoint and the other endpoints that programs call directly (RFC 6749 §5.2).
        case programEndpoint
    }

    /// Creates the OAuth error that an endpoint reports for a refusal.
    public init(_ refusal: Refusal, from endpoint: Answering) {
        switch refusal.reason {
        case .scopeDenied where refusal.facts[.resource] != nil:
            self = .b2c(.invalidTarget, 90146, refusal.message, detail: refusal.detail)
        case .scopeDenied:
            self = .b2c(.invalidScope, Self.number(refusal.scopeProblem), refusal.message, detail: refusal.detail)
        case .unknownPolicy: self = .invalidRequest(refusal.message, detail: refusal.detail)
        case .unknownClient: self = .invalidClient(detail: refusal.message)
        case .limitExceeded: self = .b2c(.temporarilyUnavailable, 90244, refusal.message, detail: refusal.detail)
        case .storageFailed, .shuttingDown:
            self = .b2c(.temporarilyUnavailable, 90035, refusal.message, detail: refusal.detail)
        case .providerUnavailable: self = .b2c(.temporarilyUnavailable, 90289, refusal.message, detail: refusal.detail)
        case .providerProtocol: self = .b2c(.accessDenied, 90273, refusal.message, detail: refusal.detail)
        case .blocked: self = .b2c(.accessDenied, 90114, refusal.message, detail: refusal.detail)
        case .interactionRequired: self = endpoint.error(.interactionRequired, refusal)
        case .unmetAuthenticationRequirements: self = endpoint.error(.unmetAuthenticationRequirements, refusal)
        case .wrongUser, .accountNotFound, .flowNotFound, .flowFinished: self = endpoint.error(.accessDenied, refusal)
        case .staleStep, .submissionInProgress, .invalidAnswer, .unsupportedStep, .unknownCheck, .expiredStep,
            .notPermitted, .accountAmbiguous, .locked:
            self = .accessDenied(refusal.message, detail: refusal.detail)
        }
    }

    private static func number(_ problem: Refusal.ScopeProblem?) -> Int {
        switch problem {
        case .missing: 90010
        case .severalAPIs: 90146
        case .notPermitted: 90205
        case nil: 90117
        }
    }
}

extension OAuthError.Answering {
    fileprivate func error(_ code: OAuthError.Code, _ refusal: Refusal) -> OAuthError {
        switch self {
        case .authorizationEndpoint: OAuthError(code: code, description: refusal.message, detail: refusal.detail)
        case .programEndpoint: OAuthError(code: .invalidGrant, description: refusal.message, detail: refusal.detail)
        }
    }
}
