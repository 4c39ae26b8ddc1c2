public import FlowModel
public import OAuth

/// An error that answers a call, as the client reads it.
public struct BrokerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The JSON-RPC error code: -32xxx, or 1001 to 1024.
    public let code: Int
    /// The stable word that client programs compare; a newer broker may have more of them.
    public let reason: String
    /// A sentence for people.
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
            let candidates = refusal.candidates.map { candidate -> JSONValue in
                ["account": .string(candidate.account), "username": .string(candidate.username)]
            }
            data.set("candidates", .array(candidates))
        }
        self.init(code: refusal.reason.code, message: refusal.message, data: data.json)
    }

    /// Returns the error with the reason and the correlation id that every error's data has.
    public func correlated(_ correlationID: CorrelationID) -> JSONRPCError {
        var members = data?.object ?? [:]
        members["reason"] = members["reason"] ?? .string(BrokerError.standardReason(code))
        members["correlationId"] = .string(correlationID.description)
        return JSONRPCError(code: code, message: message, data: .object(members))
    }
}
