import AsyncHTTPClient
import Testing

@testable import OutgoingHTTP

@Suite(.timeLimit(.minutes(1)))
struct OutgoingHTTPTests {
    @Test("an exchange that takes longer than its time is cancelled and counts as slow")
    func slow() async throws {
        let error = await #expect(throws: HTTPClientError.self) {
            let (answers, open) = AsyncStream<Void>.makeStream()
            try await OutgoingHTTP.within(.milliseconds(10)) { for await _ in answers {} }
            open.finish()
        }
        #expect(error.map(OutgoingHTTP.isSlowness) == true)
    }

    @Test("what an exchange returns or throws within its time comes out unchanged")
    func unchanged() async throws {
        #expect(try await OutgoingHTTP.within(.seconds(30)) { 7 } == 7)
        let error = await #expect(throws: HTTPClientError.self) {
            try await OutgoingHTTP.within(.seconds(30)) { throw HTTPClientError.remoteConnectionClosed }
        }
        #expect(error.map(OutgoingHTTP.isSlowness) == false)
    }
}
