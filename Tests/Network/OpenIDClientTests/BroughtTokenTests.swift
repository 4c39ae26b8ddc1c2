import Foundation
import HTTPServer
import LocalIssuer
import Moments
import OAuth
import TestSupport
import Testing

@testable import OpenIDClient

@Suite(.timeLimit(.minutes(2)))
struct BroughtTokenTests {
    /// Returns the error with which a presented token is rejected, or `nil` if the token identifies the user.
    private func error(
        _ client: OpenIDClient,
        _ registration: ProviderRegistration,
        _ token: BroughtToken
    ) async -> ProviderError? {
        do throws(ProviderError) {
            _ = try await client.identity(at: registration, brought: token)
            return nil
        } catch {
            return error
        }
    }

    @Test("an ID token for this client identifies its user, and one that is for others, expired or forged does not")
    func idToken() async throws {
        try await withProvider { provider, registration, client in
            provider.person("p-7", ["name": "Ada"])
            let token = BroughtToken.idToken(Secret(try provider.idToken()))
            let person = try await client.identity(at: registration, brought: token)
            #expect(person.subject == "p-7" && person.issuer == provider.issuer)
            #expect(person.attributes == ["displayName": "Ada"])
            for lie in [.wrongIssuer, .wrongAudience, .wrongParty, .expired, .unsigned, .unknownKey]
                as [LocalProvider.Lie]
            {
                provider.tell(lie)
                let forged = BroughtToken.idToken(Secret(try provider.idToken()))
                #expect(await error(client, registration, forged)?.code == .denied, "\(lie)")
            }
            provider.tell(nil)
            for text in ["", "x", "a.b.c", String(repeating: "x", count: 16_384)] {
                #expect(await error(client, registration, .idToken(Secret(text)))?.code == .denied)
            }
        }
    }

    @Test("if the provider's keys cannot be read, the provider is at fault, even for a token without a `kid`")
    func noKeys() async throws {
        try await withProvider { provider, registration, client in
            provider.fail(at: "/keys", by: .page)
            for _ in 0..<2 {
                let token = BroughtToken.idToken(Secret(try provider.idToken()))
                #expect(await error(client, registration, token)?.code == .protocolViolation)
                provider.nameNoKey()
            }
        }
    }

    @Test("an ID token issued in the future is rejected, with one minute of tolerance for the provider's clock")
    func issuedLater() async throws {
        try await withProvider { provider, registration, client in
            let now = Int64(Date().timeIntervalSince1970)
            provider.person("p-7", ["iat": .int(now + 30), "exp": .int(now + 7200)])
            #expect(await error(client, registration, .idToken(Secret(try provider.idToken()))) == nil)
            provider.person("p-7", ["iat": .int(now + 3600), "exp": .int(now + 7200)])
            let refused = await error(client, registration, .idToken(Secret(try provider.idToken())))
            #expect(refused?.code == .denied && refused?.detail.contains("iat is in the future") == true)
        }
    }

    @Test(
        "an access token is accepted if the provider states that it was issued to this client, in any supported way",
        arguments: ["introspection", "tokeninfo", "debug_token", "applications"]
    )
    func accessToken(_ way: String) async throws {
        func confirmation(_ issuer: String) -> TokenConfirmation {
            switch way {
            case "tokeninfo": .googleTokenInfo(issuer + "/tokeninfo")
            case "debug_token": .facebookDebugToken(issuer + "/debug_token")
            case "applications": .githubApplications(issuer + "/applications")
            default: .introspection
            }
        }
        try await withProvider(confirmation: confirmation) { provider, registration, client in
            let token = BroughtToken.accessToken(Secret("access-1"))
            let person = try await client.identity(at: registration, brought: token)
            #expect(person.subject == "person-1")
            provider.issued(to: "theirs")
            #expect(await error(client, registration, token)?.code == .denied)
            provider.issued(to: nil)
            #expect(await error(client, registration, token)?.code == .denied)
            provider.issued(to: provider.clientID)
            #expect(await error(client, registration, .accessToken(Secret("access-2")))?.code == .denied)
            provider.tell(.wrongUserinfo)
            #expect(
                await error(client, registration, token)?.code == (way == "applications" ? nil : .protocolViolation)
            )
        }
    }

    @Test("an access token is rejected if the provider cannot state its client") func unconfirmed()
        async throws
    {
        let none: (String) -> TokenConfirmation = { _ in .none }
        try await withProvider(confirmation: none) { _, registration, client in
            #expect(await error(client, registration, .accessToken(Secret("access-1")))?.code == .denied)
        }
    }

    @Test("exactly one token is presented, under a known name") func names() throws {
        #expect(try BroughtToken(["id_token": Secret("x")]) == .idToken(Secret("x")))
        #expect(try BroughtToken(["authenticationToken": Secret("x")]) == .idToken(Secret("x")))
        #expect(try BroughtToken(["access_token": Secret("x")]) == .accessToken(Secret("x")))
        for members in [[:], ["token": "x"], ["id_token": "x", "access_token": "y"]] as [[String: String]] {
            let refusal = #expect(throws: OAuthError.self) { try BroughtToken(members.mapValues { Secret($0) }) }
            #expect(refusal?.code == .invalidRequest)
        }
    }
}
