import LocalIssuer
import Moments
import OAuth
import TestSupport
import Testing

@testable import OpenIDClient

/// Tests the device codes that a provider issues (RFC 8628 §3.2).
@Suite(.timeLimit(.minutes(1)))
struct DeviceGrantTests {
    @Test(
        "a device code expires when the authority says, and after half an hour at most",
        arguments: [(600, 600), (1_800, 1_800), (1_801, 1_800), (86_400, 1_800), (Int64.max, 1_800)] as [(Int64, Int64)]
    )
    func life(_ said: Int64, _ believed: Int64) async throws {
        let clock = TestClock()
        try await withProvider(clock: clock.clock) { provider, registration, client in
            provider.answerDevices([.pending], life: said)
            let asked = OutsideDemand(scopes: ["files.read"])
            let grant = try #require(try await client.deviceGrant(at: registration, for: asked))
            #expect(grant.expires == Deadline(.seconds(believed), after: clock.now))
        }
    }
}
