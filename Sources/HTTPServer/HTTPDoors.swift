import NIOCore
import Synchronization

/// The listeners of a service, and the sockets that replace those whose files were removed.
final class HTTPDoors: Sendable {
    private typealias Door = (socket: ListeningSocket, listener: any Channel)

    /// Replacement sockets that are to be served.
    let found: AsyncStream<ListeningSocket>
    private let next: AsyncStream<ListeningSocket>.Continuation
    private let doors = Mutex<[Door]>([])

    init() {
        (found, next) = AsyncStream.makeStream()
    }

    func add(_ socket: ListeningSocket, _ listener: any Channel) {
        doors.withLock { $0.append((socket, listener)) }
    }

    /// True if the file of a socket was removed or replaced.
    var isGone: Bool { doors.withLock { $0.contains { $0.socket.isGone } } }

    /// Replaces each socket whose file is gone.
    func restore() async throws(ListenError) {
        for door in doors.withLock({ $0.filter { $0.socket.isGone } }) {
            let socket = try ListeningSocket(door.socket.address)
            doors.withLock { $0.removeAll { $0.listener === door.listener } }
            if case .terminated = next.yield(socket) { socket.close() }
            // New clients cannot reach it any more; its open connections stay.
            try? await door.listener.close()
        }
    }

    /// Ends ``found``: from now on no socket is replaced.
    func close() { next.finish() }
}
