import LocalIssuer
import Moments
import OAuth
import OpenIDClient
import Testing

/// Tests tokens that an authority issues for its policies, as Azure AD B2C does.
@Suite(.timeLimit(.minutes(1)))
struct OutsidePolicyTests {
    private static let request = ProviderRequest(
        state: "state-of-128-random-bits",
        nonce: "nonce-of-128-random-bits",
        verifier: Secret("verifier-of-43-characters-at-least-0123456789")
    )

    /// Returns the tokens that the client receives for the policy `B2C_1_in` of the tenant `contoso`.
    private func tokens(
        _ client: OpenIDClient,
        _ registration: ProviderRegistration,
        at provider: LocalProvider,
        scopes: [String] = ["files.read"],
        issuer: String? = nil
    ) async throws -> OutsideTokens {
        let tenant = ProviderRegistration(
            name: "contoso",
            issuer: provider.issuer + "/contoso",
            clientID: registration.clientID,
            redirectURI: registration.redirectURI,
            secret: registration.secret
        ).running("B2C_1_in", metadata: provider.issuer + "/.well-known/openid-configuration")
        let asked = OutsideDemand(scopes: scopes)
        let address = try await client.address(at: tenant, Self.request, for: asked)
        let answer = try provider.answer(to: address)
        return try await client.tokens(
            at: tenant,
            Self.request,
            ProviderAnswer(code: answer["code"].map { Secret($0) }, issuer: issuer ?? answer["iss"], error: nil),
            for: asked
        )
    }

    @Test("the ID token names the policy in any case, in `tfp` or `acr`", arguments: ["tfp", "acr"])
    func named(_ claim: String) async throws {
        try await withProvider { provider, registration, client in
            provider.person("p-1", [claim: "b2c_1_IN"])
            let tokens = try await tokens(client, registration, at: provider)
            #expect(tokens.accessToken == Secret("access-1") && tokens.claims?["sub"] == "p-1")
        }
    }

    @Test(
        "an ID token of another policy, or without a policy, is rejected",
        arguments: [["tfp": "b2c_1_edit"], ["tfp": "b2c_1_edit", "acr": "b2c_1_in"], ["acr": "2"], [:]]
            as [[String: JSONValue]]
    )
    func another(_ claims: [String: JSONValue]) async throws {
        try await withProvider { provider, registration, client in
            provider.person("p-1", claims)
            let error = await #expect(throws: ProviderError.self) {
                try await tokens(client, registration, at: provider)
            }
            #expect(error?.code == .protocolViolation && error?.detail.contains("another policy") == true)
        }
    }

    @Test(
        "metadata with an issuer of another origin are rejected, and so is the response of another issuer",
        arguments: [true, false]
    )
    func issuer(_ isInMetadata: Bool) async throws {
        try await withProvider { provider, registration, client in
            provider.person("p-1", ["tfp": "b2c_1_in"])
            if isInMetadata { provider.tell(.metadataIssuer) }
            let error = await #expect(throws: ProviderError.self) {
                try await tokens(
                    client,
                    registration,
                    at: provider,
                    issuer: isInMetadata ? nil : provider.issuer + "/contoso"
                )
            }
            #expect(error?.code == .protocolViolation && error?.detail.contains("another issuer") == true)
            #expect((error?.said != nil) == isInMetadata)
        }
    }

    @Test("the ID token serves as the token if the client itself is the scope and no access token is returned")
    func preview() async throws {
        try await withProvider { provider, registration, client in
            provider.person("p-1", ["tfp": "b2c_1_in"])
            provider.giveNoAccessTokens()
            let tokens = try await tokens(client, registration, at: provider, scopes: [registration.clientID])
            #expect(tokens.idToken == tokens.accessToken)
            let left = tokens.expires.wall - MomentClock.system.now.wall
            #expect(left > 0 && left <= 300_000)
            let error = await #expect(throws: ProviderError.self) {
                try await self.tokens(client, registration, at: provider)
            }
            #expect(error?.code == .protocolViolation && error?.detail.contains("no access token") == true)
        }
    }
}
