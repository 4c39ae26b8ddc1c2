import LocalIssuer
import OAuth
import TestSupport
import Testing

/// Tests e-mail addresses that a generic identity provider reports as verified.
@Suite(.timeLimit(.minutes(5)))
struct ProviderEmailTests {
    /// Signs a new user in at the provider, and returns the page that the daemon then shows.
    private func arrive(
        _ scene: ProviderScene,
        _ machine: Machine,
        _ browser: inout WebBrowser
    ) async throws
        -> WebBrowser.Page
    {
        let there = try destination(of: try await browser.open(scene.request(machine)))
        return try await scene.visit(there, &browser)
    }

    @Test("a provider's e-mail address is a claim only if the configuration trusts it", arguments: [nil, false, true])
    func claim(_ isTrusted: Bool?) async throws {
        var scene = ProviderScene()
        scene.trustsEmail = isTrusted
        try await scene.withProvider { [scene] provider, machine in
            let email: [String: JSONValue] = ["email": "ada@partner.example", "email_verified": true]
            provider.person("ada", email)
            var browser = WebBrowser()
            let claims = try await scene.claims(try await arrive(scene, machine, &browser), machine)
            #expect(claims["idp"]?.string == "partner")
            #expect(claims["email"]?.string == (isTrusted == true ? "ada@partner.example" : nil), "\(claims)")
        }
    }

    @Test("if the provider's address is not trusted, a policy that requires one prompts for it and mails a code")
    func code() async throws {
        let scene = ProviderScene()
        let prepare: (Machine) throws -> Void = { machine in
            let lines = ["kind: social", "identityProviders: [partner]", "attributes: [{name: email, required: true}]"]
            try machine.write(lines + scene.common, to: "etc/policies/b2c_1_partner.yaml")
        }
        try await scene.withProvider(prepared: prepare) { provider, machine in
            let email: [String: JSONValue] = ["email": "ceo@example.org", "email_verified": true]
            provider.person("mallory", email)
            let person = Person.random()
            var browser = WebBrowser()
            let asked = try await arrive(scene, machine, &browser)
            #expect(asked.text.contains("name=\"email\"") && !asked.text.contains("ceo@example.org"), "\(asked.text)")
            let sent = try await browser.submit(asked, ["email": person.email])
            let done = try await browser.submit(sent, ["code": try machine.code(for: person.email)])
            let claims = try await scene.claims(done, machine)
            #expect(claims["email"]?.string == person.email && claims["idp"]?.string == "partner", "\(claims)")
        }
    }
}
