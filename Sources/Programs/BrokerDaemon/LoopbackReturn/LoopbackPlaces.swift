import NIOCore
import OAuth
import Synchronization

/// The sign-ins whose browsers return to one port, and the port's open connections.
final class LoopbackPlaces: Sendable {
    static let mostConnections = 16

    private struct State {
        var ends: [Int: LoopbackEnd] = [:]
        /// The connections, oldest first.
        var connections: [any Channel] = []
        var last = 0
    }

    private let state = Mutex(State())
    private let next: @Sendable () -> String

    init(next: @escaping @Sendable () -> String) {
        self.next = next
    }

    var isEmpty: Bool { state.withLock { $0.ends.isEmpty } }

    func add(_ end: LoopbackEnd) -> Int {
        state.withLock { state in
            state.last += 1
            state.ends[state.last] = end
            return state.last
        }
    }

    func remove(_ name: Int) { state.withLock { $0.ends[name] = nil } }

    /// Adds a connection, and closes the oldest if there are too many, so that idle ones do not block new ones.
    func admit(_ channel: any Channel) {
        let oldest: (any Channel)? = state.withLock { state in
            state.connections.append(channel)
            return state.connections.count > Self.mostConnections ? state.connections.removeFirst() : nil
        }
        oldest?.close(promise: nil)
        channel.closeFuture.whenComplete { [self] _ in
            state.withLock { state in state.connections.removeAll { $0 === channel } }
        }
    }

    func answer(to head: [UInt8]) -> [UInt8] {
        guard let request = LoopbackRequest(head) else { return LoopbackReply.bytes(400) }
        switch request.outcome(at: state.withLock { Array($0.ends.values) }) {
        case .refused(let status): return LoopbackReply.bytes(status)
        case .goesOn(let query): return LoopbackReply.bytes(303, location: "\(next())?\(query)")
        }
    }
}
