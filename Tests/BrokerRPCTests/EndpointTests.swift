import Foundation
import Glibc
import NIOPosix
import OAuth
import Synchronization
import Systemd
import TestSupport
import Testing

@testable import BrokerRPC

@Suite(.timeLimit(.minutes(1)))
struct EndpointTests {
    @Test("the file has its mode, and is gone when the service has ended") func file() async throws {
        var path = ""
        try await TestSocket.open([.echo]) { server, _ in
            path = server.path
            var status = stat()
            #expect(lstat(path, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("a file that was cleaned away is made anew, and who is connected goes on") func cleaned() async throws {
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
                #expect(throws: (any Error).self) { try server.connect() }
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

    @Test("a place that another daemon has taken meanwhile is left to it") func taken() async throws {
        try await TestSocket.open([.echo]) { server, _ in
            let socket = try #require(server.socket.withLock { $0 })
            try FileManager.default.removeItem(atPath: server.path)
            let other = try SocketFile.bind(server.path, mode: 0o600)
            #expect(listen(other.descriptor, 1) == 0)
            #expect(socket.isGone)
            await #expect(throws: EndpointError.self) { try await socket.restore() }
            #expect(!other.file.isGone)
            close(other.descriptor)
            try await socket.restore()
            #expect(try await server.connect().ask(#"{"jsonrpc":"2.0","id":1,"method":"echo"}"#)["id"] == 1)
        }
    }

    @Test("a peer is let in with the groups that the kernel names") func groups() async throws {
        try await TestSocket.open([.echo]) { server, _ in
            _ = try await server.connect().ask(#"{"jsonrpc":"2.0","id":1,"method":"echo"}"#)
            var own = [UInt32](repeating: 0, count: Int(getgroups(0, nil)))
            #expect(Int(getgroups(Int32(own.count), &own)) == own.count)
            let credentials = server.credentials.withLock { $0 }
            #expect(credentials?.uid == getuid())
            #expect(Set(credentials?.groups ?? []) == Set(own))
        }
    }

    @Test("a file that a dead daemon left is replaced") func stale() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("s")
        let left = try SocketFile.bind(path, mode: 0o600)
        close(left.descriptor)
        let made = try SocketFile.bind(path, mode: 0o666)
        close(made.descriptor)
        left.file.remove()
        #expect(FileManager.default.fileExists(atPath: path))
        made.file.remove()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("a socket that another daemon serves is left alone, and the daemon is named") func held() async throws {
        try await TestSocket.open([.echo]) { server, _ in
            let socket = try server.connect()
            #expect(refusal(server.path) == "the socket \(server.path) is held by another daemon (process \(getpid()))")
            let answer = try await socket.ask(#"{"jsonrpc":"2.0","id":1,"method":"echo"}"#)
            #expect(answer["id"] == 1)
        }
    }

    private func refusal(_ path: String) -> String? {
        #expect(throws: EndpointError.self) { try SocketFile.bind(path, mode: 0o600) }?.description
    }

    @Test("a file that is no socket is left alone") func noSocket() throws {
        let folder = try TemporaryFolder()
        try Data("mine".utf8).write(to: folder.url.appendingPathComponent("s"))
        #expect(throws: EndpointError.self) { try SocketFile.bind(folder.path("s"), mode: 0o600) }
        #expect(try String(contentsOf: folder.url.appendingPathComponent("s"), encoding: .utf8) == "mine")
    }

    @Test("a path that is too long, or a folder that is not there, is an error that says so") func badPaths() throws {
        let folder = try TemporaryFolder()
        for path in [folder.path(String(repeating: "x", count: 120)), folder.path("no/s")] {
            let error = #expect(throws: EndpointError.self) { try SocketFile.bind(path, mode: 0o600) }
            #expect(error?.description.contains(path) == true)
        }
    }
}
