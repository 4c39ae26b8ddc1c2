import OAuth
import TestSupport
import Testing

/// One connection to the broker's socket that speaks JSON-RPC by hand.
final class Connection {
    let socket: LineSocket
    private var lastID: Int64 = 0

    init(_ socket: LineSocket) {
        self.socket = socket
    }

    /// An error that the broker answered.
    struct Refused: Error {
        let code: Int64
        let message: String
        let data: JSONValue

        var reason: String? { data["reason"]?.string }
        var retryAfterMs: Int64? { data["retryAfterMs"]?.int }
    }

    /// Calls a method and returns its result, or throws what it refused.
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

    /// The code with which a call is refused.
    func refusal(_ method: String, _ params: JSONValue = [:]) throws -> Refused {
        try #require(throws: Refused.self) { try call(method, params) }
    }
}
