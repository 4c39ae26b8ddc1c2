/// One of the common forms of `tokenbroker token`.
struct FastTokenCall {
    /// Whether the whole header is wanted.
    let asHeader: Bool
    /// The socket that was named.
    let socket: String?
    /// The request, with the end of its line.
    let request: [UInt8]

    /// Reads a command line; nil if anything in it is not for the fast path.
    ///
    /// The daemon is not allowed to ask here: if somebody must be asked, the command proper does it.
    init?(_ arguments: [String]) {
        guard arguments.count > 1, arguments[1] == "token" else { return nil }
        var asHeader = false
        var texts: [String: String] = [:]
        var scopes: [String] = []
        var index = 2
        while index < arguments.count {
            let argument = arguments[index]
            index += 1
            if argument == "--header" {
                asHeader = true
                continue
            }
            guard ["--policy", "--scope", "--account", "--client", "--socket"].contains(argument),
                index < arguments.count, Self.isPlain(arguments[index])
            else { return nil }
            let value = arguments[index]
            index += 1
            if argument == "--scope" {
                scopes.append(value)
            } else if texts.updateValue(value, forKey: argument) != nil {
                return nil
            }
        }
        self.asHeader = asHeader
        socket = texts["--socket"]
        var params = #""prompt":"none","scopes":["#
        params += scopes.map { "\"\($0)\"" }.joined(separator: ",") + "]"
        for name in ["account", "client", "policy"] {
            if let value = texts["--\(name)"] { params += ",\"\(name)\":\"\(value)\"" }
        }
        request = Array("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"token.acquire\",\"params\":{\(params)}}\n".utf8)
    }

    /// Whether a text stands in JSON as it is, and is no option.
    private static func isPlain(_ text: String) -> Bool {
        guard let first = text.utf8.first, first != UInt8(ascii: "-"), text.utf8.count <= 256 else { return false }
        return text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }
}
