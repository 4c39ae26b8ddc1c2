public import FlowModel
import Localization
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

/// The member `error` of a response (JSON-RPC 2.0 §5.1).
public struct JSONRPCError: Error, Hashable, Sendable {
    /// The codes that JSON-RPC itself assigns (JSON-RPC 2.0 §5.1).
    public enum Code {
        /// The line is not JSON, or not UTF-8.
        public static let parseError = -32_700
        /// The JSON is not a request.
        public static let invalidRequest = -32_600
        /// The method does not exist.
        public static let methodNotFound = -32_601
        /// The parameters do not fit the method.
        public static let invalidParams = -32_602
        /// The server failed.
        public static let internalError = -32_603
    }

    /// The error code, one of ``Code`` or the server's own.
    public let code: Int
    /// A sentence for people.
    public let message: String
    /// Details for programs.
    public let data: JSONValue?

    /// Makes an error of its members.
    public init(code: Int, message: String, data: JSONValue? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// Makes an error with a sentence: its English words, and in `data` the key and the parameters by which the catalogs of
    /// other languages have it.
    public init(code: Int, _ text: Text, data: [String: JSONValue] = [:]) {
        let members = data.merging(text.members) { $1 }
        self.init(code: code, message: text.english, data: members.isEmpty ? nil : .object(members))
    }

    /// The line is not JSON, or not UTF-8.
    public static func parseError(_ text: Text) -> JSONRPCError { JSONRPCError(code: Code.parseError, text) }

    /// The JSON is not a request.
    public static func invalidRequest(_ text: Text) -> JSONRPCError { JSONRPCError(code: Code.invalidRequest, text) }

    /// The method does not exist.
    public static func methodNotFound(_ text: Text) -> JSONRPCError { JSONRPCError(code: Code.methodNotFound, text) }

    /// The parameters do not fit the method.
    public static func invalidParams(_ text: Text) -> JSONRPCError { JSONRPCError(code: Code.invalidParams, text) }

    /// The server failed.
    public static func internalError(_ text: Text) -> JSONRPCError { JSONRPCError(code: Code.internalError, text) }

    /// Reads the member `error`; nil if it is not valid.
    public init?(_ value: JSONValue) {
        guard let code = value["code"]?.int, let message = value["message"]?.string else { return nil }
        self.init(code: Int(code), message: message, data: value["data"])
    }

    /// The error as JSON.
    public var jsonValue: JSONValue {
        var members: [String: JSONValue] = ["code": .int(Int64(code)), "message": .string(message)]
        members["data"] = data
        return .object(members)
    }
}
