import FlowModel
import TestSupport
import Testing

@testable import Broker

@Suite(.timeLimit(.minutes(1)))
struct CallRateLimitTests {
    @Test("a uid has sixty forced renewals a minute: one more must wait, and another uid has its own") func share()
        throws
    {
        let (budget, clock) = (CallRateLimit.forcedRenewals, TestClock())
        for _ in 0..<60 { try budget.charge(1000, at: clock.now) }
        let refusal = #expect(throws: Refusal.self) { try budget.charge(1000, at: clock.now) }
        #expect(refusal?.reason == .limitExceeded && refusal?.retryAfterMs == 60_000)
        try budget.charge(1001, at: clock.now)
        clock.advance(by: .seconds(30))
        let later = #expect(throws: Refusal.self) { try budget.charge(1000, at: clock.now) }
        #expect(later?.retryAfterMs == 30_000)
        clock.advance(by: .seconds(31))
        try budget.charge(1000, at: clock.now)
    }

    @Test("setting the wall clock forward grants no additional share") func wallClock() throws {
        let (budget, clock) = (CallRateLimit.looks, TestClock())
        for _ in 0..<10 { try budget.charge(1, at: clock.now) }
        clock.setWall(by: .seconds(3600))
        let refusal = #expect(throws: Refusal.self) { try budget.charge(1, at: clock.now) }
        #expect(refusal?.reason == .limitExceeded && refusal?.retryAfterMs == 60_000)
    }

    @Test("with more uids than the limiter tracks, an active uid keeps its count") func crowd() throws {
        let (budget, clock) = (CallRateLimit.looks, TestClock())
        for uid in 0..<UInt32(CallRateLimit.mostUIDs) {
            try budget.charge(uid, at: clock.now)
            clock.advance(by: .milliseconds(1))
        }
        for _ in 0..<10 { try budget.charge(5_000, at: clock.now) }
        let refusal = #expect(throws: Refusal.self) { try budget.charge(5_000, at: clock.now) }
        #expect(refusal?.reason == .limitExceeded && refusal?.retryAfterMs == 60_000)
    }
}
