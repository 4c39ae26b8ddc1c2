import Foundation
import LocalIssuer
import OAuth
import TestSupport
import Testing

/// A daemon with an external provider, and a user with a password who links an account of that provider.
struct LinkingScene {
    let provider: LocalProvider
    let machine: Machine
    let connection: Connection
    let person: Person

    /// Runs `test` with a provider in this process and a user who has signed up with a password.
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

    /// Signs in to the account page, and returns the browser and the page.
    func visiting(_ person: Person? = nil) async throws -> (WebBrowser, WebBrowser.Page) {
        let person = person ?? self.person
        var browser = WebBrowser()
        let asked = try await browser.open("\(machine.base)/local/account")
        let page = try await browser.submit(asked, ["username": person.email, "password": person.password])
        #expect(page.status == 200 && page.text.contains("Linked accounts"), "\(page.status) \(page.text)")
        return (browser, page)
    }

    /// Presses the provider's button on a page, visits the provider, and returns the page that the daemon then shows.
    func link(_ page: WebBrowser.Page, _ browser: inout WebBrowser) async throws -> WebBrowser.Page {
        let leaving = try await browser.submit(page, ["_link": "partner"])
        #expect(leaving.text.contains("Continuing to Partner"), "\(leaving.status) \(leaving.text)")
        return try await ProviderScene().visit(try destination(of: leaving), &browser)
    }

    /// Signs in with the provider in a new browser, and returns the user's object id.
    func partnerUser() async throws -> String {
        let scene = ProviderScene()
        var browser = WebBrowser()
        let there = try destination(of: try await browser.open(scene.request(machine)))
        let claims = try await scene.claims(try await scene.visit(there, &browser), machine)
        return try #require(claims["oid"]?.string)
    }

    /// Enters the password, presses the provider's button, visits the provider, and returns the page after the visit.
    func prove(_ page: WebBrowser.Page, _ browser: inout WebBrowser) async throws -> WebBrowser.Page {
        let proved = try await browser.submit(page, ["username": person.email, "password": person.password])
        let leaving = try await browser.submit(proved, ["_provider": "partner"])
        return try await ProviderScene().visit(try destination(of: leaving), &browser)
    }

    /// Signs in over the socket with the provider's token.
    ///
    /// - Returns: The account.
    func signInWithPartner() throws -> JSONValue {
        let asked: JSONValue = [
            "policy": "b2c_1_partner", "provider": "partner", "scopes": ["tasks.read"],
            "providerToken": ["id_token": .string(try provider.idToken())],
        ]
        return try #require(try connection.call("token.acquire", asked)["token"]?["account"])
    }

    /// Returns the names of the providers that are linked to an account.
    func linked(_ account: JSONValue? = nil) throws -> [String] {
        var params: [String: JSONValue] = ["type": "federated"]
        params["account"] = account
        let listed = try connection.call("credential.list", .object(params))["credentials"]?.array ?? []
        return listed.compactMap { $0["provider"]?.string }
    }

    /// Starts a flow over the socket that links the account to the provider.
    func enrol(_ more: JSONValue = [:]) throws -> JSONValue {
        let params = (["type": "federated", "provider": "partner"] as JSONValue).object ?? [:]
        return try connection.call("credential.enrol", .object(params.merging(more.object ?? [:]) { $1 }))["flow"]
            ?? .null
    }

    func state(_ flow: JSONValue) throws -> String? {
        try connection.call("flow.get", ["flow": flow["id"] ?? .null])["flow"]?["state"]?.string
    }

    /// Returns the object id of the user who signs in with a password.
    func user() throws -> String? { try person.token(connection)["claims"]?["oid"]?.string }
}
