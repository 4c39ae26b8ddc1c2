import Foundation
import OAuth
import TestSupport
import Testing

/// A local daemon, and a second daemon that is an external authority.
///
/// The local daemon is the client `ours` of the external authority.
struct OutsidePair {
    let outside: Machine
    let machine: Machine
    let provider: RunningProgram
    let daemon: RunningProgram
    let person: Person

    var issuer: String { "\(outside.base)/outside/b2c_1_sign_in/v2.0" }

    /// Starts both daemons.
    ///
    /// - Parameters:
    ///   - authority: Returns the local configuration's entry for the external authority with this base URL.
    ///   - policies: Additional local policies, by name.
    ///   - grants: The grant types of the client `ours`.
    /// - Throws: An error if a daemon does not start.
    init(
        _ authority: (String) -> String = {
            "{kind: oidc, url: \"\($0)/outside/b2c_1_sign_in/v2.0\", clientId: ours, scopes: [tasks.read], displayName: Contoso}"
        },
        policies: [String: String] = [:],
        grants: [String] = ["authorization_code", "refresh_token"]
    ) throws {
        outside = try Machine(configuration: [
            "tenant: outside", "clients:",
            "  ours: {type: public, firstParty: true, apis: [tasks], grants: [\(grants.joined(separator: ", "))], "
                + "redirectURIs: [\"http://localhost:PORT/local/oauth2/authresp\"]}",
        ])
        machine = try Machine(configuration: ["authorities:", "  contoso: \(authority(outside.base))"])
        for (name, text) in policies { try machine.write([text], to: "etc/policies/\(name).yaml") }
        let text = try String(contentsOfFile: outside.configuration, encoding: .utf8)
        try outside.write([text.replacing("PORT", with: "\(machine.port)")], to: "etc/tokenbrokerd.yaml")
        provider = try outside.startBroker()
        daemon = try machine.startBroker()
        person = Person.random()
        try person.signUp(try outside.connect(), on: outside)
    }

    func end() {
        for program in [daemon, provider] {
            program.signal(SIGTERM)
            #expect(program.wait() == 0, "\(program.errors())")
        }
    }

    /// Opens the link of a flow, signs the user in at the external authority, and returns the final page.
    func visit(_ link: String, _ ours: inout WebBrowser) async throws -> WebBrowser.Page {
        let leaving = try await ours.open(link)
        let there = try destination(of: leaving)
        #expect(there.hasPrefix(outside.base), "\(there)")
        var theirs = WebBrowser()
        let asked = try await theirs.open(there)
        let sent = try await theirs.submit(asked, ["username": person.email, "password": person.password])
        return try await ours.open(try destination(of: sent))
    }

    /// Acquires a token for which the user signs in with a browser.
    func acquire(_ connection: Connection, _ params: JSONValue) async throws -> JSONValue {
        let started = try connection.call("token.acquire", params)
        let flow = try #require(started["flow"], "\(started)")
        #expect(flow["state"]?.string == "pending" && flow["policy"] == params["policy"], "\(flow)")
        var ours = WebBrowser()
        let done = try await visit(try #require(flow["browser"]?["url"]?.string), &ours)
        #expect(done.status == 200, "\(done.status) \(done.text) \(daemon.errors())")
        let ended = try connection.call("flow.get", ["flow": flow["id"] ?? .null])["flow"]
        #expect(ended?["state"]?.string == "succeeded" && ended?["account"]?.string != nil, "\(ended ?? .null)")
        let answer = try connection.call("token.acquire", params)
        return try #require(answer["token"], "\(answer)")
    }
}
