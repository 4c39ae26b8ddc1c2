/// `audit.all`: everybody's security events; operators only.
public struct AuditAll: AuditMethod {
    /// The name on the wire.
    public static let name = "audit.all"
    /// The sentence of `rpc.discover`.
    public static let summary = "Lists all security events, oldest first."

    /// The number of the last event that the caller has; all if nil.
    public let since: Int64?
    /// The greatest number of events, at most 1000.
    public let limit: Int64?

    /// Asks for a page of events.
    public init(since: Int64? = nil, limit: Int64? = nil) {
        self.since = since
        self.limit = limit
    }
}
