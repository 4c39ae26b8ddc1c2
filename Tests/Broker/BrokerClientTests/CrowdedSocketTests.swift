import Glibc
import Systemd
import TestSupport
import Testing

@testable import BrokerClient

@Suite(.timeLimit(.minutes(2)))
struct CrowdedSocketTests {
    @Test("a caller waits at a crowded socket and does not take the broker for absent") func crowd() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("crowded")
        let crowded = try CrowdedSocket(path)
        let answer = Task { try await BrokerClient(SocketLocation(paths: [path])).accounts() }
        for _ in 0..<2000 {
            let error = #expect(throws: SystemError.self) { try PeerCredentials(listeningAt: path) }
            #expect(error?.code == EAGAIN)
        }
        // Accepts and disconnects the waiting callers and all later callers.
        let ended = Task.detached { crowded.takeAll() }
        let error = await #expect(throws: (any Error).self) { try await answer.value }
        crowded.stop()
        await ended.value
        #expect(!"\(String(describing: error))".contains("temporarily unavailable"), "\(String(describing: error))")
    }
}

/// A listening socket whose connection queue is full.
private final class CrowdedSocket: Sendable {
    private let descriptor: Int32

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0 && listen(descriptor, 0) == 0)
        // `accept` waits at most 20 s for a caller.
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        for _ in 0..<64 {
            guard (try? PeerCredentials(listeningAt: path)) != nil else { return }
        }
        Issue.record("the socket keeps more than 64 callers")
    }

    /// Accepts and disconnects all callers until ``stop()`` is called.
    func takeAll() {
        for _ in 0..<1024 {
            let connection = accept(descriptor, nil, nil)
            guard connection >= 0 else { break }
            close(connection)
        }
        close(descriptor)
    }

    func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
