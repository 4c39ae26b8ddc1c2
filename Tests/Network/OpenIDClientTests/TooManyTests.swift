import HTTPServer
import LocalIssuer
import Moments
import OAuth
import TestSupport
import Testing

@testable import OpenIDClient

/// Tests which users' calls are held back when an authority requests a pause.
@Suite(.timeLimit(.minutes(1)))
struct TooManyTests {
    private static let asked = OutsideDemand(scopes: ["files.read"])

    private func run(
        _ test: (LocalProvider, OpenIDClient, _ of: @escaping @Sendable (UInt32) -> ProviderRegistration) async throws
            -> Void
    ) async throws {
        let socket = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
        let provider = try LocalProvider(issuer: "http://\(socket.address)")
        let registration = ProviderRegistration(
            name: "contoso",
            issuer: provider.issuer,
            clientID: provider.clientID,
            redirectURI: "http://localhost:8420/local/oauth2/authresp",
            secret: Secret(provider.secret)
        )
        let client = OpenIDClient(clock: .system)
        try await provider.serve(socket) {
            do {
                try await test(provider, client) { registration.called(by: .random(), for: $0) }
            } catch {
                try await client.shutdown()
                throw error
            }
            try await client.shutdown()
        }
    }

    private func exchange(_ client: OpenIDClient, _ registration: ProviderRegistration) async throws(ProviderError) {
        _ = try await client.exchanged(Secret("ours"), at: registration, of: nil, for: Self.asked)
    }

    @Test("429 for one user's exchange delays that user only") func exchange() async throws {
        try await run { provider, client, of in
            provider.pause(300)
            let first = await #expect(throws: ProviderError.self) { try await exchange(client, of(1000)) }
            #expect(first?.retryAfter == .seconds(300) && first?.isOfTooMany == true)
            provider.pause(nil)
            try await exchange(client, of(1001))
            let forms = provider.serviceForms.count
            let again = await #expect(throws: ProviderError.self) { try await exchange(client, of(1000)) }
            #expect(again?.detail.contains("not called again yet") == true)
            #expect(provider.serviceForms.count == forms)
        }
    }

    @Test("429 for one user's refresh token delays that user only") func renewal() async throws {
        try await run { provider, client, of in
            let token = Secret(provider.giveRefreshToken())
            provider.pause(300)
            let first = await #expect(throws: ProviderError.self) {
                try await client.renewed(at: of(1000), token, for: Self.asked)
            }
            #expect(first?.retryAfter == .seconds(300) && first?.isOfTooMany == true)
            provider.pause(nil)
            let again = await #expect(throws: ProviderError.self) {
                try await client.renewed(at: of(1000), token, for: Self.asked)
            }
            #expect(again?.detail.contains("not called again yet") == true)
            #expect(provider.renewals == 1)
            _ = try await client.renewed(at: of(1001), token, for: Self.asked)
            #expect(provider.renewals == 2)
        }
    }

    @Test("429 for the service's own credential delays all users who share it") func service() async throws {
        try await run { provider, client, of in
            provider.pause(300)
            let first = await #expect(throws: ProviderError.self) {
                try await client.serviceToken(at: of(1000), for: Self.asked)
            }
            #expect(first?.retryAfter == .seconds(300) && first?.isOfTooMany == true)
            provider.pause(nil)
            let other = await #expect(throws: ProviderError.self) {
                try await client.serviceToken(at: of(1001), for: Self.asked)
            }
            #expect(other?.detail.contains("not called again yet") == true)
            #expect(provider.serviceForms.count == 1)
        }
    }

    @Test("503 is a state of the server and delays all users") func down() async throws {
        try await run { provider, client, of in
            provider.pause(retryAfter: "300")
            let first = await #expect(throws: ProviderError.self) { try await exchange(client, of(1000)) }
            #expect(first?.retryAfter == .seconds(300) && first?.isOfTooMany == false)
            provider.pause(nil)
            let other = await #expect(throws: ProviderError.self) { try await exchange(client, of(1001)) }
            #expect(other?.detail.contains("not called again yet") == true)
            #expect(provider.serviceForms.count == 1)
        }
    }
}
