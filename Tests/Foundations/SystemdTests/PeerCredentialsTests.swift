import Glibc
import Systemd
import Testing

@Suite(.timeLimit(.minutes(2)))
struct PeerCredentialsTests {
    @Test("the peer of a socket pair is this process") func own() throws {
        var pair: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        defer { for descriptor in pair { close(descriptor) } }
        let peer = try PeerCredentials(descriptor: pair[0])
        #expect((peer.pid, peer.uid, peer.gid) == (getpid(), getuid(), getgid()))
    }

    @Test("the peer's supplementary groups are those of this process") func groups() throws {
        var pair: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        defer { for descriptor in pair { close(descriptor) } }
        let count = getgroups(0, nil)
        var own = [UInt32](repeating: 0, count: Int(count))
        #expect(getgroups(count, &own) == count)
        #expect(try Set(PeerCredentials(descriptor: pair[0]).groups) == Set(own))
    }

    @Test("a group is found by name and by number, and an unknown one is not") func groupIDs() throws {
        #expect(try GroupID.of("root") == 0)
        #expect(try GroupID.of("27") == 27)
        #expect(try GroupID.of("no-such-group-here") == nil)
    }

    @Test("a descriptor that is not a socket has no peer") func noSocket() throws {
        var pipes: [Int32] = [0, 0]
        try #require(pipe(&pipes) == 0)
        defer { for descriptor in pipes { close(descriptor) } }
        let error = #expect(throws: SystemError.self) { try PeerCredentials(descriptor: pipes[0]) }
        #expect(error?.code == ENOTSOCK)
        #expect(error?.description.hasPrefix("getsockopt(SO_PEERCRED): ") == true)
    }

    @Test(
        "exactly the uids of unmapped users are recognised",
        arguments: [(UInt32.max, true), (PeerCredentials.overflowUID, true), (0, false), (1000, false)]
    )
    func nobody(uid: UInt32, expected: Bool) {
        #expect(PeerCredentials(pid: 1, uid: uid, gid: 0).isNobody == expected)
    }
}
