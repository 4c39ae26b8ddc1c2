public import OAuth

/// A request or a notification (JSON-RPC 2.0 §4).
public struct JSONRPCRequest: Hashable, Sendable {
    /// The id that the response repeats; nil for a notification, which has no response.
    public let id: JSONRPCID?
    /// The name of the method.
    public let method: String
    /// The members of `params`; empty if it is left out.
    public let params: [String: JSONValue]

    /// Makes a request; a notification if `id` is nil.
    public init(id: JSONRPCID?, method: String, params: [String: JSONValue] = [:]) {
        self.id = id
        self.method = method
        self.params = params
    }

    /// The refusal of an invalid request, with the id that could be read.
    public struct Refused: Error, Hashable, Sendable {
        /// The id that the response repeats: `null` if none could be read, nil for a notification.
        public let id: JSONRPCID?
        /// The error of the response.
        public let error: JSONRPCError

        /// Makes a refusal.
        public init(id: JSONRPCID?, error: JSONRPCError) {
            self.id = id
            self.error = error
        }
    }

    /// Reads one request object.
    ///
    /// Positional parameters are refused with -32602 for every method, since all parameters here have names.
    public init(_ value: JSONValue) throws(Refused) {
        guard let members = value.object else {
            throw Refused(id: .null, error: .invalidRequest("a request is an object"))
        }
        var id: JSONRPCID?
        if let member = members["id"] {
            id = JSONRPCID(member)
            if id == nil {
                throw Refused(id: .null, error: .invalidRequest("an id is a string, an integer or null"))
            }
        }
        guard members["jsonrpc"] == "2.0" else {
            throw Refused(id: id ?? .null, error: .invalidRequest("the member jsonrpc is not \"2.0\""))
        }
        guard let method = members["method"]?.string else {
            throw Refused(id: id ?? .null, error: .invalidRequest("the member method is not a string"))
        }
        switch members["params"] {
        case nil: self.init(id: id, method: method)
        case .object(let params): self.init(id: id, method: method, params: params)
        case .array: throw Refused(id: id, error: .invalidParams("parameters are given by name, not by position"))
        default: throw Refused(id: id ?? .null, error: .invalidRequest("the member params is not an object"))
        }
    }

    /// The request as one line without its line break.
    public var bytes: [UInt8] {
        var members: [(String, JSONValue)] = [("jsonrpc", "2.0")]
        if let id { members.append(("id", id.jsonValue)) }
        members.append(("method", .string(method)))
        if !params.isEmpty { members.append(("params", .object(params))) }
        var bytes: [UInt8] = []
        JSONValue.append(members: members, to: &bytes)
        return bytes
    }
}
