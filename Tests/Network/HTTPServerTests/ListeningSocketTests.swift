import Foundation
import HTTPServer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ListeningSocketTests {
    @Test("the process that uses a port is named regardless of the number of ports in use") func manyInUse() throws {
        // The kernel's socket table has 170 bytes per line and is read in pieces of 4 KiB, so these sockets need
        // several reads.
        let sockets = try (0..<24).map { _ in try ListeningSocket(.tcp(host: "::1", port: 0)) }
        defer { for socket in sockets { socket.close() } }
        for socket in sockets {
            let error = #expect(throws: ListenError.self) { _ = try ListeningSocket(socket.address) }
            #expect(error?.description.contains("process \(getpid()) ") == true, "\(String(describing: error))")
        }
    }

    @Test("a port in use is refused with its address and the process that uses it") func taken() throws {
        let holder = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
        defer { holder.close() }
        let error = #expect(throws: ListenError.self) { try ListeningSocket(holder.address) }
        #expect(error?.code == .inUse)
        #expect(error?.description.contains("process \(getpid())") == true)
        #expect(error?.address == holder.address.description)
    }

    @Test("an address that the machine does not have is refused with that reason") func missing() {
        let error = #expect(throws: ListenError.self) { try ListeningSocket(.tcp(host: "192.0.2.1", port: 0)) }
        #expect(error?.code == .refused && error?.address == "192.0.2.1:0")
        #expect(error?.reason.contains("this machine does not have the address") == true)
    }

    @Test("opening several sockets opens all or none") func allOrNone() throws {
        let free = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
        free.close()
        let holder = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
        defer { holder.close() }
        let error = #expect(throws: ListenError.self) { try ListeningSocket.open([free.address, holder.address]) }
        #expect(error?.code == .inUse && error?.address == holder.address.description)
        let again = try ListeningSocket(free.address)
        again.close()
    }

    @Test("errors at the path of a Unix socket are distinguished") func unixFile() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("s.sock")
        let first = try ListeningSocket(.unix(path: path, mode: 0o600))
        let live = #expect(throws: ListenError.self) { try ListeningSocket(.unix(path: path, mode: 0o600)) }
        #expect(live?.code == .inUse && live?.reason == "process \(getpid()) is already listening")
        first.close()
        #expect(!FileManager.default.fileExists(atPath: path))
        try Data("x".utf8).write(to: URL(fileURLWithPath: path))
        let other = #expect(throws: ListenError.self) { try ListeningSocket(.unix(path: path, mode: 0o600)) }
        #expect(other?.code == .notASocket)
        let missing = folder.path("no/s")
        let refused = #expect(throws: ListenError.self) { try ListeningSocket(.unix(path: missing, mode: 0o600)) }
        #expect(refused?.code == .refused && refused?.address == missing)
    }

    @Test(
        "addresses are printed as configurations write them",
        arguments: [("127.0.0.1", 8420, "127.0.0.1:8420"), ("::1", 0, "[::1]:0"), ("0.0.0.0", 80, "0.0.0.0:80")]
    )
    func description(_ host: String, _ port: Int, _ text: String) {
        #expect(ListenAddress.tcp(host: host, port: port).description == text)
    }

    @Test("only loopback and Unix sockets count as this machine") func loopback() {
        #expect(ListenAddress.tcp(host: "127.0.0.1", port: 1).isLoopback)
        #expect(ListenAddress.tcp(host: "::1", port: 1).isLoopback)
        #expect(!ListenAddress.tcp(host: "0.0.0.0", port: 1).isLoopback)
        #expect(ListenAddress.unix(path: "/x", mode: 0).isLoopback)
    }
}
