import Foundation
import OAuth
import TestSupport
import Testing

/// Tests of the user's language and a program's supported steps in `broker.hello`.
@Suite(.timeLimit(.minutes(5)))
struct LanguageTests {
    private let machine: Machine
    private let daemon: RunningProgram

    init() throws {
        machine = try Machine()
        daemon = try machine.startBroker()
    }

    private func hello(_ members: [String: JSONValue]) -> JSONValue {
        let program: JSONValue = ["id": "tasks-cli", "name": "Tests", "version": "1.2"]
        let greeting: [String: JSONValue] = ["protocol": [1], "client": program]
        return .object(greeting.merging(members) { $1 })
    }

    @Test("flows prompt in the language of `broker.hello`") func locale() throws {
        let connection = try machine.connect()
        _ = try connection.call("broker.hello", hello(["locale": "de-AT"]))
        let flow = try #require(
            try connection.call("flow.start", ["policy": "b2c_1_sign_up", "requestId": "r"])["flow"]
        )
        #expect(flow["step"]?["title"] == "Konto anlegen")
        let labels = flow["step"]?["nodes"]?.array?.compactMap { $0["label"]?.string } ?? []
        #expect(labels == ["E-Mail-Adresse", "Anzeigename", "Ort", "Mannschaft", "Neues Kennwort"])
        // A connection that sent no `broker.hello` gets the flow in the same language.
        let id = try #require(flow["id"])
        #expect(try machine.connect().call("flow.get", ["flow": id])["flow"]?["step"]?["title"] == "Konto anlegen")
    }

    @Test("a step that the program does not support is refused with 1009") func steps() throws {
        let connection = try machine.connect()
        _ = try connection.call("broker.hello", hello(["steps": ["password"]]))
        let refused = try connection.refusal("flow.start", ["policy": "b2c_1_sign_up", "requestId": "r"])
        #expect(refused.code == 1009 && refused.reason == "unsupported_step")
        let flow = try connection.call("token.acquire", ["scopes": ["tasks.read"]])["flow"]
        #expect(flow?["step"]?["type"] == "password")
    }

    @Test(
        "a value that `broker.hello` does not support in this version is refused by name",
        arguments: [("tty", true), ("browser", false), ("locale", "de_AT.UTF-8"), ("steps", [])]
            as [(String, JSONValue)]
    )
    func refused(_ member: String, _ value: JSONValue) throws {
        let refused = try machine.connect().refusal("broker.hello", hello([member: value]))
        #expect(refused.code == -32_602)
        #expect(refused.message.contains(" parameter `\(member)` "), "\(refused.message)")
    }

    @Test("the daemon's log names a program as `broker.hello` did") func logged() throws {
        _ = try machine.connect().call("broker.hello", hello([:]))
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
        let line = daemon.errors().split(separator: "\n").first { $0.contains("client introduced itself") }
        #expect(line?.contains("name=Tests") == true && line?.contains("version=1.2") == true, "\(line ?? "")")
    }

    @Test("both command lines prompt in the language of the environment") func terminal() throws {
        let signIn = try machine.atTerminal(
            "tokenbroker",
            ["sign-in"],
            answers: ["E-Mail-Adresse=nobody@example.org", "Kennwort=wrong"],
            locale: "de_DE.UTF-8"
        )
        #expect(signIn.output.contains("Der Name oder das Kennwort stimmt nicht."), "\(signIn.output)")
        let tasks = try machine.atTerminal(
            "tasks",
            ["sign-in"] + machine.tasksArguments,
            answers: ["E-mail address=nobody@example.org"],
            locale: "C"
        )
        #expect(tasks.output.contains("Password"), "\(tasks.output)")
    }
}
