import Foundation
import OAuth
import TestSupport
import Testing

/// Tests of the configuration of renewals, and of requests without `scope`, with the built daemon.
@Suite(.timeLimit(.minutes(5)))
struct RepeatedRenewalTests {
    private static let policy = "b2c_1_sign_in"

    /// Signs in a new user in a browser, and returns the token response.
    private func tokens(_ machine: Machine, scope: String) async throws -> JSONValue {
        let person = Person.random()
        try person.signUp(try machine.connect(), on: machine)
        var browser = WebBrowser()
        let page = try await browser.open(machine.authorizeAddress(Self.policy, scope: scope))
        let answers = ["username": person.email, "password": person.password]
        return try await machine.redeem(try await browser.submit(page, answers), Self.policy)
    }

    @Test(
        "a replaced refresh token works again for a short time, and never with refreshGraceSec: 0",
        arguments: [nil, 0]
    )
    func grace(_ seconds: Int?) async throws {
        let machine = try Machine(configuration: seconds.map { ["refreshGraceSec: \($0)"] } ?? [])
        let daemon = try machine.startBroker()
        let first = try await tokens(machine, scope: "openid offline_access tasks.read")
        let renewed = try await machine.refresh(first, Self.policy)
        let successor = try #require(renewed["refresh_token"], "\(renewed)")
        let again = try await machine.refresh(first, Self.policy)
        if seconds == nil {
            #expect(again["refresh_token"] == successor, "\(again)")
            #expect(again["access_token"] != renewed["access_token"])
        } else {
            #expect(again["error"]?.string == "invalid_grant", "\(again)")
            #expect(again["access_token"] == nil)
        }
        let next = try await machine.refresh(renewed, Self.policy)
        #expect(next["error"]?.string == (seconds == nil ? nil : "invalid_grant"), "\(next)")
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }

    @Test("a request without scope gets the configured default scopes, also with a second API") func defaults()
        async throws
    {
        let machine = try Machine(configuration: [
            "apis:", "  tasks: {scopes: {tasks.read: R, tasks.write: W}, defaultScopes: [tasks.read]}",
            "  notes: {scopes: {notes.read: R}}",
        ])
        let daemon = try machine.startBroker()
        let tokens = try await tokens(machine, scope: "")
        #expect(tokens["scope"]?.string == "tasks.read", "\(tokens)")
        #expect(tokens["id_token"] == nil)
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }
}
