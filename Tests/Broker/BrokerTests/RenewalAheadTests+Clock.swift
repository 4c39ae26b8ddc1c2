import FlowModel
import Foundation
import LocalIssuer
import Moments
import OAuth
import OpenIDClient
import TestSupport
import Testing
import TokenCache

@testable import Broker

extension RenewalAheadTests {
    @Test("setting the clock back neither counts as a use of a renewed token nor makes a use more recent")
    func setBack()
        async throws
    {
        try await Daemon.withContoso { provider, daemon in
            provider.live(600)
            try await Self.keep(["files.read"], refreshedBy: provider, daemon)
            _ = try await daemon.token(Self.asked("files.read"))
            daemon.time.setWall(by: .seconds(-7_200))
            daemon.time.advance(by: Self.secondHalf)
            await daemon.broker.tokens.renewUsed()
            #expect(provider.renewals == 1)
            // The renewed token is now in the second half of its lifetime, but it is not renewed, because it was not
            // used. The recent use of the first token does not count.
            daemon.time.advance(by: .seconds(500))
            await daemon.broker.tokens.renewUsed()
            #expect(provider.renewals == 1)
        }
    }

    @Test("a token without a recent use is not renewed, even if the clock was set back")
    func longAgoSetBack() async throws {
        try await Daemon.withContoso { provider, daemon in
            try await Self.keep(["files.read"], refreshedBy: provider, daemon, life: .seconds(86_400))
            _ = try await daemon.token(Self.asked("files.read"))
            daemon.time.setWall(by: .seconds(-86_400))
            daemon.time.advance(by: .seconds(13 * 3_600))
            await daemon.broker.tokens.renewUsed()
            #expect(provider.renewals == 0)
        }
    }

    @Test(
        "a token that expired during suspend is re-evaluated on resume, whatever the wall clock says",
        arguments: [false, true]
    )
    func slept(_ wallStoodStill: Bool) async throws {
        try await Daemon.withContoso { provider, daemon in
            try await Self.keep(["files.read"], refreshedBy: provider, daemon)
            let night = Duration.seconds(8 * 3_600)
            let (token, reuse) = try await daemon.reusable(Self.asked("files.read"))
            #expect(token.fromCache && !reuse.until.hasEnded(at: daemon.time.now))
            daemon.time.suspend(for: night)
            if wallStoodStill { daemon.time.setWall(by: Duration.zero - night) }
            #expect(reuse.until.hasEnded(at: daemon.time.now))
            let next = try await daemon.token(Self.asked("files.read"))
            #expect(!next.fromCache && next.accessToken.reveal() == "access-renewed-1")
            #expect(provider.renewals == 1)
        }
    }

    @Test("a token whose second half began during suspend is renewed on resume, without a call")
    func woke() async throws {
        try await Daemon.withContoso { provider, daemon in
            try await Self.keep(["files.read"], refreshedBy: provider, daemon)
            _ = try await daemon.token(Self.asked("files.read"))
            daemon.time.suspend(for: Self.secondHalf)
            await daemon.broker.tokens.renewUsed()
            #expect(provider.renewals == 1)
            #expect(try await daemon.token(Self.asked("files.read")).accessToken.reveal() == "access-renewed-1")
        }
    }
}
