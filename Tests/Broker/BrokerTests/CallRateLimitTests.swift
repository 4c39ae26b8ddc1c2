import FlowModel
import TestSupport
import Testing

@testable import Broker

@Suite(.timeLimit(.minutes(1)))
struct CallRateLimitTests {
    @Test("sixty forced renewals a minute for each uid: one more waits, and another uid's are its own") func share()
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

    @Test("a wall clock that is set forward gives nobody another share") func wallClock() throws {
        let (budget, clock) = (CallRateLimit.looks, TestClock())
        for _ in 0..<10 { try budget.charge(1, at: clock.now) }
        clock.setWall(by: .seconds(3600))
        let refusal = #expect(throws: Refusal.self) { try budget.charge(1, at: clock.now) }
        #expect(refusal?.reason == .limitExceeded && refusal?.retryAfterMs == 60_000)
    }

    @Test("of more uids than are remembered one that calls now keeps its share") func crowd() throws {
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
