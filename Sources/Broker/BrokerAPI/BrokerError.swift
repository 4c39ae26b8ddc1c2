public import FlowModel
import Localization
public import OAuth

/// The error in the broker's response to a call, as the client receives it.
public struct BrokerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error code: -32xxx for an error that JSON-RPC itself defines, or 1001 to 1024 for a broker error.
    public let code: Int
    /// The stable identifier by which programs recognize the error, possibly one that this version does not know.
    public let reason: String
    /// The broker's English error message for users.
    public let message: String
    /// The id that identifies the call in the log and in the audit log.
    public let correlationID: String?
    /// The number of milliseconds to wait before trying again, or `nil` if the error does not specify a time.
    public let retryAfterMs: Int64?
    /// The problems with the rejected answers, each with the name of the affected input.
    public let nodes: [NodeProblem]
    /// The accounts that the caller must choose from.
    public let candidates: [Refusal.Candidate]
    /// All members of `error.data`.
    public let data: [String: JSONValue]

    /// Creates an error from the `error` member of a response.
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

    /// The error's reason as an enumeration case, or `nil` if this version does not know the identifier ``reason``.
    public var refusal: Refusal.Reason? { Refusal.Reason(word: reason) }

    /// The translatable error message for users, or the English ``message`` if the catalogs do not contain it.
    public var text: Text { Text(members: data, or: message) }

    /// The English error message for users.
    public var description: String { message }

    /// Returns the stable identifier of the error that JSON-RPC itself defines with the code `code`.
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
    /// Creates a message from the catalog key and parameters in `members`, or from `words` if these are invalid.
    init(members: [String: JSONValue], or words: String) {
        if let text = Text(members: members), text.isInCatalog { self = text } else { self.init(exactly: words) }
    }

    /// The message's catalog key and parameters as a JSON object, or `nil` if the message has no catalog key.
    var json: JSONValue? { members.isEmpty ? .none : .some(.object(members)) }
}

extension JSONRPCError {
    /// Creates the error that the client gets for a refusal, without ``Refusal/detail``, which is for the log only.
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

    /// Returns a copy of the error whose data contains the required members `reason` and `correlationId`.
    public func correlated(_ correlationID: CorrelationID) -> JSONRPCError {
        var members = data?.object ?? [:]
        members["reason"] = members["reason"] ?? .string(BrokerError.standardReason(code))
        members["correlationId"] = .string(correlationID.description)
        return JSONRPCError(code: code, message: message, data: .object(members))
    }
}

extension Refusal.Reason {
    /// The JSON-RPC error code, a number from 1001 to 1024.
    public var code: Int { wire.code }

    /// The stable identifier by which programs recognize the reason, sent as `data.reason`.
    public var word: String { wire.word }

    /// Creates the reason with the identifier `word`, or returns `nil` if this version does not know the identifier.
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

    /// Returns `value` as a JSON string, or as a JSON number if this fact is a revision.
    ///
    /// The result is `nil` if this fact is a revision and `value` is not a number.
    func json(_ value: String) -> JSONValue? {
        switch self {
        case .revision: Int64(value).map(JSONValue.int)
        case .state, .limit, .check, .missing, .resource: .string(value)
        }
    }
}
