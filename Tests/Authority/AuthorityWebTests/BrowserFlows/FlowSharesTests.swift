import FlowModel
import Testing

@testable import AuthorityWeb

@Suite(.timeLimit(.minutes(1)))
struct FlowSharesTests {
    private func begun(_ number: Int, at time: Int64 = 0) -> FlowShares.Begun {
        FlowShares.Begun(flow: "\(number)", owner: .browser(session: "\(number)"), at: time)
    }

    @Test("an origin beyond its share loses its oldest flow, and other origins lose none") func share() {
        let shares = FlowShares()
        let (greedy, other) = (Origin.address("192.0.2.1"), Origin.address("192.0.2.2"))
        for number in 0..<FlowShares.perOrigin { #expect(shares.note(begun(number), from: greedy) == nil) }
        #expect(shares.note(begun(100), from: other) == nil)
        #expect(shares.note(begun(101), from: greedy)?.flow == "0")
        #expect(shares.note(begun(102), from: greedy)?.flow == "1")
    }

    @Test("an origin that has just used up its share waits a moment, and other origins do not") func rate() throws {
        let shares = FlowShares()
        let (greedy, other) = (Origin.address("192.0.2.1"), Origin.address("192.0.2.2"))
        for number in 0..<FlowShares.perPause {
            try shares.admit(greedy, at: 1_000)
            _ = shares.note(begun(number, at: 1_000), from: greedy)
        }
        // The flow ends, but still counts towards the limit.
        #expect(shares.takeOldest(of: greedy, at: 1_000) != nil)
        let refusal = #expect(throws: Refusal.self) { try shares.admit(greedy, at: 31_000) }
        #expect(refusal?.reason == .limitExceeded && refusal?.retryAfterMs == 30_000)
        try shares.admit(other, at: 31_000)
        try shares.admit(greedy, at: 61_000)
    }

    @Test("an origin makes room only with its own oldest flow") func own() {
        let shares = FlowShares()
        let (greedy, other) = (Origin.address("a"), Origin.address("b"))
        #expect(shares.takeOldest(of: other, at: 0) == nil)
        for number in 0..<2 { _ = shares.note(begun(number), from: greedy) }
        #expect(shares.takeOldest(of: other, at: 0) == nil)
        #expect(shares.takeOldest(of: greedy, at: 0)?.flow == "0")
        #expect(shares.takeOldest(of: greedy, at: 900_000) == nil)
    }

    @Test("flows that have already ended are not counted") func ended() {
        let shares = FlowShares()
        for number in 0..<FlowShares.perOrigin { _ = shares.note(begun(number), from: .address("a")) }
        #expect(shares.note(begun(100, at: 900_001), from: .address("a")) == nil)
    }

    @Test("a crowd of new origins displaces the least recent ones, and not an origin that just used up its share")
    func crowd() {
        let shares = FlowShares()
        for number in 0..<FlowShares.mostOrigins - 1 { _ = shares.note(begun(number), from: .address("\(number)")) }
        let greedy = Origin.address("greedy")
        for number in 0..<FlowShares.perPause { _ = shares.note(begun(number, at: 1_000), from: greedy) }
        for number in 0..<100 { _ = shares.note(begun(number, at: 1_001), from: .address("new \(number)")) }
        #expect(throws: Refusal.self) { try shares.admit(greedy, at: 1_002) }
    }

    @Test("the number of tracked origins is limited") func bound() {
        let shares = FlowShares()
        for number in 0..<(2 * FlowShares.mostOrigins) {
            #expect(shares.note(begun(number), from: .address("\(number)")) == nil)
        }
    }
}
