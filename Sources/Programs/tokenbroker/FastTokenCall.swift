/// Parses the common forms of the command `tokenbroker token`, and builds the request.
///
/// The request is built from bytes, because a process's first dictionary or string concatenation causes a slow search
/// through all protocol conformances.
struct FastTokenCall {
    let asHeader: Bool
    /// The path of the socket that the user specified, or `nil` to try the default sockets.
    let socket: String?
    /// The JSON-RPC request, including its line terminator.
    let request: [UInt8]

    /// Parses a command line into a request without prompts, or returns `nil` if only the full command supports it.
    init?(_ arguments: [String]) {
        guard arguments.count > 1, arguments[1] == "token" else { return nil }
        var asHeader = false
        var account: String?
        var client: String?
        var policy: String?
        var socket: String?
        var scopes: [UInt8] = []
        var index = 2
        while index < arguments.count {
            let argument = arguments[index]
            index += 1
            if argument == "--header" {
                asHeader = true
                continue
            }
            guard index < arguments.count, Self.isPlain(arguments[index]) else { return nil }
            let value = arguments[index]
            index += 1
            switch argument {
            case "--scope":
                if !scopes.isEmpty { scopes.append(UInt8(ascii: ",")) }
                Self.append(value, to: &scopes)
            case "--account" where account == nil: account = value
            case "--client" where client == nil: client = value
            case "--policy" where policy == nil: policy = value
            case "--socket" where socket == nil: socket = value
            default: return nil
            }
        }
        var request = Array(#"{"jsonrpc":"2.0","id":1,"method":"token.acquire","#.utf8)
        request += Array(#""params":{"prompt":"none","scopes":["#.utf8)
        request += scopes
        request.append(UInt8(ascii: "]"))
        Self.append(account, as: #","account":"#, to: &request)
        Self.append(client, as: #","client":"#, to: &request)
        Self.append(policy, as: #","policy":"#, to: &request)
        request += Array("}}\n".utf8)
        self.asHeader = asHeader
        self.socket = socket
        self.request = request
    }

    private static func append(_ value: String?, as member: StaticString, to bytes: inout [UInt8]) {
        guard let value else { return }
        bytes.append(contentsOf: UnsafeBufferPointer(start: member.utf8Start, count: member.utf8CodeUnitCount))
        append(value, to: &bytes)
    }

    private static func append(_ value: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: value.utf8)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Whether the text is not an option, is not too long, and needs no escaping in JSON.
    private static func isPlain(_ text: String) -> Bool {
        guard let first = text.utf8.first, first != UInt8(ascii: "-"), text.utf8.count <= 256 else { return false }
        return text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }
}
