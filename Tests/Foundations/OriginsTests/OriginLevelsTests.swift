import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Origins

@Suite(.timeLimit(.minutes(1)))
struct OriginLevelsTests {
    private let folder: TemporaryFolder
    private let ranges: SubordinateRanges

    init() throws {
        folder = try TemporaryFolder()
        ranges = SubordinateRanges(path: folder.path("subuid"))
    }

    private func write(_ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: folder.path("subuid")), options: .atomic)
    }

    private func user(_ uid: UInt32) -> String { OriginLevels(uid: uid, ranges: ranges).wider }

    @Test("IPv6 has the levels /64, /56 and /48, and two networks share the levels of their common prefix")
    func networks() throws {
        func levels(_ bytes: [UInt8]) -> OriginLevels? { OriginLevels(address: [0x20, 1, 0xD, 0xB8, 0, 1] + bytes) }
        let first = try #require(levels([1, 1]))
        let (near, far) = (try #require(levels([1, 2])), try #require(levels([2, 1])))
        #expect(first.origin != near.origin && first.wider == near.wider && first.widest == near.widest)
        #expect(first.wider != far.wider && first.widest == far.widest)
        let whole = OriginLevels(address: [0x20, 1, 0xD, 0xB8, 0, 1, 1, 1] + [UInt8](repeating: 7, count: 8))
        #expect(whole == first)
        #expect(try #require(OriginLevels(address: [0x20, 1, 0xD, 0xB8, 0, 2, 1, 1])).widest != first.widest)
    }

    @Test("IPv4 has the levels /32 and /24, also if it is mapped to IPv6") func addresses() throws {
        let levels = try #require(OriginLevels(address: [192, 0, 2, 1]))
        #expect(levels.widest == OriginLevels(address: [192, 0, 2, 9])?.widest)
        #expect(try #require(OriginLevels(address: [192, 0, 3, 1])).widest != levels.widest)
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 192, 0, 2, 1]
        #expect(OriginLevels(address: mapped) == levels)
        #expect(OriginLevels(address: [1, 2, 3]) == nil)
    }

    @Test("the peer name in an HTTP server has the same levels") func names() {
        #expect(OriginLevels(peerName: "c0000201") == OriginLevels(address: [192, 0, 2, 1]))
        #expect(
            OriginLevels(peerName: "20010db800010101")
                == OriginLevels(address: [0x20, 1, 0xD, 0xB8, 0, 1, 1, 1])
        )
        #expect(OriginLevels(peerName: "uid 12") == OriginLevels(uid: 12))
        for name in ["local", "uid x", "c000020g", ""] {
            #expect(OriginLevels(peerName: name) == OriginLevels(alone: name))
        }
    }

    @Test("a subordinate uid counts as its owner, and the file is reloaded when it changes") func subordinates() throws
    {
        #expect(user(100_000) != user(1000))
        try write("1000:100000:65536\n1001:165536:65536\n")
        for uid: UInt32 in [100_000, 130_000, 165_535] { #expect(user(uid) == user(1000)) }
        #expect(user(165_536) == user(1001))
        #expect(user(300_000) != user(1000))
        #expect(OriginLevels(uid: 100_000, ranges: ranges).origin != OriginLevels(uid: 1000, ranges: ranges).origin)
        try write("1001:100000:65536\n")
        #expect(user(100_000) == user(1001))
        #expect(user(165_536) != user(1001))
    }

    @Test("a failed lookup of a user is repeated, and a successful one is not") func failing() throws {
        try write("ann:100000:65536\nnone:200000:65536\n")
        let calls = Mutex<[String]>([])
        let fails = Mutex(true)
        let ranges = SubordinateRanges(path: folder.path("subuid")) { name in
            calls.withLock { $0.append(name) }
            guard name == "ann" else { return .notFound }
            return fails.withLock { $0 } ? .failed : .uid(1000)
        }
        #expect(ranges.owner(of: 100_000) == "named ann")
        fails.withLock { $0 = false }
        for uid: UInt32 in [100_000, 100_001] { #expect(ranges.owner(of: uid) == "1000") }
        for uid: UInt32 in [200_000, 200_001] { #expect(ranges.owner(of: uid) == "named none") }
        #expect(calls.withLock { $0 } == ["ann", "ann", "none"])
    }

    @Test("no range maps a system user to another user, and containers of root are not root") func system() throws {
        try write("root:1000:1\n1000:0:65536\n1000:500:1\nroot:200000:65536\nno-such-user:300000:10\n")
        for uid: UInt32 in [0, 500, 999] { #expect(user(uid) != user(1000)) }
        #expect(user(200_000) == user(210_000))
        #expect(user(200_000) != user(0) && user(200_000) != user(1000))
        #expect(user(300_000) == user(300_009))
    }

    @Test(
        "a malformed line defines no range",
        arguments: [
            "1000", "1000:x:1", "1000:100000:0", ":100000:5", "1000:100000:5:6", "1000:-1:5", "1000:99999999999:5",
        ]
    ) func malformed(_ line: String) throws {
        try write(line + "\n1001:100000:5\n1001:4294967290:4294967295\n")
        #expect(user(100_001) == user(1001))
        #expect(user(.max) == user(1001))
    }

    @Test("a file that is too long defines no ranges, and the number of ranges is limited") func bounds() throws {
        let line = "1000:100000:10\n"
        try write(line + String(repeating: "#", count: SubordinateRanges.longest))
        #expect(user(100_000) != user(1000))
        let many = (0..<SubordinateRanges.mostRanges).map { "1000:\(200_000 + $0):1\n" }.joined()
        try write(many + line)
        #expect(user(200_000) == user(1000))
        #expect(user(100_000) != user(1000))
    }
}
