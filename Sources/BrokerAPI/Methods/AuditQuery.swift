public import JSONRPC
public import OAuth

/// `audit.query`: the caller's security events.
public struct AuditQuery: BrokerMethod {
    /// What it answers.
    public typealias Answer = Many<AuditRecord>

    /// On the wire.
    public static let name = "audit.query"
    /// For `rpc.discover`.
    public static let summary = "Lists the caller's own security events, oldest first."
    /// The parameters.
    public static let fields: [Field] = [.since, .limit]

    /// From when on, in milliseconds since 1970 UTC.
    public let since: Int64?
    /// How many at most.
    public let limit: Int64?

    /// A call.
    public init(since: Int64? = nil, limit: Int64? = nil) {
        self.since = since
        self.limit = limit
    }

    /// A call, from checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        since = members.int("since")
        limit = members.int("limit")
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("since", since)
        object.set("limit", limit)
        return object.members
    }
}
