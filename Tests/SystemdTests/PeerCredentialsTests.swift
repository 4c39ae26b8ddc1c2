import Glibc
import Systemd
import Testing

struct PeerCredentialsTests {
    @Test("the peer of a socket pair is this process") func own() throws {
        var pair: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        defer { for descriptor in pair { close(descriptor) } }
        let peer = try PeerCredentials(descriptor: pair[0])
        #expect(peer == PeerCredentials(pid: getpid(), uid: getuid(), gid: getgid()))
    }

    @Test("a descriptor that is no socket has no peer") func noSocket() throws {
        var pipes: [Int32] = [0, 0]
        try #require(pipe(&pipes) == 0)
        defer { for descriptor in pipes { close(descriptor) } }
        let error = #expect(throws: SystemError.self) { try PeerCredentials(descriptor: pipes[0]) }
        #expect(error?.code == ENOTSOCK)
        #expect(error?.description.hasPrefix("getsockopt(SO_PEERCRED): ") == true)
    }

    @Test(
        "the uids that stand for nobody are known, and no other",
        arguments: [(UInt32.max, true), (PeerCredentials.overflowUID, true), (0, false), (1000, false)]
    )
    func nobody(uid: UInt32, expected: Bool) {
        #expect(PeerCredentials(pid: 1, uid: uid, gid: 0).isNobody == expected)
    }
}
