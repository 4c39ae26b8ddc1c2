import Foundation
import LocalIssuer
import Moments
import OAuth
import TestSupport
import Testing

@testable import OpenIDClient

/// Tests how long a provider's data is cached.
///
/// The time during which the machine sleeps counts, and changes of the wall clock do not.
@Suite(.timeLimit(.minutes(2)))
struct RememberedTests {
    private static let discovery = "/.well-known/openid-configuration"

    private let time = TestClock(wall: Int64(Date().timeIntervalSince1970 * 1000))

    @Test("metadata are fetched once for many calls, and again when they expire") func metadata()
        async throws
    {
        try await withProvider(clock: time.clock) { provider, registration, client in
            for _ in 0..<3 { try await signIn(client, registration, at: provider) }
            _ = try await client.revoke(at: registration, Secret("refresh"))
            #expect(provider.requests(at: Self.discovery) == 1)
            time.setWall(by: .seconds(86_400))
            _ = try await client.revoke(at: registration, Secret("refresh"))
            #expect(provider.requests(at: Self.discovery) == 1)
            time.suspend(for: ProviderDocuments.metadataLife)
            for _ in 0..<2 { _ = try await client.revoke(at: registration, Secret("refresh")) }
            #expect(provider.requests(at: Self.discovery) == 2)
        }
    }

    @Test("keys are fetched once for many sign-ins, and again when they expire") func keys() async throws {
        try await withProvider(clock: time.clock) { provider, registration, client in
            for _ in 0..<3 { try await signIn(client, registration, at: provider) }
            #expect(provider.requests(at: "/keys") == 1)
            time.suspend(for: ProviderDocuments.keysLife)
            // Only the time since boot stays advanced, because the provider issues tokens by the real wall clock.
            time.setWall(by: .zero - ProviderDocuments.keysLife)
            for _ in 0..<2 { try await signIn(client, registration, at: provider) }
            #expect(provider.requests(at: "/keys") == 2)
        }
    }

    @Test("a pause requested by a server is observed regardless of the wall clock, and ends during sleep")
    func pause() async throws {
        try await withProvider(clock: time.clock) { provider, registration, client in
            let refreshToken = Secret(provider.giveRefreshToken())
            let asked = OutsideDemand(scopes: [])
            provider.pause(120)
            for _ in 0..<3 {
                let error = await #expect(throws: ProviderError.self) {
                    try await client.renewed(at: registration, refreshToken, for: asked)
                }
                #expect(error?.code == .unavailable && error?.retryAfter.map { $0 <= .seconds(120) } == true)
                #expect(provider.renewals == 1)
                time.setWall(by: .seconds(3600))
            }
            provider.pause(nil)
            time.suspend(for: .seconds(121))
            let tokens = try await client.renewed(at: registration, refreshToken, for: asked)
            #expect(tokens.refreshToken != nil && provider.renewals == 2)
        }
    }

    @Test("a circuit stays open when the wall clock is changed, and lets a call try after sleep")
    func circuit() throws {
        var circuit = Circuit()
        for _ in 0..<Circuit.mostFailures {
            try circuit.begin("p", at: time.now)
            circuit.end(isAvailable: false, at: time.now)
        }
        for hours in [1, -2] {
            time.setWall(by: .seconds(hours * 3600))
            let error = #expect(throws: ProviderError.self) { try circuit.begin("p", at: time.now) }
            #expect(error?.code == .unavailable && error?.retryAfter == Circuit.pause)
        }
        time.suspend(for: Circuit.pause)
        try circuit.begin("p", at: time.now)
        circuit.end(isAvailable: true, at: time.now)
        time.reboot(after: .seconds(5))
        try circuit.begin("p", at: time.now)
    }
}
