import NIOCore
import Synchronization

/// The sockets whose files this process made, and those that were made anew since.
final class HTTPDoors: Sendable {
    private typealias Door = (socket: ListeningSocket, listener: any Channel)

    /// Sockets that were made anew, and are to be served.
    let found: AsyncStream<ListeningSocket>
    private let next: AsyncStream<ListeningSocket>.Continuation
    private let doors = Mutex<[Door]>([])

    init() {
        (found, next) = AsyncStream.makeStream()
    }

    func add(_ socket: ListeningSocket, _ listener: any Channel) {
        doors.withLock { $0.append((socket, listener)) }
    }

    /// Whether a file of ours is gone.
    var isGone: Bool { doors.withLock { $0.contains { $0.socket.isGone } } }

    /// Makes each socket anew whose file is gone.
    func restore() async throws(ListenError) {
        for door in doors.withLock({ $0.filter { $0.socket.isGone } }) {
            let socket = try ListeningSocket(door.socket.address)
            doors.withLock { $0.removeAll { $0.listener === door.listener } }
            if case .terminated = next.yield(socket) { socket.close() }
            // Nobody can find it any more; who came through it stays.
            try? await door.listener.close()
        }
    }

    /// Nothing is made anew from here on.
    func close() { next.finish() }
}
