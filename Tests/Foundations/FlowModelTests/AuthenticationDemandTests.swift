import FlowModel
import Moments
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct AuthenticationDemandTests {
    private let now = TestClock().now

    @Test("any context is accepted if none is requested, otherwise one of those requested")
    func contexts() {
        #expect(AuthenticationDemand(acrValues: [], maxAge: nil).isReached(by: []))
        let demand = AuthenticationDemand(acrValues: ["2", "3"], maxAge: nil)
        #expect(demand.isReached(by: ["1", "3"]))
        #expect(!demand.isReached(by: ["1"]))
        #expect(!demand.isReached(by: []))
    }

    @Test(
        "an authentication is recent up to its maximum age to the millisecond, and never if it is in the future",
        arguments: [
            (nil, 1_000_000_000, true), (10, 10_000, true), (10, 10_001, false), (0, 0, true), (0, 1, false),
            (10, -5_000, true), (10, -5_001, false), (Int64.max, 1_000_000_000, true),
        ] as [(Int64?, Int64, Bool)]
    )
    func ages(_ maxAge: Int64?, _ milliseconds: Int64, _ counts: Bool) {
        let demand = AuthenticationDemand(acrValues: [], maxAge: maxAge)
        #expect(demand.isRecent(now.wall - milliseconds, at: now) == counts)
    }
}
