import FlowModel
public import OAuth

/// The id that links a response to its request (JSON-RPC 2.0 §4): a string, an integer, or `null`.
public enum JSONRPCID: Hashable, Sendable {
    /// `null`. Also used for a request whose id could not be read.
    case null
    /// An integer. Fractions are rejected (§4 advises clients against them).
    case number(Int64)
    /// Any string.
    case string(String)

    /// Reads the `id` member, or returns `nil` if it is invalid.
    public init?(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .int(let number): self = .number(number)
        case .string(let text): self = .string(text)
        default: return nil
        }
    }

    /// The id as JSON.
    public var jsonValue: JSONValue {
        switch self {
        case .null: .null
        case .number(let number): .int(number)
        case .string(let text): .string(text)
        }
    }
}

/// A request or a notification (JSON-RPC 2.0 §4).
public struct JSONRPCRequest: Hashable, Sendable {
    /// The id of the request, or `nil` for a notification, which does not get a response.
    public let id: JSONRPCID?
    /// The name of the method.
    public let method: String
    /// The members of `params`, empty if the request has no `params`.
    public let params: [String: JSONValue]

    /// Creates a request, or a notification if `id` is `nil`.
    public init(id: JSONRPCID?, method: String, params: [String: JSONValue] = [:]) {
        self.id = id
        self.method = method
        self.params = params
    }

    /// The error for an invalid request, with the request's id if it could be read.
    public struct Refused: Error, Hashable, Sendable {
        /// The id for the response: `null` if the request's id could not be read, or `nil` for a notification.
        public let id: JSONRPCID?
        /// The error to respond with.
        public let error: JSONRPCError
    }

    /// Reads one request object, and rejects positional parameters with error -32602.
    public init(_ value: JSONValue) throws(Refused) {
        guard let members = value.object else {
            throw Refused(id: .null, error: .invalidRequest(Text("refusal.requestNoObject")))
        }
        var id: JSONRPCID?
        if let member = members["id"] {
            id = JSONRPCID(member)
            if id == nil {
                throw Refused(id: .null, error: .invalidRequest(Text("refusal.requestID")))
            }
        }
        guard members["jsonrpc"] == "2.0" else {
            throw Refused(id: id ?? .null, error: .invalidRequest(Text("refusal.requestVersion")))
        }
        guard let method = members["method"]?.string else {
            throw Refused(id: id ?? .null, error: .invalidRequest(Text("refusal.requestMethod")))
        }
        switch members["params"] {
        case nil: self.init(id: id, method: method)
        case .object(let params): self.init(id: id, method: method, params: params)
        case .array: throw Refused(id: id, error: .invalidParams(Text("refusal.paramsByPosition")))
        default: throw Refused(id: id ?? .null, error: .invalidRequest(Text("refusal.paramsNoObject")))
        }
    }

    /// The request as a single line, without the line break.
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

/// The content of one line received by the server (JSON-RPC 2.0 §4, §6).
public enum JSONRPCInput: Hashable, Sendable {
    /// One request, or the error for an invalid request.
    case single(Result<JSONRPCRequest, JSONRPCRequest.Refused>)
    /// A batch of requests. Its response is a single array.
    case batch([Result<JSONRPCRequest, JSONRPCRequest.Refused>])

    /// The maximum number of requests in a batch.
    public static let batchLimit = 16

    /// Reads a line, which must not include its line break.
    public init(_ line: some Collection<UInt8>) {
        let value: JSONValue
        do throws(StrictJSON.Failure) {
            value = try StrictJSON.parse(line)
        } catch {
            let problem = Text("refusal.notJSON", ["problem": "\(error)"])
            self = .single(.failure(JSONRPCRequest.Refused(id: .null, error: .parseError(problem))))
            return
        }
        guard let elements = value.array else {
            self = .single(Self.request(value))
            return
        }
        switch elements.count {
        case 0: self = .single(Self.refused(Text("refusal.batchEmpty")))
        case ...Self.batchLimit: self = .batch(elements.map(Self.request))
        default: self = .single(Self.refused(Text("refusal.batchTooLong", ["most": Self.batchLimit])))
        }
    }

    private static func request(_ value: JSONValue) -> Result<JSONRPCRequest, JSONRPCRequest.Refused> {
        do throws(JSONRPCRequest.Refused) {
            return .success(try JSONRPCRequest(value))
        } catch {
            return .failure(error)
        }
    }

    private static func refused(_ text: Text) -> Result<JSONRPCRequest, JSONRPCRequest.Refused> {
        .failure(JSONRPCRequest.Refused(id: .null, error: .invalidRequest(text)))
    }
}
