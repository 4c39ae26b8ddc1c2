import FlowModel
import LocalIssuer
import Moments
import OAuth
import OpenIDClient
import TestSupport
import Testing
import TokenCache

@testable import Broker

/// Tests of the limits on token requests with client credentials.
@Suite(.timeLimit(.minutes(2))) struct ServiceCallTests {
    /// The maximum number of concurrent token requests that one uid may cause.
    private static let mostAtOnce = 8

    @Test("a token that arrives expired is rejected, requested once, and not stored") func ended() async throws {
        try await Daemon.withContoso(grant: .clientCredentials) { provider, daemon in
            provider.live(0)
            let refusal = try await Self.refusal("files.read", daemon)
            #expect(refusal.reason == .providerProtocol, "\(refusal)")
            #expect(provider.serviceForms.count == 1)
            #expect(try daemon.cache.tokens.list(uid: 1000).isEmpty)
            provider.live(300)
            #expect(try await daemon.token(Self.asked("files.read")).accessToken.reveal() == "access-service-2")
        }
    }

    @Test("a forced token is one call even if the clock is set back during the call") func clockSetBack()
        async throws
    {
        try await Daemon.withContoso(grant: .clientCredentials) { provider, daemon in
            provider.hold(true)
            var forced = Self.asked("files.read")
            forced.forceRefresh = true
            let request = forced
            async let token = daemon.token(request)
            try await waitUntil("it is under way") { provider.waitingRenewals == 1 }
            daemon.time.setWall(by: .seconds(-3_600))
            provider.hold(false)
            #expect(try await token.accessToken.reveal() == "access-service-1")
            #expect(provider.serviceForms.count == 1)
        }
    }

    @Test("a uid that occupies an authority gets refusals, and another uid is served") func busy() async throws {
        try await Daemon.withContoso(grant: .clientCredentials) { provider, daemon in
            provider.hold(true)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for number in 0..<Self.mostAtOnce {
                    tasks.addTask { _ = try await daemon.token(Self.asked("files.part\(number)")) }
                }
                try await waitUntil("its share is under way") { provider.waitingRenewals == Self.mostAtOnce }
                let refusal = try await Self.refusal("files.more", daemon)
                #expect(refusal.reason == .providerUnavailable && refusal.retryAfterMs == 1_000, "\(refusal)")
                tasks.addTask { _ = try await daemon.token(Self.asked("files.read"), uid: 1001) }
                try await waitUntil("another uid is served") { provider.waitingRenewals == Self.mostAtOnce + 1 }
                provider.hold(false)
                try await tasks.waitForAll()
            }
            _ = try await daemon.token(Self.asked("files.more"))
            #expect(provider.serviceForms.count == Self.mostAtOnce + 2)
        }
    }

    @Test("a uid has 600 tokens a minute: the next one gets the time to retry, and another uid has its own share")
    func share() async throws {
        try await Daemon.withContoso(grant: .clientCredentials) { provider, daemon in
            for _ in 0..<600 { try daemon.broker.tokens.limits.renewals.charge(1000, at: daemon.time.now) }
            let refusal = try await Self.refusal("files.read", daemon)
            #expect(refusal.reason == .limitExceeded && refusal.retryAfterMs == 60_000, "\(refusal)")
            #expect(provider.serviceForms.isEmpty)
            let theirs = try await daemon.token(Self.asked("files.read"), uid: 1001)
            #expect(theirs.accessToken.reveal() == "access-service-1")
            daemon.time.advance(by: .seconds(61))
            // A token from the cache does not count toward the limit.
            for _ in 0..<2 {
                let own = try await daemon.token(Self.asked("files.read"))
                #expect(own.accessToken.reveal() == "access-service-2")
            }
        }
    }

    // MARK: Helpers

    private static func asked(_ scope: String) -> AcquireRequest {
        AcquireRequest(scope) {
            $0.policy = "contoso"
            $0.prompt = .none
        }
    }

    private static func refusal(_ scope: String, _ daemon: Daemon) async throws -> Refusal {
        let refusal = await #expect(throws: Refusal.self) { try await daemon.token(asked(scope)) }
        return try #require(refusal)
    }
}
