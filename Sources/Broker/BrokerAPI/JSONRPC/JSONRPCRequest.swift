import FlowModel
public import OAuth

/// The id that links a response to its request (JSON-RPC 2.0 §4): a string, a number, or `null`.
public enum JSONRPCID: Hashable, Sendable {
    /// `null`, which is also used if a request's id could not be read.
    case null
    /// The text of a number, so that `1.0`, `1e3` and integers of any size are returned as the client wrote them.
    case number(String)
    case string(String)

    /// The maximum length of a number, in characters.
    public static let longestNumber = 64

    /// Reads an id, or returns `nil` if the id is invalid.
    ///
    /// If `number` is not `nil`, it is the text of a numeric id as the client wrote it, and `value` is ignored.
    public init?(_ value: JSONValue, number: String? = nil) {
        switch (number, value) {
        case (let number?, _):
            guard number.utf8.count <= Self.longestNumber else { return nil }
            self = .number(number)
        case (nil, .null): self = .null
        case (nil, .int(let number)): self = .number("\(number)")
        case (nil, .string(let text)): self = .string(text)
        default: return nil
        }
    }

    func append(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .number(let number): bytes.append(contentsOf: number.utf8)
        case .string(let text): JSONValue.append(text, to: &bytes)
        }
    }
}

/// A request or a notification (JSON-RPC 2.0 §4).
public struct JSONRPCRequest: Hashable, Sendable {
    /// The id of the request, or `nil` for a notification, which does not get a response.
    public let id: JSONRPCID?
    /// The name of the method.
    public let method: String
    /// The members of `params`, or an empty dictionary if the request has no `params`.
    public let params: [String: JSONValue]

    /// Creates a request, or a notification if `id` is `nil`.
    public init(id: JSONRPCID?, method: String, params: [String: JSONValue] = [:]) {
        self.id = id
        self.method = method
        self.params = params
    }

    /// The error that is thrown for an invalid request, with the id for the response.
    public struct Refused: Error, Hashable, Sendable {
        /// The id for the response: `nil` for a notification, or ``JSONRPCID/null`` if the id could not be read.
        public let id: JSONRPCID?
        /// The error to send in the response.
        public let error: JSONRPCError
    }

    /// Reads a request object; `number` is the text of the id exactly as the client wrote it, if the id is a number.
    ///
    /// - Throws: ``Refused`` if the object is not a request or its parameters are positional (error -32602).
    public init(_ value: JSONValue, number: String? = nil) throws(Refused) {
        guard let members = value.object else {
            throw Refused(id: .null, error: .invalidRequest(Text("refusal.requestNoObject")))
        }
        var id: JSONRPCID?
        if let member = members["id"] {
            id = JSONRPCID(member, number: number)
            if id == nil {
                let text = Text("refusal.requestID", ["most": JSONRPCID.longestNumber])
                throw Refused(id: .null, error: .invalidRequest(text))
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

    /// The request as a single line of JSON, without a line break.
    public var bytes: [UInt8] {
        var bytes = Array(#"{"jsonrpc":"2.0""#.utf8)
        if let id {
            bytes.append(contentsOf: #","id":"#.utf8)
            id.append(to: &bytes)
        }
        bytes.append(contentsOf: #","method":"#.utf8)
        JSONValue.append(method, to: &bytes)
        if !params.isEmpty {
            bytes.append(contentsOf: #","params":"#.utf8)
            JSONValue.object(params).append(to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }
}

/// The content of one line that the server has received (JSON-RPC 2.0 §4, §6).
public enum JSONRPCInput: Hashable, Sendable {
    case single(Result<JSONRPCRequest, JSONRPCRequest.Refused>)
    /// A batch of requests, whose responses are sent in a single array.
    case batch([Result<JSONRPCRequest, JSONRPCRequest.Refused>])

    /// The maximum number of requests in a batch.
    public static let batchLimit = 16

    /// Reads a line, which must not include its line break.
    public init(_ line: some Collection<UInt8>) {
        let document: StrictJSON.Verbatim
        do throws(StrictJSON.Failure) {
            document = try StrictJSON.parse(Array(line), verbatimNumbersIn: "id")
        } catch {
            let problem = Text("refusal.notJSON", ["problem": "\(error)"])
            self = .single(.failure(JSONRPCRequest.Refused(id: .null, error: .parseError(problem))))
            return
        }
        guard let elements = document.value.array else {
            self = .single(Self.request(document.value, document.numbers[0]))
            return
        }
        switch elements.count {
        case 0: self = .single(Self.refused(Text("refusal.batchEmpty")))
        case ...Self.batchLimit: self = .batch(elements.enumerated().map { Self.request($1, document.numbers[$0]) })
        default: self = .single(Self.refused(Text("refusal.batchTooLong", ["most": Self.batchLimit])))
        }
    }

    private static func request(
        _ value: JSONValue,
        _ number: String?
    ) -> Result<JSONRPCRequest, JSONRPCRequest.Refused> {
        do throws(JSONRPCRequest.Refused) {
            return .success(try JSONRPCRequest(value, number: number))
        } catch {
            return .failure(error)
        }
    }

    private static func refused(_ text: Text) -> Result<JSONRPCRequest, JSONRPCRequest.Refused> {
        .failure(JSONRPCRequest.Refused(id: .null, error: .invalidRequest(text)))
    }
}
