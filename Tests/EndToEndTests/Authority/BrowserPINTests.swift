import Foundation
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// Tests of the PIN pages in Chromium.
@Suite(.timeLimit(.minutes(5)))
struct BrowserPINTests {
    /// Opens an address in a browser, and fills in one page with each group of answers.
    ///
    /// - Returns: The titles of the pages.
    private func answer(_ address: String, _ groups: [String]...) throws -> String {
        let answers = groups.joined(separator: ["--"])
        let outcome = try BuiltProgram(path: "/usr/bin/python3").run(
            [ProjectFolder.path + "/scripts/at-browser", address] + answers,
            // The browser runs headless, because it gets no display.
            environment: ProcessInfo.processInfo.environment.filter { !$0.key.hasSuffix("DISPLAY") },
            within: 100
        )
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        return outcome.output
    }

    @Test("a flow that moves from the socket to a browser keeps its uid: the PIN is set and requested there")
    func pages() throws {
        let machine = try Machine()
        let broker = try machine.startBroker()
        let person = Person.random()
        let connection = try machine.connect()
        try person.signUp(connection, on: machine)
        func ask() throws -> JSONValue {
            let asked: JSONValue = ["scopes": ["accessRestricted"], "mode": "browser"]
            return try #require(try connection.call("token.acquire", asked)["flow"])
        }
        func address(_ flow: JSONValue) throws -> String { try #require(flow["browser"]?["url"]?.string) }
        func end(_ flow: JSONValue) throws -> String? {
            let wait: JSONValue = ["flow": flow["id"] ?? .null, "sinceRev": flow["rev"] ?? .null, "timeoutMs": 20_000]
            return try connection.call("flow.wait", wait)["flow"]?["state"]?.string
        }
        let first = try ask()
        let set = try answer(try address(first), ["password=\(person.password)"], ["pin=2468"])
        #expect(set.contains("Choose a PIN"), "\(set)")
        #expect(try end(first) == "succeeded")
        let listed = try connection.call("credential.list")["credentials"]?.array
        #expect(listed?.first?["type"]?.string == "pin")
        _ = try connection.call("check.logout", ["check": "PinCodeAttempts"])
        let second = try ask()
        let asked = try answer(try address(second), ["pin=2468"])
        #expect(asked.contains("Enter your PIN"), "\(asked)")
        #expect(try end(second) == "succeeded")
        let token = try connection.call("token.acquire", ["scopes": ["accessRestricted"], "prompt": "none"])["token"]
        #expect(token?["acr"]?.string == "2")
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
    }

    @Test("a browser flow without a socket has no uid and offers no PIN") func alone() async throws {
        let machine = try Machine()
        let broker = try machine.startBroker()
        try Person.random().signUp(try machine.connect(), on: machine)
        var browser = WebBrowser()
        let page = try await browser.open(machine.authorizeAddress(scope: "openid accessRestricted"))
        let location = try #require(page.headers.first(name: "Location"), "\(page.status) \(page.text)")
        #expect(location.contains("error=unmet_authentication_requirements"), "\(location)")
        #expect(!page.text.contains("name=\"pin\""))
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
    }
}
