public import FlowModel
import Localization
public import OAuth

/// The response to one request (JSON-RPC 2.0 §5).
public struct JSONRPCResponse: Hashable, Sendable {
    /// The id of the request, or `null` if the id could not be read.
    public let id: JSONRPCID
    /// The result of the call, or the error if the call failed.
    public let outcome: Result<JSONValue, JSONRPCError>

    /// Creates the response to one request.
    public init(id: JSONRPCID, outcome: Result<JSONValue, JSONRPCError>) {
        self.id = id
        self.outcome = outcome
    }

    /// Reads a response that a client has received, or returns `nil` if the response is invalid.
    public init?(_ value: JSONValue) {
        guard value["jsonrpc"] == "2.0", let id = value["id"].flatMap({ JSONRPCID($0) }) else { return nil }
        switch (value["result"], value["error"].flatMap(JSONRPCError.init)) {
        case (let result?, nil): self.init(id: id, outcome: .success(result))
        case (nil, let error?): self.init(id: id, outcome: .failure(error))
        default: return nil
        }
    }

    /// The response as a single line of JSON, without a line break.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    /// Appends the response, without a line break, to `bytes`.
    public func append(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: #"{"jsonrpc":"2.0","id":"#.utf8)
        id.append(to: &bytes)
        switch outcome {
        case .success(let result):
            bytes.append(contentsOf: #","result":"#.utf8)
            result.append(to: &bytes)
        case .failure(let error):
            bytes.append(contentsOf: #","error":"#.utf8)
            error.jsonValue.append(to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }
}

/// The `error` member of a response (JSON-RPC 2.0 §5.1).
public struct JSONRPCError: Error, Hashable, Sendable {
    /// The codes that JSON-RPC itself assigns (JSON-RPC 2.0 §5.1).
    public enum Code {
        /// The line is not valid JSON or not valid UTF-8.
        public static let parseError = -32_700
        /// The JSON is not a request.
        public static let invalidRequest = -32_600
        /// The method does not exist.
        public static let methodNotFound = -32_601
        /// The parameters do not match the method's description.
        public static let invalidParams = -32_602
        /// The server failed to execute the call.
        public static let internalError = -32_603
    }

    /// The error code, which is one of the values in ``Code`` or one of the broker's own codes (1001 to 1024).
    public let code: Int
    /// The English error message for users.
    public let message: String
    /// Details of the error for programs, such as the member `reason`.
    public let data: JSONValue?

    /// Creates an error from its members.
    public init(code: Int, message: String, data: JSONValue? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// Creates an error with an English message, and adds the message's catalog key and parameters to `data`.
    public init(code: Int, _ text: Text, data: [String: JSONValue] = [:]) {
        let members = data.merging(text.members) { $1 }
        self.init(code: code, message: text.english, data: members.isEmpty ? .none : .some(.object(members)))
    }

    /// Creates error -32700 for a line that is not valid JSON or not valid UTF-8.
    public static func parseError(_ text: Text) -> JSONRPCError { JSONRPCError(code: Code.parseError, text) }

    /// Creates error -32600 for JSON that is not a request.
    public static func invalidRequest(_ text: Text) -> JSONRPCError { JSONRPCError(code: Code.invalidRequest, text) }

    /// Creates error -32601 for a call to a method that does not exist.
    public static func methodNotFound(_ text: Text) -> JSONRPCError { JSONRPCError(code: Code.methodNotFound, text) }

    /// Creates error -32602 for parameters that do not match the method's description.
    public static func invalidParams(_ text: Text) -> JSONRPCError { JSONRPCError(code: Code.invalidParams, text) }

    /// Creates error -32603 for a call that the server failed to execute.
    public static func internalError(_ text: Text) -> JSONRPCError { JSONRPCError(code: Code.internalError, text) }

    /// Reads the `error` member of a response, or returns `nil` if the member is invalid.
    public init?(_ value: JSONValue) {
        guard let code = value["code"]?.int, let message = value["message"]?.string else { return nil }
        self.init(code: Int(code), message: message, data: value["data"])
    }

    /// The error as the value of a response's `error` member.
    public var jsonValue: JSONValue {
        var members: [String: JSONValue] = ["code": .int(Int64(code)), "message": .string(message)]
        members["data"] = data
        return .object(members)
    }
}
