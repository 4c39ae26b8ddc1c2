import Foundation
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// Tests of sign-ins in a browser and at a terminal.
@Suite(.timeLimit(.minutes(5)))
struct BrowserSignInTests {
    private let machine: Machine
    /// The running daemon, which is killed when this object is released.
    private let daemon: RunningProgram

    init() throws {
        machine = try Machine()
        daemon = try machine.startBroker()
    }

    /// Returns a user who has just signed out, and a connection for a new sign-in.
    private func signedOut() throws -> (Person, Connection) {
        let person = Person.random()
        let connection = try machine.connect()
        try person.signUp(connection, on: machine)
        _ = try connection.call("session.signOut", ["all": true])
        return (person, connection)
    }

    /// Submits the user's name and password on a page, and waits until the flow has succeeded.
    ///
    /// - Returns: The account that signed in.
    private func answer(
        _ page: WebBrowser.Page,
        in browser: inout WebBrowser,
        as person: Person,
        _ flow: JSONValue,
        _ connection: Connection
    ) async throws -> JSONValue {
        #expect(page.text.contains("name=\"password\""))
        let done = try await browser.submit(page, ["username": person.email, "password": person.password])
        #expect(done.status == 200)
        let waited = try connection.call(
            "flow.wait",
            ["flow": flow["id"] ?? .null, "sinceRev": flow["rev"] ?? .null, "timeoutMs": 20_000]
        )
        #expect(waited["flow"]?["state"]?.string == "succeeded")
        return try #require(waited["flow"]?["account"])
    }

    @Test("a browser and the socket share one count of wrong answers: three block the name at both")
    func authorize() async throws {
        let person = Person.random()
        try person.signUp(try machine.connect(), on: machine)
        var browser = WebBrowser()
        let page = try await browser.open(machine.authorizeAddress())
        #expect(page.status == 200 && page.text.contains("name=\"password\""))
        let answers = ["username": person.email, "password": person.password]
        let answer = try await browser.submit(page, answers)
        let location = try destination(of: answer)
        #expect(location.hasPrefix("http://localhost:7777?code=") && location.contains("&state=s1&iss="))
        // One uid sends two wrong passwords at the socket and one wrong password in the browser.
        var wrong = person
        for guess in 5...6 {
            wrong.password = "Wrong-horse-\(guess)"
            #expect(try wrong.signIn(try machine.connect()) == "rejected")
        }
        let again = try await browser.open(machine.authorizeAddress())
        let last = try await browser.submit(again, ["username": person.email, "password": "Wrong-horse-7"])
        #expect(last.status == 429)
        // A user name that is blocked in the browser is also blocked at the socket, even with the right password.
        let refused = #expect(throws: Connection.Refused.self) { try person.signIn(try machine.connect()) }
        #expect(refused?.code == 1007 && refused?.reason == "blocked" && (refused?.retryAfterMs ?? 0) > 0)
    }

    @Test("a flow of the terminal is completed in a browser of the same uid without an extra confirmation")
    func terminal() async throws {
        let (person, connection) = try signedOut()
        let acquired = try connection.call(
            "token.acquire",
            ["scopes": ["tasks.read"], "mode": "browser", "policy": "b2c_1_sign_in", "prompt": "login"]
        )
        let flow = try #require(acquired["flow"])
        let address = try #require(flow["browser"]?["url"]?.string)
        #expect(flow["browser"]?["words"]?.strings?.count == 2)
        var browser = WebBrowser()
        let page = try await browser.open(address)
        let account = try await answer(page, in: &browser, as: person, flow, connection)
        _ = try person.token(connection, ["account": account])
    }

    @Test("a flow of the terminal is completed on another device after the user types its code")
    func typedCode() async throws {
        let (person, connection) = try signedOut()
        let started = try connection.call(
            "flow.start",
            ["policy": "b2c_1_sign_in", "mode": "device", "requestId": "r1"]
        )
        let flow = try #require(started["flow"])
        let device = try #require(flow["device"])
        let userCode = try #require(device["userCode"]?.string)
        #expect(device["verificationUri"]?.string == "\(machine.base)/device")
        #expect(device["verificationUriComplete"]?.string == "\(machine.base)/device?user_code=\(userCode)")
        #expect(device["words"]?.strings?.count == 2)
        var browser = WebBrowser()
        let entry = try await browser.open("\(machine.base)/device")
        let unknown = try await browser.submit(entry, ["user_code": "BBBB-BBBB"])
        #expect(unknown.status == 422)
        let page = try await browser.submit(unknown, ["user_code": userCode.lowercased()])
        _ = try await answer(page, in: &browser, as: person, flow, connection)
        _ = try person.token(connection)
    }

    @Test("a user signs a terminal out on the account page, and its next token requires a sign-in") func account()
        async throws
    {
        let person = Person.random()
        let connection = try machine.connect()
        try person.signUp(connection, on: machine)
        _ = try person.token(connection)
        var browser = WebBrowser()
        let asked = try await browser.open("\(machine.base)/local/account")
        let page = try await browser.submit(asked, ["username": person.email, "password": person.password])
        #expect(page.status == 200 && page.text.contains(person.email))
        let button = try #require(page.text.firstMatch(of: /name="_endDevice" value="([^"]+)"/))
        let done = try await browser.submit(page, ["_endDevice": String(button.1)])
        #expect(done.status == 200 && done.text.contains("That device is signed out."))
        let refused = #expect(throws: Connection.Refused.self) { try person.token(connection) }
        #expect(refused?.reason == "interaction_required", "\(String(describing: refused))")
    }
}
