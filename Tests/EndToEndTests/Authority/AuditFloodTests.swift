import Foundation
import GRDB
import OAuth
import TestSupport
import Testing

/// Tests that events which any caller can cause do not fill the audit log.
@Suite(.timeLimit(.minutes(5)))
struct AuditFloodTests {
    /// The maximum number of events of the same kind from one local user that the audit log stores per minute.
    private static let keptInMinute = 600

    @Test("ten thousand sign-outs of a user without an account are stored up to the budget, and the rest are counted")
    func signOuts() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let begin = ContinuousClock.now
        let failures = inThreads(4) { _ -> String? in
            do {
                let connection = try machine.connect()
                for _ in 0..<2_500 {
                    let done = try connection.call("session.signOut", ["all": true])
                    guard done["removed"]?["tokens"]?.int == 0 else { return done.text }
                }
                return nil
            } catch {
                return "\(error)"
            }
        }
        #expect(failures == [nil, nil, nil, nil])
        let minutes = Int((ContinuousClock.now - begin) / .seconds(60)) + 1
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
        let database = try DatabaseQueue(path: machine.state + "/authority.sqlite")
        let kept = try database.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM audit WHERE event = 'signout'") }
        #expect(try #require(kept) >= Self.keptInMinute)
        #expect(try #require(kept) <= Self.keptInMinute * minutes)
        let all = try database.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM audit") }
        #expect(try #require(all) <= Self.keptInMinute * minutes + 100)
    }
}
