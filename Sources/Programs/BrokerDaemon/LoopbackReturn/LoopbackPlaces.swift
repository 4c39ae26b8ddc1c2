import NIOCore
import OAuth
import Synchronization

/// The sign-ins that end at one port, and the connections that are open there.
final class LoopbackPlaces: Sendable {
    /// The most connections at once.
    static let mostConnections = 16

    private struct State {
        var ends: [Int: LoopbackEnd] = [:]
        /// The connections, the oldest first.
        var connections: [any Channel] = []
        var last = 0
    }

    private let state = Mutex(State())
    private let next: @Sendable () -> String

    /// - Parameter next: Returns the address at which a browser goes on that has come back.
    init(next: @escaping @Sendable () -> String) {
        self.next = next
    }

    /// True if no sign-in ends here any more.
    var isEmpty: Bool { state.withLock { $0.ends.isEmpty } }

    /// Lets a sign-in end here.
    ///
    /// - Returns: The name by which it is removed.
    func add(_ end: LoopbackEnd) -> Int {
        state.withLock { state in
            state.last += 1
            state.ends[state.last] = end
            return state.last
        }
    }

    /// Lets a sign-in end here no longer.
    func remove(_ name: Int) { state.withLock { $0.ends[name] = nil } }

    /// Gives a connection a place: that of the oldest, if all are taken, so that who says nothing keeps nobody out.
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

    /// The bytes that answer a head.
    func answer(to head: [UInt8]) -> [UInt8] {
        guard let request = LoopbackRequest(head) else { return LoopbackReply.bytes(400) }
        switch request.outcome(at: state.withLock { Array($0.ends.values) }) {
        case .refused(let status): return LoopbackReply.bytes(status)
        case .goesOn(let query): return LoopbackReply.bytes(303, location: "\(next())?\(query)")
        }
    }
}
