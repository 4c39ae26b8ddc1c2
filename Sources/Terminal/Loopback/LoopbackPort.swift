import Dispatch
import Glibc
import Moments

/// A port of this command on loopback, at which a browser of this machine ends a sign-in (RFC 8252 §7.3).
///
/// It is on both 127.0.0.1 and [::1], where the machine has both, so nobody else can have one of them; it takes one answer,
/// of the sign-in alone, and every other request changes nothing.
public final class LoopbackPort: Sendable {
    /// The number of ports that are tried, if any will do.
    private static let mostTries = 16
    /// The most connections at once.
    static let mostConnections = 16
    /// The interval in milliseconds at which it is looked whether an answer is still wanted.
    private static let glance: Int32 = 100

    /// The number of the port, 1 to 65535.
    public let number: UInt16
    private let listeners: [Int32]
    private let queue = DispatchQueue(label: "loopback")

    /// Opens a port.
    ///
    /// - Parameter wanted: The port; nil for any that is free.
    /// - Throws: A `CommandFailure` if there is none.
    public init(_ wanted: UInt16? = nil) throws(CommandFailure) {
        for _ in 0..<(wanted == nil ? Self.mostTries : 1) {
            guard let opened = Self.open(wanted ?? 0) else { continue }
            (number, listeners) = opened
            return
        }
        throw CommandFailure(.failed, "port_in_use", TerminalText.portInUse(wanted).text)
    }

    /// Its addresses, as a daemon's `listen` has them: of IPv4, and of IPv6 where this machine has it.
    public var addresses: [String] { ["127.0.0.1:\(number)", "[::1]:\(number)"].prefix(listeners.count).map { $0 } }

    deinit { for listener in listeners { close(listener) } }

    private static func open(_ wanted: UInt16) -> (UInt16, [Int32])? {
        guard let first = LoopbackSocket.listen("127.0.0.1", wanted).descriptor else { return nil }
        let port = LoopbackSocket.port(of: first)
        let second = LoopbackSocket.listen("::1", port)
        if let second = second.descriptor { return (port, [first, second]) }
        // A machine without IPv6 has one address only.
        guard [EADDRNOTAVAIL, EAFNOSUPPORT].contains(second.error) else {
            close(first)
            return nil
        }
        return (port, [first])
    }

    /// Waits for the end of a sign-in.
    ///
    /// - Parameters:
    ///   - end: The address at which it ends.
    ///   - deadline: The time at which it makes no sense any more.
    ///   - clock: The clock that the deadline is held against.
    /// - Returns: The query of the address.
    /// - Throws: `CommandFailure.cancelled` when the task is cancelled; `expired` after the deadline.
    func answer(at end: LoopbackEnd, until deadline: Deadline, clock: MomentClock = .system) async throws -> String {
        let isCancelled = OneShot()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.async {
                    continuation.resume(with: Result { try self.wait(for: end, until: deadline, clock, isCancelled) })
                }
            }
        } onCancel: {
            isCancelled.set()
        }
    }

    private func wait(
        for end: LoopbackEnd,
        until deadline: Deadline,
        _ clock: MomentClock,
        _ isCancelled: OneShot
    ) throws -> String {
        var open: [LoopbackConnection] = []
        defer { for connection in open { close(connection.descriptor) } }
        while true {
            if isCancelled.isSet { throw CommandFailure.cancelled }
            if deadline.hasEnded(at: clock.now) {
                throw CommandFailure(.failed, "expired", TerminalText.timeEnded.text)
            }
            var polled = Self.polled(listeners, open.map(\.descriptor))
            let ready = poll(&polled, nfds_t(polled.count), Self.glance)
            let isReady = polled.map { ready > 0 && $0.revents != 0 }
            if let query = Self.serve(&open, isReady.dropFirst(listeners.count), end, at: clock.now) { return query }
            for (listener, isReady) in zip(listeners, isReady) where isReady && open.count < Self.mostConnections {
                if let connection = LoopbackConnection(at: listener, now: clock.now) { open.append(connection) }
            }
        }
    }

    /// Serves the connections that have sent something, and closes those that have ended.
    ///
    /// - Returns: The query that ends the sign-in; nil if none has come. Whatever is left open stays in `open`.
    private static func serve(
        _ open: inout [LoopbackConnection],
        _ isReady: ArraySlice<Bool>,
        _ end: LoopbackEnd,
        at now: Moment
    ) -> String? {
        var kept: [LoopbackConnection] = []
        var taken: String?
        for (connection, isReady) in zip(open, isReady) {
            var connection = connection
            switch isReady && taken == nil ? serve(&connection, end) : .waiting {
            case .waiting where !connection.ends.hasEnded(at: now): kept.append(connection)
            case .waiting, .done: close(connection.descriptor)
            case .taken(let query):
                taken = query
                close(connection.descriptor)
            }
        }
        open = kept
        return taken
    }

    /// The descriptors that are waited for: connections, and new ones while there is room for them.
    static func polled(_ listeners: [Int32], _ open: [Int32]) -> [pollfd] {
        // A negative descriptor is passed over (poll(2)).
        let heard = open.count < mostConnections ? listeners : listeners.map { _ in -1 }
        return (heard + open).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    }

    /// The states of a connection.
    private enum Service {
        case waiting
        case done
        case taken(String)
    }

    private static func serve(_ connection: inout LoopbackConnection, _ end: LoopbackEnd) -> Service {
        switch connection.read() {
        case .partial: return .waiting
        case .gone: return .done
        case .tooLong:
            connection.answer(431)
            return .done
        case .whole(let head):
            guard let request = LoopbackRequest(head) else {
                connection.answer(400)
                return .done
            }
            switch request.outcome(at: end) {
            case .refused(let status):
                connection.answer(status)
                return .done
            case .taken(let query):
                connection.answer(200)
                return .taken(query)
            }
        }
    }
}
