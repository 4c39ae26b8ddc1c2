import Foundation
import OAuth
import TestSupport
import Testing

/// Tests of invalid input at the socket.
///
/// The daemon must respond to each invalid input with an error and, where possible, keep the connection open.
@Suite(.timeLimit(.minutes(5)))
struct SocketInputTests {
    private let machine: Machine
    private let daemon: RunningProgram

    init() throws {
        machine = try Machine()
        daemon = try machine.startBroker()
    }

    private func reply(_ bytes: [UInt8], on socket: LineSocket) throws -> JSONValue {
        try socket.send(bytes: bytes + [10])
        return try StrictJSON.parse(Array(socket.receive().utf8))
    }

    @Test("a line that is too long gets an error with a null id, and the connection closes")
    func tooLong() throws {
        let socket = try LineSocket(machine.socket)
        let line = #"{"jsonrpc":"2.0","id":1,"method":"broker.status","params":{"x":""#
        let answer = try reply(Array(line.utf8) + [UInt8](repeating: 65, count: 70_000), on: socket)
        #expect(answer["error"]?["code"]?.int == -32600)
        #expect(answer["id"] == .null)
        #expect(socket.isClosed())
    }

    @Test(
        "a malformed request gets an error, and the connection continues",
        arguments: [
            (#"{"jsonrpc":"2.0","id":1,"method":"broker.status""#, -32700),
            (#"nothing like JSON"#, -32700),
            ("{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"broker.status\"}", -32700),
            (#"[]"#, -32600),
            (#"{"jsonrpc":"1.0","id":1,"method":"broker.status"}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600),
            (#"{"jsonrpc":"2.0","id":{},"method":"broker.status"}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1,"method":"broker.explode"}"#, -32601),
            (#"{"jsonrpc":"2.0","id":1,"method":"broker.status","params":[1]}"#, -32602),
            (#"{"jsonrpc":"2.0","id":1,"method":"broker.status","params":{"verbose":true}}"#, -32602),
            (#"{"jsonrpc":"2.0","id":1,"method":"token.acquire","params":{"scopes":"tasks.read"}}"#, -32602),
            (#"{"jsonrpc":"2.0","id":1,"method":"token.acquire","params":{}}"#, -32602),
            (
                #"{"jsonrpc":"2.0","id":1,"method":"token.acquire","params":{"scopes":["tasks.read"],"maxAge":-1}}"#,
                -32602
            ),
            (
                #"{"jsonrpc":"2.0","id":1,"method":"token.acquire","params":{"scopes":["tasks.read"],"prompt":"x"}}"#,
                -32602
            ),
            (
                #"{"jsonrpc":"2.0","id":1,"method":"token.acquire","params":{"scopes":["tasks.read"],"#
                    + #""extraQueryParameters":{"client_id":"x"}}}"#, -32602
            ),
            (#"{"jsonrpc":"2.0","id":1,"method":"session.signOut","params":{}}"#, -32602),
            (#"{"jsonrpc":"2.0","id":1,"method":"flow.wait","params":{"flow":"fl_x","timeoutMs":99999999}}"#, -32602),
            (#"{"jsonrpc":"2.0","id":1,"method":"token.acquire","params":{"scopes":["tasks.fly"]}}"#, 1012),
            (#"{"jsonrpc":"2.0","id":1,"method":"token.acquire","params":{"scopes":["corp"]}}"#, 1012),
            (
                #"{"jsonrpc":"2.0","id":1,"method":"token.acquire","params":{"scopes":["tasks.read"],"policy":"b2c_1_x"}}"#,
                1010
            ),
            (
                #"{"jsonrpc":"2.0","id":1,"method":"token.acquire","params":{"scopes":["tasks.read"],"client":"x"}}"#,
                1022
            ),
            (
                #"{"jsonrpc":"2.0","id":1,"method":"token.acquire","params":{"scopes":["tasks.read"],"account":"x"}}"#,
                1023
            ),
            (
                #"{"jsonrpc":"2.0","id":1,"method":"token.acquire","params":{"scopes":["tasks.read"],"provider":"x"}}"#,
                1009
            ),
            (
                #"{"jsonrpc":"2.0","id":1,"method":"token.acquire","params":{"scopes":["tasks.read"],"acrValues":["99"]}}"#,
                1008
            ),
        ] as [(String, Int64)]
    )
    func refused(_ line: String, _ code: Int64) throws {
        let socket = try LineSocket(machine.socket)
        let answer = try reply(Array(line.utf8), on: socket)
        #expect(answer["error"]?["code"]?.int == code, "\(answer)")
        #expect((answer["error"]?["message"]?.string ?? "").count > 10)
        let alive = try reply(Array(#"{"jsonrpc":"2.0","id":"a","method":"broker.status"}"#.utf8), on: socket)
        #expect(alive["result"] != nil)
    }

    @Test("parameters for an external authority are refused by name at the local one") func outsideOnly() throws {
        let connection = try machine.connect()
        let refused = try connection.refusal(
            "token.acquire",
            ["scopes": ["tasks.read"], "extraQueryParameters": ["domain_hint": "x"]]
        )
        #expect(refused.code == -32602)
        #expect(refused.message.contains("extraQueryParameters"))
    }

    @Test(
        "a feature that this version does not support is refused by name and has no effect",
        arguments: [
            ("session.signOut", ["all": true, "revoke": false], "revoke")
        ] as [(String, JSONValue, String)]
    )
    func unsupported(_ method: String, _ params: JSONValue, _ member: String) throws {
        let connection = try machine.connect()
        _ = try connection.call("flow.start", ["policy": "b2c_1_sign_in", "requestId": "r"])
        let refused = try connection.refusal(method, params)
        #expect(refused.code == -32602)
        #expect(refused.data["member"]?.string == member)
        #expect(refused.message.contains(member) && refused.message.contains("This version always revokes tokens"))
        #expect(try connection.call("flow.list")["flows"]?.array?.count == 1)
    }

    @Test("a line that is not UTF-8 gets an error, and the connection continues")
    func notUTF8() throws {
        let socket = try LineSocket(machine.socket)
        let answer = try reply([0x7b, 0xff, 0xfe, 0x7d], on: socket)
        #expect(answer["error"]?["code"]?.int == -32700)
        #expect(
            try reply(Array(#"{"jsonrpc":"2.0","id":1,"method":"broker.status"}"#.utf8), on: socket)["result"] != nil
        )
    }

    @Test("a batch may have sixteen requests, not seventeen")
    func batches() throws {
        let socket = try LineSocket(machine.socket)
        func batch(_ count: Int) -> [UInt8] {
            let one = (0..<count).map { #"{"jsonrpc":"2.0","id":\#($0),"method":"broker.status"}"# }
            return Array(("[" + one.joined(separator: ",") + "]").utf8)
        }
        #expect(try reply(batch(16), on: socket).array?.count == 16)
        #expect(try reply(batch(17), on: socket)["error"]?["code"]?.int == -32600)
    }

    @Test("a request without an id is not executed")
    func notification() throws {
        let socket = try LineSocket(machine.socket)
        try socket.send(#"{"jsonrpc":"2.0","method":"flow.start","params":{"policy":"b2c_1_sign_up","requestId":"n"}}"#)
        let answer = try reply(Array(#"{"jsonrpc":"2.0","id":1,"method":"flow.list"}"#.utf8), on: socket)
        #expect(answer["result"]?["flows"]?.array?.isEmpty == true)
    }

    @Test("missing, oversized, mistyped or unknown answers are named and not counted as attempts")
    func answers() throws {
        let connection = try machine.connect()
        let flow = try #require(
            try connection.call("flow.start", ["policy": "b2c_1_sign_in", "requestId": "r"])["flow"]
        )
        let wrong: [JSONValue] = [
            [:], ["username": "a@example.org"], ["username": 7, "password": "x"],
            ["username": "a@example.org", "password": .string(String(repeating: "x", count: 9000))],
            ["username": "a@example.org", "password": "x", "shoe": "43"],
        ]
        for answers in wrong {
            let refused = try connection.refusal("flow.submit", Connection.submission(flow, answers))
            #expect(refused.code == 1006, "\(answers)")
            #expect(refused.data["nodes"]?.array?.isEmpty == false)
        }
        let now = try #require(try connection.call("flow.get", ["flow": flow["id"] ?? .null])["flow"])
        #expect(now["step"]?["id"] == flow["step"]?["id"])
        #expect(now["step"]?["attempts"]?["remaining"]?.int == 3)
    }

    @Test("the twenty-first malformed answer ends the flow")
    func patience() throws {
        let connection = try machine.connect()
        let flow = try #require(
            try connection.call("flow.start", ["policy": "b2c_1_sign_in", "requestId": "r"])["flow"]
        )
        for _ in 0..<20 {
            #expect(try connection.refusal("flow.submit", Connection.submission(flow, [:])).code == 1006)
        }
        _ = try? connection.submit(flow, [:])
        let ended = try connection.call("flow.get", ["flow": flow["id"] ?? .null])
        #expect(ended["flow"]?["state"]?.string == "failed")
        #expect(ended["flow"]?["reason"]?.string == "denied")
    }

    @Test("a value for an action without one is refused by name, and the action is not performed")
    func actionValue() throws {
        let connection = try machine.connect()
        let flow = try #require(
            try connection.call("flow.start", ["policy": "b2c_1_sign_in", "requestId": "r"])["flow"]
        )
        var params: [String: JSONValue] = [
            "flow": flow["id"] ?? .null, "step": flow["step"]?["id"] ?? .null, "action": "cancel",
            "submissionId": "a", "value": "x",
        ]
        let refused = try connection.refusal("flow.action", .object(params))
        #expect(refused.code == -32602)
        #expect(refused.message.contains("value"))
        #expect(try connection.call("flow.get", ["flow": flow["id"] ?? .null])["flow"] == flow)
        params["value"] = nil
        let done = try connection.call("flow.action", .object(params))
        #expect(done["flow"]?["state"]?.string == "cancelled")
    }

    @Test("request ids belong to one program: the same id of another program starts another flow")
    func requestIDs() throws {
        let start: JSONValue = ["policy": "b2c_1_sign_in", "requestId": "r"]
        func flow(_ client: String, _ start: JSONValue) throws -> String {
            let connection = try machine.connect()
            _ = try connection.call("broker.hello", ["protocol": [1], "client": ["id": .string(client)]])
            return try #require(try connection.call("flow.start", start)["flow"]?["id"]?.string)
        }
        let first = try flow("tokenbroker-cli", start)
        #expect(try flow("tokenbroker-cli", start) == first)
        #expect(try flow("tasks-cli", start) != first)
        // One program cannot use a request id for two different requests.
        _ = try flow("tasks-cli", ["policy": "b2c_1_sign_up", "requestId": "other"])
        let connection = try machine.connect()
        _ = try connection.call("broker.hello", ["protocol": [1], "client": ["id": "tokenbroker-cli"]])
        let refused = try connection.refusal("flow.start", ["policy": "b2c_1_sign_up", "requestId": "r"])
        #expect(refused.code == -32602, "\(refused)")
    }

    @Test(
        "an answer to an earlier step is 1004 with the flow's `rev`, and one to an ended flow 1003 with its state"
    )
    func lateAnswers() throws {
        let connection = try machine.connect()
        let start: JSONValue = ["policy": "b2c_1_sign_in", "requestId": "r"]
        let flow = try #require(try connection.call("flow.start", start)["flow"])
        let answers: JSONValue = ["username": "a@example.org", "password": "Wrong-horse-7"]
        let next = try #require(try connection.submit(flow, answers)["flow"])
        let stale = try connection.refusal("flow.submit", Connection.submission(flow, answers))
        #expect(stale.code == 1004 && stale.reason == "stale_step")
        let now = try #require(next["rev"]?.int)
        #expect(stale.data["rev"]?.int == now && next["rev"] != flow["rev"], "\(stale.data)")
        _ = try connection.call("flow.cancel", ["flow": flow["id"] ?? .null])
        let over = try connection.refusal("flow.submit", Connection.submission(next, answers))
        #expect(over.code == 1003 && over.data["state"]?.string == "cancelled", "\(over.data)")
    }

    @Test("of two simultaneous answers to one step one is evaluated, and the other is 1005 or, later, 1004")
    func atOnce() throws {
        let connection = try machine.connect()
        let start: JSONValue = ["policy": "b2c_1_sign_in", "requestId": "r"]
        let flow = try #require(try connection.call("flow.start", start)["flow"])
        let lines = (0..<2).map { number -> String in
            let answers: JSONValue = ["username": "a@example.org", "password": .string("Wrong-horse-\(number)")]
            let params = Connection.submission(flow, answers)
            return JSONValue.object([
                "jsonrpc": "2.0", "id": .int(Int64(100 + number)), "method": "flow.submit", "params": params,
            ]).text
        }
        try connection.socket.send(lines.joined(separator: "\n"))
        let replies = try (0..<2).map { _ in try StrictJSON.parse(Array(connection.socket.receive().utf8)) }
        #expect(replies.filter { $0["result"]?["verdict"]?.string == "rejected" }.count == 1, "\(replies)")
        let codes = replies.compactMap { $0["error"]?["code"]?.int }
        #expect(codes == [1005] || codes == [1004], "\(replies)")
        let left = try connection.call("flow.get", ["flow": flow["id"] ?? .null])["flow"]?["step"]?["attempts"]
        #expect(left?["remaining"]?.int == 2, "one attempt was counted: \(left ?? .null)")
    }

    @Test("an unknown flow is not found")
    func unknownFlow() throws {
        let connection = try machine.connect()
        for method in ["flow.get", "flow.wait", "flow.cancel"] {
            let refused = try connection.refusal(method, ["flow": "fl_AAAAAAAAAAAAAAAAAAAAAA"])
            #expect(refused.code == 1002)
        }
    }

    @Test("one uid may have eight open flows, not nine")
    func tooManyFlows() throws {
        let connection = try machine.connect()
        for number in 0..<8 {
            _ = try connection.call("flow.start", ["policy": "b2c_1_sign_in", "requestId": .string("r\(number)")])
        }
        let refused = try connection.refusal("flow.start", ["policy": "b2c_1_sign_in", "requestId": "r8"])
        #expect(refused.code == 1013)
    }

    @Test("the response to `broker.hello` has every limit for clients") func limits() throws {
        let hello = try machine.connect().call("broker.hello", ["protocol": [1], "client": ["id": "tests"]])
        let limits = hello["limits"]?.object ?? [:]
        let expected: [String: JSONValue] = [
            "requestBytes": 65_536, "responseBytes": 1_048_576, "batch": 16, "connectionsPerUid": 64,
            "requestsPerSecondPerUid": 200_000, "inFlightPerConnection": 32, "flowsPerUid": 8, "flows": 256,
            "answerBytes": 16_384, "answerFields": 32, "waitMs": 60_000, "unreadBytesPerConnection": 4_194_304,
        ]
        #expect(limits == expected)
    }
}
