import AuthorityStore
import FlowModel
import OAuth
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct DeviceCodesTests {
    @Test("a device code that was reported as expired stays so when the wall clock is set back")
    func expired() async throws {
        let fixture = try StoreFixture()
        let codes = fixture.store.deviceCodes
        try await codes.add(fixture.device("d"), userCode: "BCDFGHJK", share: .client)
        func poll() async throws -> DevicePoll {
            try await codes.poll("d", client: "tasks", policy: "b2c_1_sign_in", correlationID: .random())
        }
        fixture.clock.setWall(by: .seconds(900))
        #expect(try await poll() == .expired)
        fixture.clock.setWall(by: .seconds(-900))
        #expect(try await codes.find(userCode: "BCDFGHJK") == nil)
        #expect(try await poll() == .expired)
        #expect(try await !codes.deny("d"))
    }
}
