import BrokerAPI
import Foundation
import OAuth
import Synchronization
import Systemd
import TestSupport
import Testing

@testable import BrokerRPC

@Suite(.timeLimit(.minutes(1)))
struct MessagesTests {
    @Test("a call gets a response with its id") func call() async throws {
        try await TestSocket.open([.echo]) { server, _ in
            let socket = try server.connect()
            let answer = try await socket.ask(#"{"jsonrpc":"2.0","id":"é\n","method":"echo","params":{"a":[1]}}"#)
            #expect(answer == ["jsonrpc": "2.0", "id": "é\n", "result": ["a": [1]]])
        }
    }

    @Test(
        "an invalid call gets an error with the code for the cause",
        arguments: [
            ("nonsense", -32_700, JSONValue.null), ("", -32_700, .null), ("[]", -32_600, .null), ("7", -32_600, .null),
            (#"{"jsonrpc":"2.0","id":1,"method":"none"}"#, -32_601, 1),
            (#"{"jsonrpc":"2.0","id":1,"method":"echo","params":[1]}"#, -32_602, 1),
            (#"{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":1,"a":2}}"#, -32_700, .null),
            (#"{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":99999999999999999999}}"#, -32_700, .null),
        ]
    )
    func refused(line: String, code: Int64, id: JSONValue) async throws {
        try await TestSocket.open([.echo]) { server, _ in
            let socket = try server.connect()
            let answer = try await socket.ask(line)
            #expect(answer["id"] == id)
            #expect(answer["error"]?["code"]?.int == code)
            #expect(answer["error"]?["data"]?["reason"]?.string != nil)
            #expect(answer["error"]?["data"]?["correlationId"]?.string.flatMap(CorrelationID.init) != nil)
            let next = try await socket.ask(#"{"jsonrpc":"2.0","id":2,"method":"echo"}"#)
            #expect(next["result"] == [:])
        }
    }

    @Test("bytes that are not UTF-8 are rejected, and the connection stays open") func notUTF8() async throws {
        try await TestSocket.open([.echo]) { server, _ in
            let socket = try server.connect()
            try socket.send(
                bytes: Array(#"{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":""#.utf8) + [0xC3, 0x28]
            )
            let answer = try await socket.ask(#""}}"#)
            #expect(answer["error"]?["code"] == -32_700)
            #expect(try await socket.ask(#"{"jsonrpc":"2.0","id":2,"method":"echo"}"#)["id"] == 2)
        }
    }

    @Test("a line of 64 KiB gets a response; one byte more is rejected and ends the connection") func longLines()
        async throws
    {
        try await TestSocket.open([.echo]) { server, _ in
            let start = #"{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":""#
            let filler = String(repeating: "x", count: 65_536 - start.utf8.count - 3)
            let socket = try server.connect()
            let whole = try await socket.ask(start + filler + #""}}"#)
            #expect(whole["result"]?["a"]?.string == filler)
            let refused = try await socket.ask(start + filler + #"x"}}"#)
            #expect(refused["id"] == .null)
            #expect(refused["error"]?["code"] == -32_600)
            #expect(try await socket.closes())
        }
    }

    @Test("a call without an id is not executed, and is audited if it would have changed something") func notification()
        async throws
    {
        let change = Method.made("change", changesState: true) { _, _ in
            Issue.record("was executed")
            return MethodResult(result: [:])
        }
        try await TestSocket.open([.echo, change]) { server, _ in
            let socket = try server.connect()
            try socket.send(#"{"jsonrpc":"2.0","method":"change"}"#)
            try socket.send(#"{"jsonrpc":"2.0","method":"echo"}"#)
            let batch = try await socket.ask(
                #"[{"jsonrpc":"2.0","method":"change"},{"jsonrpc":"2.0","id":1,"method":"echo"}]"#
            )
            #expect(batch.array?.count == 1)
            #expect(Set(try await server.notes()) == ["change 1000"])
        }
    }

    @Test("any number of calls without an id write at most 21 log lines in a minute") func flood() async throws {
        let change = Method.made("change", changesState: true) { _, _ in MethodResult(result: [:]) }
        try await TestSocket.open([.echo, change]) { server, _ in
            let socket = try server.connect()
            for _ in 0..<100 {
                let batch =
                    Array(repeating: #"{"jsonrpc":"2.0","method":"change"}"#, count: 15)
                    + [#"{"jsonrpc":"2.0","id":1,"method":"echo"}"#]
                _ = try await socket.ask("[" + batch.joined(separator: ",") + "]")
            }
            #expect(
                server.lines.all.count { $0.contains("call without an id") || $0.contains("further refusals") }
                    == RefusalLog.linesPerOrigin + 1
            )
            let noted = try await server.notes().count
            #expect(try await noted + server.suppressed() == 1500)
        }
    }

    @Test("a batch gets one array; 17 calls are rejected as a whole") func batches() async throws {
        try await TestSocket.open([.echo]) { server, _ in
            let socket = try server.connect()
            let calls = (1...16).map { #"{"jsonrpc":"2.0","id":\#($0),"method":"echo"}"# }
            let answers = try await socket.ask("[" + calls.joined(separator: ",") + "]")
            #expect(answers.array?.compactMap { $0["id"]?.int } == Array(1...16))
            let tooMany = try await socket.ask("[" + (calls + calls.prefix(1)).joined(separator: ",") + "]")
            #expect(tooMany["error"]?["code"] == -32_600)
            #expect(tooMany["id"] == .null)
        }
    }

    @Test("a response has its request's id as the client wrote it") func writtenIDs() async throws {
        try await TestSocket.open([.echo]) { server, _ in
            let socket = try server.connect()
            for id in ["1.0", "1e3", "18446744073709551615"] {
                let call = #"{"jsonrpc":"2.0","id":\#(id),"method":"echo"}"#
                try socket.send(call)
                #expect(try await socket.nextLine().hasPrefix(#"{"jsonrpc":"2.0","id":\#(id),"result""#))
                try socket.send("[\(call)]")
                #expect(try await socket.nextLine().hasPrefix(#"[{"jsonrpc":"2.0","id":\#(id),"result""#))
            }
            let long = try await socket.ask(
                #"{"jsonrpc":"2.0","id":\#(String(repeating: "1", count: 65)),"method":"echo"}"#
            )
            #expect(long["error"]?["code"] == -32_600 && long["id"] == .null)
        }
    }

    @Test("a last line without a line break is answered") func lastLine() async throws {
        try await TestSocket.open([.echo]) { server, _ in
            let socket = try server.connect()
            try socket.send(bytes: Array(#"{"jsonrpc":"2.0","id":7,"method":"echo"}"#.utf8))
            socket.finishSending()
            #expect(try await socket.next()["id"] == 7)
            #expect(try await socket.closes())
            let cut = try server.connect()
            try cut.send(bytes: Array(#"{"jsonrpc":"2.0","id":8,"meth"#.utf8))
            cut.finishSending()
            #expect(try await cut.next()["error"]?["code"] == -32_700)
            #expect(try await cut.closes())
        }
    }

    @Test("only one call of a batch may change a flow") func flowTwice() async throws {
        let submit = Method.made("flow.submit", changesState: true) { _, _ in MethodResult(result: [:]) }
        try await TestSocket.open([submit]) { server, _ in
            let socket = try server.connect()
            let answers = try await socket.ask(
                """
                [{"jsonrpc":"2.0","id":1,"method":"flow.submit","params":{"flow":"a"}},\
                {"jsonrpc":"2.0","id":2,"method":"flow.submit","params":{"flow":"a"}},\
                {"jsonrpc":"2.0","id":3,"method":"flow.submit","params":{"flow":"b"}}]
                """
            )
            let elements = try #require(answers.array)
            #expect(elements[0]["result"] == [:])
            #expect(elements[1]["error"]?["data"]?["reason"] == "stale_step")
            #expect(elements[2]["result"] == [:])
        }
    }

    @Test("a response of more than 1 MiB is replaced by an error") func largeAnswer() async throws {
        let large = Method.made("large") { _, _ in
            MethodResult(result: ["a": .string(String(repeating: "x", count: 1024 * 1024))])
        }
        try await TestSocket.open([large]) { server, _ in
            let answer = try await server.connect().ask(#"{"jsonrpc":"2.0","id":1,"method":"large"}"#)
            #expect(answer["error"]?["code"] == 1013)
            #expect(answer["id"] == 1)
        }
    }

    @Test("an unexpected error is reported as internal and reveals nothing") func fault() async throws {
        struct Odd: Error { let secret = "hunter2" }
        try await TestSocket.open([.made("odd") { _, _ in throw Odd() }]) { server, _ in
            let answer = try await server.connect().ask(#"{"jsonrpc":"2.0","id":1,"method":"odd"}"#)
            #expect(answer["error"]?["code"] == -32_603)
            #expect(!answer.text.contains("hunter2"))
        }
    }

    @Test("an error carries the caller's correlation id") func correlation() async throws {
        let id = CorrelationID()
        try await TestSocket.open([]) { server, _ in
            let answer = try await server.connect().ask(
                #"{"jsonrpc":"2.0","id":1,"method":"none","params":{"correlationId":"\#(id)"}}"#
            )
            #expect(answer["error"]?["data"]?["correlationId"]?.string == id.description)
        }
    }
}
