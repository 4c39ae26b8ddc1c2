import Foundation
import Testing

/// Tests of ``LiveAPI``, the server that other tests use.
@Suite(.timeLimit(.minutes(2)))
struct LiveAPITests {
    @Test("connections that arrive while a server stops do not end the process") func ends() async throws {
        for _ in 0..<5 {
            let (connecting, hasBegun) = AsyncStream.makeStream(of: Void.self)
            let (gone, hasLeft) = AsyncStream.makeStream(of: Void.self)
            try await LiveAPI.run { _, _ in
                .json("[]")
            } test: { _, address in
                let port = try #require(URL(string: "\(address)")?.port)
                Thread.detachNewThread {
                    for count in 0..<200 {
                        connectAndLeave(UInt16(port))
                        if count == 5 { hasBegun.finish() }
                    }
                    hasLeft.finish()
                }
                for await _ in connecting {}
            }
            for await _ in gone {}
        }
    }

    /// Connects to a port of this machine and disconnects.
    ///
    /// The result does not matter, because the server may have stopped.
    private func connectAndLeave(_ port: UInt16) {
        let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(fd) }
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        place.sin_port = port.bigEndian
        withUnsafePointer(to: &place) {
            _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(fd, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
