public import FlowModel
import OAuth

extension Refusal.Reason {
    /// The JSON-RPC error code: 1001 to 1024.
    public var code: Int { wire.code }

    /// The stable word that client programs compare, sent as `data.reason`.
    public var word: String { wire.word }

    /// The reason of a word, if this version knows it.
    public init?(word: String) {
        guard let reason = Self.words[word] else { return nil }
        self = reason
    }

    private var wire: (code: Int, word: String) {
        switch self {
        case .interactionRequired: (1001, "interaction_required")
        case .flowNotFound: (1002, "flow_not_found")
        case .flowFinished: (1003, "flow_finished")
        case .staleStep: (1004, "stale_step")
        case .submissionInProgress: (1005, "submission_in_progress")
        case .invalidAnswer: (1006, "invalid_answer")
        case .blocked: (1007, "blocked")
        case .unmetAuthenticationRequirements: (1008, "unmet_authentication_requirements")
        case .unsupportedStep: (1009, "unsupported_step")
        case .unknownPolicy: (1010, "unknown_policy")
        case .unknownCheck: (1011, "unknown_check")
        case .scopeDenied: (1012, "scope_denied")
        case .limitExceeded: (1013, "limit_exceeded")
        case .providerUnavailable: (1014, "provider_unavailable")
        case .providerProtocol: (1015, "provider_protocol")
        case .expiredStep: (1016, "expired_step")
        case .shuttingDown: (1017, "shutting_down")
        case .notPermitted: (1018, "not_permitted")
        case .accountAmbiguous: (1019, "account_ambiguous")
        case .wrongUser: (1020, "wrong_user")
        case .locked: (1021, "locked")
        case .unknownClient: (1022, "unknown_client")
        case .accountNotFound: (1023, "account_not_found")
        case .storageFailed: (1024, "storage_failed")
        }
    }

    private static let words = Dictionary(uniqueKeysWithValues: allCases.map { ($0.word, $0) })
}

extension Refusal.Fact {
    /// The member of an error's `data`.
    var member: String {
        switch self {
        case .state: "state"
        case .revision: "rev"
        case .limit: "limit"
        case .check: "check"
        case .missing: "missing"
        case .resource: "resource"
        }
    }

    /// A fact as it stands there: the revision of a flow is a number, as it is in the flow; nil for one that is none.
    func json(_ value: String) -> JSONValue? {
        switch self {
        case .revision: Int64(value).map(JSONValue.int)
        case .state, .limit, .check, .missing, .resource: .string(value)
        }
    }
}
