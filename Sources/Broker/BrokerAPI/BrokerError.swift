public import FlowModel
import Localization
public import OAuth

/// An error that answers a call, as the client reads it.
public struct BrokerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The JSON-RPC error code: -32xxx, or 1001 to 1024.
    public let code: Int
    /// The stable word that client programs compare; a newer broker may have more of them.
    public let reason: String
    /// The sentence for people in English, as the broker wrote it.
    public let message: String
    /// The id that the answer shares with logs and audit.
    public let correlationID: String?
    /// Milliseconds after which to try again.
    public let retryAfterMs: Int64?
    /// The invalid answers, each with its problem.
    public let nodes: [NodeProblem]
    /// The accounts of which one must be named.
    public let candidates: [Refusal.Candidate]
    /// All of `error.data`.
    public let data: [String: JSONValue]

    /// Reads the error of a response.
    public init(_ error: JSONRPCError) {
        data = error.data?.object ?? [:]
        code = error.code
        reason = data["reason"]?.string ?? Self.standardReason(error.code)
        message = error.message
        correlationID = data["correlationId"]?.string
        retryAfterMs = data["retryAfterMs"]?.int
        nodes = (data["nodes"]?.array ?? []).compactMap { try? NodeProblem(WireReader($0)) }
        candidates = (data["candidates"]?.array ?? []).compactMap { candidate in
            guard let account = candidate["account"]?.string else { return nil }
            return Refusal.Candidate(account: account, username: candidate["username"]?.string ?? "")
        }
    }

    /// The reason, if this version knows it.
    public var refusal: Refusal.Reason? { Refusal.Reason(word: reason) }

    /// The sentence for people as the catalogs have it; the words of ``message`` if they lack it, as that of a newer broker.
    public var text: Text { Text(members: data, or: message) }

    /// The sentence for people.
    public var description: String { message }

    /// The word for an error that JSON-RPC itself assigns.
    static func standardReason(_ code: Int) -> String {
        switch code {
        case JSONRPCError.Code.parseError: "parse_error"
        case JSONRPCError.Code.invalidRequest: "invalid_request"
        case JSONRPCError.Code.methodNotFound: "method_not_found"
        case JSONRPCError.Code.invalidParams: "invalid_params"
        default: "internal_error"
        }
    }
}

extension Text {
    /// Reads a sentence by its key, or takes its words if the catalogs lack it, or if a member is malformed.
    init(members: [String: JSONValue], or words: String) {
        if let text = Text(members: members), text.isInCatalog { self = text } else { self.init(exactly: words) }
    }

    /// The sentence as an object of its own; nil for words that no catalog has.
    var json: JSONValue? { members.isEmpty ? nil : .object(members) }
}

extension JSONRPCError {
    /// Turns a refusal into an error to send; its detail is left out.
    public init(_ refusal: Refusal, correlationID: CorrelationID) {
        var data = ObjectBuilder()
        for (fact, value) in refusal.facts { data.set(fact.member, fact.json(value)) }
        data.set("reason", refusal.reason.word)
        data.set("correlationId", correlationID.description)
        data.set("retryAfterMs", refusal.retryAfterMs)
        if !refusal.nodes.isEmpty { data.set("nodes", refusal.nodes) }
        if !refusal.candidates.isEmpty {
            data.set("candidates", refusal.candidates.map { ["account": $0.account, "username": $0.username] })
        }
        self.init(code: refusal.reason.code, refusal.text, data: data.members)
    }

    /// Returns the error with the reason and the correlation id that every error's data has.
    public func correlated(_ correlationID: CorrelationID) -> JSONRPCError {
        var members = data?.object ?? [:]
        members["reason"] = members["reason"] ?? .string(BrokerError.standardReason(code))
        members["correlationId"] = .string(correlationID.description)
        return JSONRPCError(code: code, message: message, data: .object(members))
    }
}

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
