import OAuth
import TestSupport
import Testing

/// A connection to the broker's socket that sends JSON-RPC requests without the project's client library.
final class Connection {
    let socket: LineSocket
    private var lastID: Int64 = 0

    init(_ socket: LineSocket) {
        self.socket = socket
    }

    /// An error response from the broker.
    struct Refused: Error {
        let code: Int64
        let message: String
        let data: JSONValue

        var reason: String? { data["reason"]?.string }
        var retryAfterMs: Int64? { data["retryAfterMs"]?.int }
    }

    /// Calls a method and returns its result, or throws its error.
    func call(_ method: String, _ params: JSONValue = [:]) throws -> JSONValue {
        lastID += 1
        let request: JSONValue = ["jsonrpc": "2.0", "id": .int(lastID), "method": .string(method), "params": params]
        try socket.send(request.text)
        let reply = try StrictJSON.parse(Array(socket.receive().utf8))
        try #require(reply["id"]?.int == lastID)
        if let error = reply["error"] {
            throw Refused(
                code: error["code"]?.int ?? 0,
                message: error["message"]?.string ?? "",
                data: error["data"] ?? .null
            )
        }
        return try #require(reply["result"])
    }

    /// Calls a method that must fail, and returns its error.
    func refusal(_ method: String, _ params: JSONValue = [:]) throws -> Refused {
        try #require(throws: Refused.self) { try call(method, params) }
    }
}
