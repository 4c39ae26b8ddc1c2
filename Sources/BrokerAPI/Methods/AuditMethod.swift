public import FlowModel
public import JSONRPC
public import OAuth

/// What `audit.query` and `audit.all` have in common: a page of security events.
public protocol AuditMethod: BrokerMethod where Answer == Many<AuditRecord> {
    /// The number of the last event that is known already; all if nil.
    var since: Int64? { get }
    /// How many at most.
    var limit: Int64? { get }

    /// A call.
    init(since: Int64?, limit: Int64?)
}

extension AuditMethod {
    /// The parameters.
    public static var fields: [Field] { [.since, .limit] }

    /// A call, from checked parameters.
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
