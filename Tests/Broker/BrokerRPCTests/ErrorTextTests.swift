import BrokerAPI
import FlowModel
import Localization
import OAuth
import Testing

@testable import BrokerRPC

/// Error messages are sent in English, with the key and the parameters that a translation needs.
@Suite(.timeLimit(.minutes(1)))
struct ErrorTextTests {
    private struct Fault: Error {}

    @Test("a refusal has the English sentence, its key and its parameters") func refusal() async throws {
        let method = Method.made("refuse") { _, _ in
            throw Refusal(.unknownClient, Text("refusal.noSuchClient", ["client": "app"])).because("for the log")
        }
        try await TestSocket.open([method]) { server, _ in
            let answer = try await server.connect().ask(#"{"jsonrpc":"2.0","id":1,"method":"refuse"}"#)
            let error = try #require(answer["error"])
            #expect(
                error["code"] == 1022
                    && error["message"] == "There is no client named app."
            )
            #expect(error["data"]?["reason"] == "unknown_client" && error["data"]?["key"] == "refusal.noSuchClient")
            #expect(error["data"]?["parameters"] == ["client": "app"])
            let read = BrokerError(try #require(JSONRPCError(error)))
            #expect(read.text.words(in: .german) == "Eine Anwendung app gibt es nicht.")
        }
    }

    @Test(
        "an error of JSON-RPC itself has the key of its sentence",
        arguments: [
            ("nonsense", "notJSON"), ("[]", "batchEmpty"), ("7", "requestNoObject"), (#"{"id":[]}"#, "requestID"),
            (#"{"id":1,"method":"made"}"#, "requestVersion"), (#"{"jsonrpc":"2.0","id":1}"#, "requestMethod"),
            (#"{"jsonrpc":"2.0","id":1,"method":"none"}"#, "noSuchMethod"),
            (#"{"jsonrpc":"2.0","id":1,"method":"made","params":[1]}"#, "paramsByPosition"),
            (#"{"jsonrpc":"2.0","id":1,"method":"made","params":1}"#, "paramsNoObject"),
            (#"{"jsonrpc":"2.0","id":1,"method":"made","params":{"invalid":1}}"#, "noSuchGroup"),
            (#"{"jsonrpc":"2.0","id":1,"method":"made"}"#, "callFailed"),
            ("[" + [String](repeating: "1", count: 17).joined(separator: ",") + "]", "batchTooLong"),
        ]
    )
    func standard(_ line: String, _ key: String) async throws {
        let method = Method.made("made") { _, params in
            if params.isEmpty { throw Fault() }
            throw InvalidParameters(Text("refusal.noSuchGroup"))
        }
        try await TestSocket.open([method]) { server, _ in
            let answer = try await server.connect().ask(line)
            let error = BrokerError(try #require(answer["error"].flatMap(JSONRPCError.init)))
            #expect(error.code < 0 && error.text.key == "refusal.\(key)" && error.correlationID != nil)
            #expect(error.text.english == error.message && error.text.words(in: .german) != error.message)
        }
    }

    @Test("an invalid parameter of a service is -32602 with its reason") func invalid() async throws {
        let method = Method.made("made") { _, _ in throw InvalidParameters(Text("refusal.noSuchKey")) }
        try await TestSocket.open([method]) { server, _ in
            let answer = try await server.connect().ask(#"{"jsonrpc":"2.0","id":1,"method":"made"}"#)
            #expect(answer["error"]?["code"] == -32_602)
            #expect(answer["error"]?["message"] == "There is no signing key with this id.")
            #expect(answer["error"]?["data"]?["reason"] == "invalid_params")
        }
    }

    @Test("rpc.discover describes the data of errors") func discover() throws {
        let schemas = try #require(RPCDiscover.Answer(methods: [], version: "1").json["components"]?["schemas"])
        let members = try #require(schemas["ErrorData"]?["properties"]?.object)
        #expect(Set(members.keys) == ["reason", "correlationId", "key", "parameters"])
        #expect(schemas["TextValue"]?["oneOf"]?.array?.count == 4)
    }
}
