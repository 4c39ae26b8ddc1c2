import HTTPTypes
import Logging
import OAuth
import TestSupport
import Testing

@testable import HTTPServer

@Suite("The memory of long responses", .timeLimit(.minutes(1)))
struct LongAnswersTests {
    @Test(
        "is charged to the user who owns the listed rows, and not to the IP address",
        arguments: ["/api/tasks", "/tables/todoitem"]
    )
    func owner(_ path: String) async throws {
        var limits = AnswerBudget.Limits()
        limits.perOwner = AnswerRoom.step
        let clock = SleepClock()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let budget = AnswerBudget(limits: limits, clock: clock, logger: logger)
        let room = { AnswerRoom(budget: budget, origin: { "127.0.0.1" }, close: {}) }
        try await TestAPI.run { (api: TestAPI) async throws in
            let (alice, bob) = (try api.token("alice"), try api.token("bob"))
            let row: JSONValue = ["text": .string(String(repeating: "x", count: 4000))]
            for token in [alice, bob] {
                for _ in 0..<100 {
                    #expect(try await api.send(.post, "/tables/todoitem", row, token: token).status == 201)
                }
            }
            let unread = room()
            #expect(try await api.send(.get, path, token: alice, room: unread).status == 200)
            let full = room()
            async let refused = api.send(.get, path, token: alice, room: full)
            try await clock.advance(by: limits.wait)
            #expect(try await refused.status == 503)
            #expect(try await api.send(.get, path, token: bob, room: room()).status == 200)
            unread.release()
            #expect(try await api.send(.get, path, token: alice, room: room()).status == 200)
        }
    }
}
