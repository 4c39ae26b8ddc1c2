import Foundation
import OAuth
import TestSupport
import Testing

/// Planted secrets are looked for wherever they must not be.
@Suite(.timeLimit(.minutes(5)))
struct SecrecyTests {
    @Test("no password, code, token or key stands in a log, a database, an answer or an argument")
    func planted() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let person = Person.random()
        let connection = try machine.connect()
        let flow = try person.beginSignUp(connection)
        let code = try machine.code(for: person.email)
        var replies: [String] = []
        func keep(_ value: JSONValue) { replies.append(value.text) }

        keep(try connection.submit(flow, ["code": .string(code)]))
        let token = try #require(try person.token(connection)["accessToken"]?.string)
        let signIn = try #require(
            try connection.call("flow.start", ["policy": "b2c_1_sign_in", "requestId": "s"])["flow"]
        )
        let wrong = "Planted-wrong-9"
        keep(try connection.submit(signIn, ["username": .string(person.email), "password": .string(wrong)]))
        keep(try connection.call("flow.get", ["flow": signIn["id"] ?? .null]))
        let misplaced = try connection.refusal(
            "flow.submit",
            Connection.submission(signIn, ["username": .string(person.email), "password": [.string(person.password)]])
        )
        replies.append(misplaced.message + misplaced.data.text)
        for (method, params) in [
            ("token.list", [:]), ("audit.query", [:]), ("account.list", [:]), ("flow.list", [:]),
            ("broker.status", [:]),
        ] as [(String, JSONValue)] {
            keep(try connection.call(method, params))
        }
        try connection.socket.send(#"{"jsonrpc":"2.0","id":1,"method":"flow.submit","params":{"answers":{"password":"#)
        replies.append(try connection.socket.receive())
        try connection.socket.send("\(person.password) \(token)")
        replies.append(try connection.socket.receive())

        let keys = try ["cache-key", "authority-key"].map {
            try Data(contentsOf: URL(fileURLWithPath: machine.state + "/" + $0))
        }
        let secrets = [person.password, wrong, code, token].map { Data($0.utf8) } + keys
        daemon.signal(SIGTERM)
        daemon.wait()
        for secret in secrets {
            #expect(Data(daemon.errors().utf8).range(of: secret) == nil, "in the log")
            for reply in replies { #expect(Data(reply.utf8).range(of: secret) == nil, "in \(reply.prefix(80))") }
        }
        let files = try FileManager.default.subpathsOfDirectory(atPath: machine.state)
        for name in files where name.hasPrefix("authority.sqlite") || name.hasPrefix("cache.sqlite") {
            let content = try Data(contentsOf: URL(fileURLWithPath: machine.state + "/" + name))
            for secret in secrets where secret.count > 6 {
                #expect(content.range(of: secret) == nil, "in \(name)")
            }
            #expect(content.range(of: Data(person.email.utf8)) == nil, "the address is sealed in \(name)")
        }
    }
}
