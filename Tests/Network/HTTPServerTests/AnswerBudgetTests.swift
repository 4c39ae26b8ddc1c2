import HTTPTypes
import Logging
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

/// Tests the memory budget for responses that clients have not read.
@Suite(.timeLimit(.minutes(1)))
struct AnswerBudgetTests {
    private static let mebibyte = 1024 * 1024

    private let lines = LogLines()
    private let clock = SleepClock()
    private let closed = Closed()

    private func budget(perOwner: Int, total: Int, wait: Duration = .seconds(30)) -> AnswerBudget {
        var limits = AnswerBudget.Limits()
        (limits.perOwner, limits.total, limits.wait) = (perOwner, total, wait)
        return AnswerBudget(limits: limits, clock: clock, logger: lines.logger)
    }

    private func room(_ budget: AnswerBudget, _ owner: String, _ name: String = "") -> AnswerRoom {
        AnswerRoom(
            budget: budget,
            origin: { owner },
            close: { [closed] in closed.names.withLock { $0.append(name) } }
        )
    }

    /// Records the names of the closed connections.
    private final class Closed: Sendable {
        let names = Mutex<[String]>([])
    }

    private func logged(_ text: String) -> Bool { lines.all.contains { $0.hasPrefix("warning") && $0.contains(text) } }

    @Test("a short response is admitted even if the budget is used up, and reserves nothing") func short() {
        let budget = budget(perOwner: 0, total: 0)
        let room = room(budget, "a")
        #expect(room.fits(AnswerRoom.free) && room.settle(AnswerRoom.free))
        #expect(!room.fits(AnswerRoom.free + 1))
        #expect(budget.reserved == 0)
    }

    @Test("each owner has its limit, and other owners are not affected by it") func owner() {
        let budget = budget(perOwner: 2 * Self.mebibyte, total: 8 * Self.mebibyte)
        let (first, second, other) = (room(budget, "a"), room(budget, "a"), room(budget, "b"))
        #expect(first.fits(Self.mebibyte) && second.fits(Self.mebibyte))
        #expect(!second.fits(2 * Self.mebibyte))
        #expect(other.fits(2 * Self.mebibyte))
        first.release()
        #expect(second.fits(2 * Self.mebibyte))
        for room in [second, other] { room.release() }
        #expect(budget.reserved == 0)
    }

    @Test("a reservation is adjusted to the final length of the response, and ends with it") func settled() {
        let budget = budget(perOwner: 64 * Self.mebibyte, total: 256 * Self.mebibyte)
        do {
            let room = room(budget, "a")
            #expect(room.fits(Self.mebibyte - 5))
            #expect(budget.reserved == Self.mebibyte)
            #expect(room.settle(Self.mebibyte - 5))
            #expect(budget.reserved == Self.mebibyte - 5 - AnswerRoom.free)
        }
        #expect(budget.reserved == 0)
    }

    @Test("no response of more than 8 MiB is admitted, even if its owner has room") func most() {
        let budget = budget(perOwner: 64 * Self.mebibyte, total: 256 * Self.mebibyte)
        let room = room(budget, "a")
        let most = AnswerRoom.most + AnswerRoom.free
        #expect(!room.fits(most + 1) && !room.settle(most + 1))
        #expect(budget.reserved == 0)
        #expect(room.fits(most) && room.settle(most))
        #expect(budget.reserved == AnswerRoom.most)
    }

    @Test("a wait ends even if its deadline is very short") func shortWaits() async {
        let budget = budget(perOwner: 0, total: 0, wait: .zero)
        let rooms = (0..<500).map { _ in room(budget, "a") }
        await withTaskGroup(of: Void.self) { group in
            for room in rooms {
                group.addTask {
                    let problem = await #expect(throws: HTTPProblem.self) { try await room.reserve(AnswerRoom.step) }
                    #expect(problem?.status == .serviceUnavailable && problem?.headers[.retryAfter] == "5")
                }
            }
        }
        #expect(budget.waiting == 0 && budget.reserved == 0)
    }

    @Test("a waiting response proceeds when another response of its owner has been read") func waits() async throws {
        let budget = budget(perOwner: 2 * Self.mebibyte, total: 8 * Self.mebibyte)
        let (first, second) = (room(budget, "a"), room(budget, "a"))
        try await first.reserve(2 * Self.mebibyte)
        async let waiting: Void = second.reserve(2 * Self.mebibyte)
        try await waitUntil("it waits") { budget.waiting == 1 }
        first.release()
        try await waiting
        #expect(budget.reserved == 2 * Self.mebibyte)
    }

    @Test("a response that is not admitted in time is refused with 503 and Retry-After, and logged") func refused()
        async throws
    {
        let budget = budget(perOwner: 2 * Self.mebibyte, total: 8 * Self.mebibyte)
        let (first, second) = (room(budget, "a"), room(budget, "a"))
        try await first.reserve(2 * Self.mebibyte)
        let waiting = Task { try await second.reserve(Self.mebibyte) }
        try await clock.advance(by: .seconds(30))
        let problem = await #expect(throws: HTTPProblem.self) { try await waiting.value }
        #expect(problem?.status == .serviceUnavailable && problem?.headers[.retryAfter] == "5")
        #expect(budget.reserved == 2 * Self.mebibyte)
        #expect(logged("too many unread response bytes"))
        first.release()
        try await second.reserve(Self.mebibyte)
    }

    @Test(
        "if the budget is used up, the oldest response of the largest owner is dropped, and never one of an equal owner"
    )
    func givesWay() {
        let budget = budget(perOwner: 4 * Self.mebibyte, total: 6 * Self.mebibyte)
        let greedy = (0..<4).map { room(budget, "greedy", "greedy \($0)") }
        for room in greedy { #expect(room.fits(Self.mebibyte)) }
        let small = (0..<2).map { room(budget, "small \($0)", "small \($0)") }
        for room in small { #expect(room.fits(Self.mebibyte)) }
        let honest = room(budget, "honest", "honest")
        #expect(honest.fits(Self.mebibyte))
        #expect(closed.names.withLock { $0 } == ["greedy 0"])
        // A dropped response cannot reserve memory again.
        #expect(!greedy[0].fits(Self.mebibyte))
        #expect(budget.reserved == 6 * Self.mebibyte)
        #expect(logged("dropped for another client"))
        // `greedy` has reserved the most bytes, so its new response displaces no response of the other owners.
        #expect(!room(budget, "greedy").fits(Self.mebibyte))
        #expect(closed.names.withLock { $0 } == ["greedy 0"])
    }

    @Test("only as many small responses are dropped as a longer one needs") func severalGiveWay() {
        let budget = budget(perOwner: 4 * Self.mebibyte, total: 4 * Self.mebibyte)
        let greedy = (0..<16).map { room(budget, "greedy", "greedy \($0)") }
        for room in greedy { #expect(room.fits(AnswerRoom.step + AnswerRoom.free)) }
        #expect(budget.reserved == 4 * Self.mebibyte)
        let honest = room(budget, "honest", "honest")
        #expect(honest.settle(Self.mebibyte + AnswerRoom.free))
        #expect(closed.names.withLock { $0 } == (0..<4).map { "greedy \($0)" })
        #expect(budget.reserved == 4 * Self.mebibyte)
    }

    @Test("no response is dropped for one that would still not be admitted") func noneGivesWay() {
        let budget = budget(perOwner: Self.mebibyte, total: Self.mebibyte)
        let greedy = (0..<3).map { room(budget, "greedy", "greedy \($0)") }
        for room in greedy { #expect(room.settle(AnswerRoom.step + AnswerRoom.free)) }
        let small = room(budget, "small", "small")
        #expect(small.settle(AnswerRoom.step + AnswerRoom.free))
        // Dropping one response of `greedy` is not enough, and leaves `greedy` with no more bytes than `other` needs.
        #expect(!room(budget, "other", "other").settle(2 * AnswerRoom.step + AnswerRoom.free))
        #expect(closed.names.withLock { $0 }.isEmpty)
        #expect(budget.reserved == Self.mebibyte)
    }

    @Test("what a dropped response leaves over goes to a waiting response") func leftOver() async throws {
        let budget = budget(perOwner: 4 * Self.mebibyte, total: 4 * Self.mebibyte)
        let (greedy, second) = (room(budget, "greedy", "greedy"), room(budget, "greedy", "second"))
        try await greedy.reserve(4 * Self.mebibyte)
        async let waiting: Void = second.reserve(Self.mebibyte)
        try await waitUntil("it waits") { budget.waiting == 1 }
        let honest = room(budget, "honest", "honest")
        #expect(honest.settle(Self.mebibyte + AnswerRoom.free))
        try await waiting
        #expect(closed.names.withLock { $0 } == ["greedy"])
        #expect(budget.reserved == 2 * Self.mebibyte)
    }

    @Test("a change whose response is not admitted closes the connection") func dropped() {
        let budget = budget(perOwner: 0, total: 0)
        let room = room(budget, "a", "a")
        #expect(!room.settle(Self.mebibyte))
        room.drop()
        #expect(closed.names.withLock { $0 } == ["a"])
    }
}
