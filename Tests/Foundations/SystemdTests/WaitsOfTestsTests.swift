import Foundation
import Glibc
import Synchronization
import Testing

@testable import TestSupport

/// Tests that the waiting functions of `TestSupport` time out even if unrelated events keep arriving.
@Suite(.timeLimit(.minutes(1)))
struct WaitsOfTestsTests {
    @Test("unrelated files do not extend the wait for a file") func folder() throws {
        let folder = try TemporaryFolder()
        let watch = FolderWatch(folder.url.path)
        let path = folder.path("other")
        let drops = Drops { try? Data("x".utf8).write(to: URL(fileURLWithPath: path)) }
        defer { drops.end() }
        #expect(watch.file(within: 300) { _, _ in false } == nil)
    }

    @Test("a line that arrives byte by byte without an end is abandoned in time") func line() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.sock")
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        try #require(withUnixAddress(path) { bind(listener, $0, $1) } == 0 && listen(listener, 1) == 0)
        let client = try LineSocket(path)
        let server = accept(listener, nil, nil)
        defer { close(server) }
        let drops = Drops { _ = send(server, "x", 1, Int32(MSG_NOSIGNAL | MSG_DONTWAIT)) }
        defer { drops.end() }
        #expect(throws: LineSocket.Failure.silent) { try client.receive(within: 300) }
    }
}

/// Runs an action several hundred times a second on a separate thread until `end` is called.
private final class Drops: Sendable {
    private let isOver = Mutex(false)

    init(_ drip: @escaping @Sendable () -> Void) {
        Thread.detachNewThread { [self] in
            // The action runs under the lock, so that it does not run after `end` has returned.
            while isOver.withLock({ isOver in
                if !isOver { drip() }
                return !isOver
            }) { poll(nil, 0, 3) }
        }
    }

    func end() { isOver.withLock { $0 = true } }
}
