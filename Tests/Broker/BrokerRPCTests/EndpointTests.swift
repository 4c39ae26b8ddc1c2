import Foundation
import Glibc
import NIOCore
import NIOPosix
import OAuth
import Synchronization
import Systemd
import TestSupport
import Testing

@testable import BrokerRPC

@Suite(.timeLimit(.minutes(1)))
struct EndpointTests {
    @Test("the socket file has its mode, and is deleted when the service ends") func file() async throws {
        var path = ""
        try await TestSocket.open([.echo]) { server, _ in
            path = server.path
            var status = stat()
            #expect(lstat(path, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("a deleted socket file is created again, and connected callers stay connected") func cleaned() async throws {
        var path = ""
        try await TestSocket.open([.echo]) { server, _ in
            path = server.path
            let socket = try #require(server.socket.withLock { $0 })
            let before = try server.connect()
            let question = #"{"jsonrpc":"2.0","id":1,"method":"echo"}"#
            #expect(try await before.ask(question)["id"] == 1)
            #expect(!socket.isGone)
            try await socket.restore()
            for _ in 0..<3 {
                try FileManager.default.removeItem(atPath: path)
                #expect(socket.isGone)
                #expect(throws: LineSocket.Failure.notConnected(errno: ENOENT)) { try server.connect() }
                try await socket.restore()
                #expect(!socket.isGone)
                #expect(try await server.connect().ask(question)["id"] == 1)
                #expect(try await before.ask(question)["id"] == 1)
            }
            var status = stat()
            #expect(lstat(path, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("a socket path that another daemon has taken is left to it") func taken() async throws {
        try await TestSocket.open([.echo]) { server, _ in
            let socket = try #require(server.socket.withLock { $0 })
            try FileManager.default.removeItem(atPath: server.path)
            let other = try UnixSocketFile.listen(at: server.path, mode: 0o600)
            #expect(socket.isGone)
            let refused = await #expect(throws: UnixSocketError.self) { try await socket.restore() }
            #expect(refused?.code == .inUse)
            #expect(!other.file.isGone)
            close(other.descriptor)
            try await socket.restore()
            #expect(try await server.connect().ask(#"{"jsonrpc":"2.0","id":1,"method":"echo"}"#)["id"] == 1)
        }
    }

    @Test("a peer is accepted with the groups that the kernel reports") func groups() async throws {
        try await TestSocket.open([.echo]) { server, _ in
            _ = try await server.connect().ask(#"{"jsonrpc":"2.0","id":1,"method":"echo"}"#)
            var own = [UInt32](repeating: 0, count: Int(getgroups(0, nil)))
            #expect(Int(getgroups(Int32(own.count), &own)) == own.count)
            let credentials = server.credentials.withLock { $0 }
            #expect(credentials?.uid == getuid())
            #expect(Set(credentials?.groups ?? []) == Set(own))
        }
    }

    @Test("a socket that another daemon serves is left alone, and the daemon is named") func held() async throws {
        try await TestSocket.open([.echo]) { server, _ in
            let socket = try server.connect()
            let second = SocketEndpoint.path(server.path, mode: 0o600)
            let error = await #expect(throws: UnixSocketError.self) { try await server.listen(second) }
            #expect(error?.description == "cannot listen on \(server.path): process \(getpid()) is already listening")
            let answer = try await socket.ask(#"{"jsonrpc":"2.0","id":1,"method":"echo"}"#)
            #expect(answer["id"] == 1)
        }
    }

    @Test("several hundred connections wait while the server is busy, and none is refused") func queue() async throws {
        try await TestSocket.open([.echo]) { server, _ in
            let loop = try #require(server.socket.withLock { $0?.registry.eventLoop })
            let (isBusy, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            loop.execute {
                isBusy.signal()
                goOn.wait()
            }
            defer { goOn.signal() }
            try await NIOThreadPool.singleton.runIfActive {
                isBusy.wait()
                for _ in 0..<400 { _ = try PeerCredentials(listeningAt: server.path) }
            }
        }
    }
}
