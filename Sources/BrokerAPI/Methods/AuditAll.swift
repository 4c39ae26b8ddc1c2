/// `audit.all`: everybody's security events; operators only.
public struct AuditAll: AuditMethod {
    /// The name on the wire.
    public static let name = "audit.all"
    /// The sentence of `rpc.discover`.
    public static let summary = "Lists all security events, oldest first."

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
