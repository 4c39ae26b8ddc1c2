import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// End-to-end tests that follow a correlation id from the caller to the log and the audit.
@Suite(.timeLimit(.minutes(5)))
struct CorrelationTests {
    private let machine: Machine
    private let daemon: RunningProgram
    private let person = Person.random()

    init() throws {
        machine = try Machine()
        daemon = try machine.startBroker()
        try person.signUp(machine.connect(), on: machine)
    }

    /// Returns the names of the audit events that have a correlation id, in order.
    private func events(_ id: String, everybodys: Bool = false) throws -> [String] {
        let listed = try machine.tokenbroker(["audit", "--json"] + (everybodys ? ["--all"] : []))
        #expect(listed.status == 0, "\(listed.errors)")
        let events = try StrictJSON.parse(Array(listed.output.utf8))["events"]?.array ?? []
        #expect(!events.isEmpty)
        return events.filter { $0["correlationId"]?.string == id }.compactMap { $0["event"]?.string }
    }

    private func end(_ program: RunningProgram) -> String {
        program.signal(SIGTERM)
        #expect(program.wait() == 0)
        return program.errors()
    }

    @Test("a command's correlation id is in the audit of all its events, and of no other") func audit() throws {
        let ids = [CorrelationID(), CorrelationID()].map(\.description)
        for id in ids {
            let signedIn = try machine.tokenbroker(
                ["sign-in", "--answer", "username=\(person.email)", "--password-stdin", "--correlation-id", id],
                input: person.password + "\n"
            )
            #expect(signedIn.status == 0, "\(signedIn.errors)")
        }
        for id in ids {
            let found = try events(id)
            for event in ["flow.started", "signin.succeeded", "flow.succeeded"] {
                #expect(found.filter { $0 == event }.count == 1, "\(event): \(found)")
            }
            #expect(!found.contains("account.created"))
        }
        _ = end(daemon)
    }

    @Test("a correlation id is in the error that a command prints and in the daemon's log") func refused() throws {
        let (asked, usual) = (CorrelationID().description, ["token", "--scope", "tasks.fly", "--no-prompt", "--json"])
        let refused = try machine.tokenbroker(usual + ["--correlation-id", asked])
        let last = try #require(refused.errors.split(separator: "\n").last)
        let error = try StrictJSON.parse(Array(last.utf8))["error"]
        #expect(refused.status != 0 && error?["correlationId"]?.string == asked, "\(refused.errors)")
        // If the caller sends no correlation id, the daemon generates and logs an id.
        let other = try #require(try machine.tokenbroker(usual).errors.split(separator: "\n").last)
        let made = try #require(try StrictJSON.parse(Array(other.utf8))["error"]?["correlationId"]?.string)
        let log = end(daemon)
        #expect(made != asked && log.contains(asked) && log.contains(made))
    }

    @Test("the correlation id of `tasks` is in the API's log, responses and errors") func tasks() async throws {
        let api = try machine.startTasks()
        let id = CorrelationID().description
        let signedIn = try machine.tasks(
            ["sign-in", "--answer", "username=\(person.email)", "--password-stdin"],
            input: person.password + "\n"
        )
        #expect(signedIn.status == 0, "\(signedIn.errors)")
        let listed = try machine.tasks(["list", "--correlation-id", id])
        #expect(listed.status == 0, "\(listed.errors)")
        let asked = CorrelationID().description
        let missing = try await get("\(machine.api)/tables/nothing", asked)
        #expect(missing.status == 401 || missing.status == 404)
        #expect(missing.id == asked && missing.body["correlationId"]?.string == asked, "\(missing.body.text)")
        let log = end(api)
        #expect(log.contains(id) && log.contains(asked))
        _ = end(daemon)
    }

    @Test("the correlation id of a browser's request is in the audit and in the response to a program") func web()
        async throws
    {
        let (begun, wrong) = (CorrelationID().description, CorrelationID().description)
        let page = try await get(machine.authorizeAddress(), begun)
        #expect(page.id == begun)
        #expect(try events(begun, everybodys: true) == ["flow.started"])
        let refused = try await get("\(machine.base)/local/b2c_1_sign_in/oauth2/v2.0/token", wrong)
        #expect(refused.status == 405 && refused.id == wrong)
        #expect(refused.body["correlation_id"]?.string == wrong, "\(refused.body.text)")
        let log = end(daemon)
        #expect(log.contains(begun) && log.contains(wrong))
    }

    /// Sends a GET request with a correlation id.
    private func get(_ url: String, _ id: String) async throws -> (status: Int, id: String?, body: JSONValue) {
        var request = HTTPClientRequest(url: url)
        request.headers.add(name: "client-request-id", value: id)
        let response = try await HTTPClient.forTests.execute(request, timeout: .seconds(30))
        let bytes = try await response.body.collect(upTo: 1 << 20)
        let body = (try? StrictJSON.parse(Array(bytes.readableBytesView))) ?? .null
        return (Int(response.status.code), response.headers.first(name: "client-request-id"), body)
    }
}
