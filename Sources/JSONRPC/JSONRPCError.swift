public import OAuth

/// The member `error` of a response (JSON-RPC 2.0 §5.1).
public struct JSONRPCError: Error, Hashable, Sendable {
    /// The numbers that JSON-RPC itself assigns.
    public enum Code {
        /// The line is not JSON.
        public static let parseError = -32_700
        /// The JSON is no request.
        public static let invalidRequest = -32_600
        /// There is no such method.
        public static let methodNotFound = -32_601
        /// The parameters are not those of the method.
        public static let invalidParams = -32_602
        /// A fault of the server.
        public static let internalError = -32_603
    }

    /// The number.
    public let code: Int
    /// A sentence for people.
    public let message: String
    /// What programs read.
    public let data: JSONValue?

    /// An error as it is written.
    public init(code: Int, message: String, data: JSONValue? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// The line is not JSON, or not UTF-8.
    public static func parseError(_ message: String) -> JSONRPCError {
        JSONRPCError(code: Code.parseError, message: message)
    }

    /// The JSON is no request.
    public static func invalidRequest(_ message: String) -> JSONRPCError {
        JSONRPCError(code: Code.invalidRequest, message: message)
    }

    /// There is no such method.
    public static func methodNotFound(_ message: String) -> JSONRPCError {
        JSONRPCError(code: Code.methodNotFound, message: message)
    }

    /// The parameters are not those of the method.
    public static func invalidParams(_ message: String) -> JSONRPCError {
        JSONRPCError(code: Code.invalidParams, message: message)
    }

    /// A fault of the server.
    public static func internalError(_ message: String) -> JSONRPCError {
        JSONRPCError(code: Code.internalError, message: message)
    }

    /// Reads the member `error`.
    public init?(_ value: JSONValue) {
        guard let code = value["code"]?.int, let message = value["message"]?.string else { return nil }
        self.init(code: Int(code), message: message, data: value["data"])
    }

    /// The error as it is written.
    public var jsonValue: JSONValue {
        var members: [String: JSONValue] = ["code": .int(Int64(code)), "message": .string(message)]
        members["data"] = data
        return .object(members)
    }
}
