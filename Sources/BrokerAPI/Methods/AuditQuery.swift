/// `audit.query`: the caller's security events.
public struct AuditQuery: AuditMethod {
    /// The name on the wire.
    public static let name = "audit.query"
    /// The sentence of `rpc.discover`.
    public static let summary = "Lists the caller's own security events, oldest first."

    /// The number of the last event that is known already; all if nil.
    public let since: Int64?
    /// How many at most.
    public let limit: Int64?

    /// A call.
    public init(since: Int64? = nil, limit: Int64? = nil) {
        self.since = since
        self.limit = limit
    }
}
