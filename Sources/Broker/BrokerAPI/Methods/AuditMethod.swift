public import FlowModel
public import OAuth

/// A method that answers a page of security events: `audit.query` or `audit.all`.
public protocol AuditMethod: BrokerMethod where Answer == Many<AuditRecord> {
    /// The number of the last event that the caller has; all if nil.
    var since: Int64? { get }
    /// The greatest number of events, at most 1000.
    var limit: Int64? { get }

    /// Asks for a page of events.
    init(since: Int64?, limit: Int64?)
}

extension AuditMethod {
    /// The parameters.
    public static var fields: [Field] { [.since, .limit] }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        self.init(since: members.int("since"), limit: members.int("limit"))
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("since", since)
        object.set("limit", limit)
        return object.members
    }
}
