import Foundation
import LocalIssuer
import OAuth
import TestSupport
import Testing

/// A daemon with a provider outside, and somebody with a password here who links the account there.
struct LinkingScene {
    let provider: LocalProvider
    let machine: Machine
    let connection: Connection
    let person: Person

    /// Runs `test` with a provider of this process, and somebody who has signed up with a password.
    static func run(
        prepare: (Machine) throws -> Void = { _ in },
        _ test: (LinkingScene) async throws -> Void
    ) async throws {
        try await ProviderScene().withProvider(prepared: prepare) { provider, machine in
            let connection = try machine.connect()
            let person = Person.random()
            try person.signUp(connection, on: machine)
            try await test(
                LinkingScene(provider: provider, machine: machine, connection: connection, person: person)
            )
        }
    }

    /// A browser at the account page, after the sign-in before it.
    func visiting(_ person: Person? = nil) async throws -> (WebBrowser, WebBrowser.Page) {
        let person = person ?? self.person
        var browser = WebBrowser()
        let asked = try await browser.open("\(machine.base)/local/account")
        let page = try await browser.submit(asked, ["username": person.email, "password": person.password])
        #expect(page.status == 200 && page.text.contains("Accounts elsewhere"), "\(page.status) \(page.text)")
        return (browser, page)
    }

    /// Presses a button of a page, goes to the provider and comes back.
    func link(_ page: WebBrowser.Page, _ browser: inout WebBrowser) async throws -> WebBrowser.Page {
        let leaving = try await browser.submit(page, ["_link": "partner"])
        #expect(leaving.text.contains("On the way to Partner"), "\(leaving.status) \(leaving.text)")
        return try await ProviderScene().visit(try destination(of: leaving), &browser)
    }

    /// The object id of whoever signs in with the provider in a new browser.
    func partnerUser() async throws -> String {
        let scene = ProviderScene()
        var browser = WebBrowser()
        let there = try destination(of: try await browser.open(scene.request(machine)))
        let claims = try await scene.claims(try await scene.visit(there, &browser), machine)
        return try #require(claims["oid"]?.string)
    }

    /// Answers the question for the password, presses the button of the provider, goes there and comes back.
    func prove(_ page: WebBrowser.Page, _ browser: inout WebBrowser) async throws -> WebBrowser.Page {
        let proved = try await browser.submit(page, ["username": person.email, "password": person.password])
        let leaving = try await browser.submit(proved, ["_provider": "partner"])
        return try await ProviderScene().visit(try destination(of: leaving), &browser)
    }

    /// Signs in at the socket with the provider's own token.
    ///
    /// - Returns: The account.
    func signInWithPartner() throws -> JSONValue {
        let asked: JSONValue = [
            "policy": "b2c_1_partner", "provider": "partner", "scopes": ["tasks.read"],
            "providerToken": ["id_token": .string(try provider.idToken())],
        ]
        return try #require(try connection.call("token.acquire", asked)["token"]?["account"])
    }

    /// The names of the providers that are linked to an account.
    func linked(_ account: JSONValue? = nil) throws -> [String] {
        var params: [String: JSONValue] = ["type": "federated"]
        params["account"] = account
        let listed = try connection.call("credential.list", .object(params))["credentials"]?.array ?? []
        return listed.compactMap { $0["provider"]?.string }
    }

    /// Begins to link at the socket.
    func enrol(_ more: JSONValue = [:]) throws -> JSONValue {
        let params = (["type": "federated", "provider": "partner"] as JSONValue).object ?? [:]
        return try connection.call("credential.enrol", .object(params.merging(more.object ?? [:]) { $1 }))["flow"]
            ?? .null
    }

    /// The state of a flow.
    func state(_ flow: JSONValue) throws -> String? {
        try connection.call("flow.get", ["flow": flow["id"] ?? .null])["flow"]?["state"]?.string
    }

    /// The object id of the person with the password.
    func user() throws -> String? { try person.token(connection)["claims"]?["oid"]?.string }
}
