import Foundation
import OAuth
import TestSupport
import Testing

/// End-to-end tests with servers whose responses or addresses could crash a careless client.
///
/// The programs must report an error and must not crash.
@Suite(.timeLimit(.minutes(5)))
struct HostileServerTests {
    /// A server that sends the same response to every request.
    private struct Server {
        let port = freePort()
        private let listener: Int32

        /// Starts a server that sends the result of `text`, which is called with the server's port.
        ///
        /// If `readsOn` is `true`, the server waits for a second request and then closes the connection without a
        /// response.
        init(answering text: @escaping @Sendable (Int) -> String, readsOn: Bool = false) throws {
            listener = try LoopbackTCP.listening(at: port)
            LoopbackTCP.serve(listener) { [port] client in
                var bytes = [UInt8](repeating: 0, count: 4096)
                _ = read(client, &bytes, bytes.count)
                _ = text(port).withCString { write(client, $0, strlen($0)) }
                if readsOn { _ = read(client, &bytes, bytes.count) }
            }
        }

        func stop() { LoopbackTCP.stop(listener) }
    }

    @Test("a status below 100 is an unusable response, and ends no program", arguments: ["000", "099"])
    func status(_ code: String) throws {
        let server = try Server(answering: { _ in "HTTP/1.1 \(code) X\r\nContent-Length: 0\r\n\r\n" })
        defer { server.stop() }
        let base = "http://127.0.0.1:\(server.port)"
        let machine = try Machine(configuration: [
            "apis:", "  tasks: {audience: tasks, origins: [\"\(base)\"], scopes: {tasks.read: R, tasks.write: W}}",
        ])
        let daemon = try machine.startBroker()
        let connection = try machine.connect()
        try Person.random().signUp(connection, on: machine)
        let params: JSONValue = ["name": "odd", "url": .string(base), "clientId": "c"]
        #expect([1014, 1015].contains(try connection.refusal("authority.add", params).code))
        #expect(try connection.call("broker.status")["version"] != nil)
        let request = try machine.tokenbroker(["request", "--no-prompt", base + "/"])
        #expect(request.status == 69 && request.errors.contains("tokenbroker: error: "), "\(request)")
        try machine.write(["api: \(base)"], to: "etc/tasks.yaml")
        let sync = try machine.tasks(["sync"])
        #expect(sync.status == 75 && sync.errors.contains("tasks: error: "), "\(sync)")
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }

    @Test("a server that closes a reused connection at the next request is detected at once") func closed() throws {
        let server = try Server(answering: Self.metadata, readsOn: true)
        defer { server.stop() }
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let base = "http://127.0.0.1:\(server.port)"
        let connection = try machine.connect()
        func added(_ name: String) -> JSONValue { ["name": .string(name), "url": .string(base), "clientId": "c"] }
        _ = try connection.call("authority.add", added("first"))
        #expect(try connection.refusal("authority.add", added("second")).code == 1014)
        let log = daemon.errors()
        #expect(log.contains("remoteConnectionClosed") && !log.contains("took longer"), "\(log)")
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }

    /// Returns an HTTP response with the metadata of an authority that listens on `port`.
    @Sendable private static func metadata(_ port: Int) -> String {
        let base = "http://127.0.0.1:\(port)"
        let body = """
            {"issuer":"\(base)","authorization_endpoint":"\(base)/a","token_endpoint":"\(base)/t","jwks_uri":"\(base)/j",\
            "response_types_supported":["code"],"subject_types_supported":["public"],\
            "id_token_signing_alg_values_supported":["ES256"]}
            """
        return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    @Test(
        "an impossible port is refused by name, at the socket and in every file",
        arguments: ["https://127.0.0.1:99999", "https://[::1]:70000", "https://login.example:0"]
    )
    func port(_ url: String) throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let connection = try machine.connect()
        let added: JSONValue = ["name": "odd", "url": .string(url), "clientId": "c"]
        let refused = try connection.refusal("authority.add", added)
        #expect(refused.code == -32602 && refused.message.contains("1 to 65535"), "\(refused)")
        let origins: JSONValue = [
            "name": "odd", "url": "https://login.example", "clientId": "c", "origins": [.string(url)],
        ]
        #expect(try connection.refusal("authority.add", origins).code == -32602)
        #expect(try connection.call("broker.status")["version"] != nil)
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
        try machine.write(
            ["checks:", "  Corp: {type: customIdentityProvider, realm: r, url: \"\(url)\", tenant: t}"],
            to: "etc/policies/checks.yaml"
        )
        let check = try machine.runBroker(["--check"])
        #expect(check.status == 78 && check.errors.contains("1 to 65535"), "\(check)")
    }
}
