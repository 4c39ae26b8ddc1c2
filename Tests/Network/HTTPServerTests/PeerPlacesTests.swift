import Foundation
import Logging
import Origins
import TestSupport
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(1)))
struct PeerPlacesTests {
    @Test("the subordinate uids of a user share a quarter of the connections, and another user can connect")
    func subordinates() throws {
        let folder = try TemporaryFolder()
        let file = folder.path("subuid")
        try Data("1001:100000:65536\n".utf8).write(to: URL(filePath: file))
        SubordinateRanges.$current.withValue(SubordinateRanges(path: file)) {
            let places = PeerPlaces(limits: HTTPLimits(), logger: Logger(label: "test"))
            var admitted = 0
            for uid in 100_000..<100_100 as Range<UInt32> {
                for _ in 0..<64 where places.enter(uid) { admitted += 1 }
            }
            #expect(admitted == 160)
            #expect(!places.enter(1001))
            for _ in 0..<64 { #expect(places.enter(1002)) }
            #expect(!places.enter(1002))
        }
    }
}
