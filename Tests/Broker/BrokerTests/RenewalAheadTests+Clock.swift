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
    @Test("a clock that is set back makes no use of a renewed token, and none later than it was") func setBack()
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
            // Nobody has used that one; its second half comes within the hour of the last use.
            daemon.time.advance(by: .seconds(500))
            await daemon.broker.tokens.renewUsed()
            #expect(provider.renewals == 1)
        }
    }

    @Test("a token that was used longer ago than lately is left, too, where the clock was set back")
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
        "a token that ended while the machine slept is looked at anew, whatever the wall clock says when it wakes",
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

    @Test("a token whose second half began while the machine slept is renewed when it wakes, without a call")
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
