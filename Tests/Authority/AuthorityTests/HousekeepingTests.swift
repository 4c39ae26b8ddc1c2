import AuthorityStore
import FlowModel
import OAuth
import TestSupport
import Testing

@testable import Authority

@Suite(.timeLimit(.minutes(1)), .indexedStatements) struct HousekeepingTests {
    @Test("one cleanup run deletes everything that has expired, in as many batches as needed") func batches()
        async throws
    {
        let scene = try await Scene()
        let many = Authority.sweepLimit * 2 + 1
        try await scene.store.audit.append(
            (0..<many).map { _ in AuditEvent(.signInFailed, owner: scene.owner, correlationID: .random()) }
        )
        scene.time.advance(by: Authority.auditRetention + .seconds(1))
        await scene.authority.housekeeping()
        #expect(try await scene.events().filter { $0 == "signin.failed" }.isEmpty)
    }
}
