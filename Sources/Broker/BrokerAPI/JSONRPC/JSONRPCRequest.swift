import FlowModel
public import OAuth

/// The id that links a response to its request (JSON-RPC 2.0 §4): a string, an integer, or `null`.
public enum JSONRPCID: Hashable, Sendable {
    /// `null`, also for a request whose id could not be read.
    case null
    /// An integer; fractions are refused (§4 says a client should not send one).
    case number(Int64)
    /// A string.
    case string(String)

    /// Reads the member `id`; nil if it is not a valid id.
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
    }

    /// Reads one request object.
    ///
    /// Positional parameters are refused with -32602 for every method, since all parameters here have names.
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

/// The content of one line that a server received (JSON-RPC 2.0 §4, §6).
public enum JSONRPCInput: Hashable, Sendable {
    /// One request, or the refusal of an invalid one.
    case single(Result<JSONRPCRequest, JSONRPCRequest.Refused>)
    /// A batch, to be answered with one array.
    case batch([Result<JSONRPCRequest, JSONRPCRequest.Refused>])

    /// The most requests in a batch.
    public static let batchLimit = 16

    /// Reads a line without its line break.
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
