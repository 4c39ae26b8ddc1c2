public import OAuth

/// The answer to one request (JSON-RPC 2.0 §5).
public struct JSONRPCResponse: Hashable, Sendable {
    /// The id of the request; `null` if it could not be read.
    public let id: JSONRPCID
    /// The result or the error.
    public let outcome: Result<JSONValue, JSONRPCError>

    /// Makes the answer to one request.
    public init(id: JSONRPCID, outcome: Result<JSONValue, JSONRPCError>) {
        self.id = id
        self.outcome = outcome
    }

    /// Reads a response, as a client does; nil if it is not valid.
    public init?(_ value: JSONValue) {
        guard value["jsonrpc"] == "2.0", let id = value["id"].flatMap(JSONRPCID.init) else { return nil }
        switch (value["result"], value["error"].flatMap(JSONRPCError.init)) {
        case (let result?, nil): self.init(id: id, outcome: .success(result))
        case (nil, let error?): self.init(id: id, outcome: .failure(error))
        default: return nil
        }
    }

    /// The response as one line without its line break.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    /// Appends the response to a line.
    public func append(to bytes: inout [UInt8]) {
        let member: (String, JSONValue) =
            switch outcome {
            case .success(let result): ("result", result)
            case .failure(let error): ("error", error.jsonValue)
            }
        JSONValue.append(members: [("jsonrpc", "2.0"), ("id", id.jsonValue), member], to: &bytes)
    }
}
