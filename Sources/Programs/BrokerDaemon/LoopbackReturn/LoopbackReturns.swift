import Flows
import Glibc
import HTTPServer
import NIOCore
import OAuth
import Synchronization

/// The ports of this machine at which browsers come back from authorities that send people to loopback only (RFC 8252 §7.3).
///
/// Such a port is the daemon's and not that of the program which wants the tokens, so the code reaches nobody but the daemon:
/// a browser is sent on with its answer to the address where it has to prove that it is the one that left. A port is on both
/// 127.0.0.1 and [::1], where the machine has both, so that nobody else can have one of them.
final class LoopbackReturns: Sendable {
    /// The number of ports that are tried, if any will do.
    private static let mostTries = 16

    /// A port that is open for a sign-in.
    struct Opened: Sendable {
        /// The number of the port, 1 to 65535.
        let number: UInt16
        /// Ends it; a second time changes nothing.
        let close: @Sendable () -> Void
    }

    private let group: any EventLoopGroup
    private let timers: (any EventLoop)?
    private let next: @Sendable () -> String
    private let listeners = Mutex<[UInt16: LoopbackListener]>([:])

    /// Opens nothing yet.
    ///
    /// - Parameters:
    ///   - group: The loops that serve the ports; their end closes those that are left.
    ///   - timers: The loop whose time the ports' lives go by; nil for that of each port.
    ///   - next: Returns the address at which a browser goes on that has come back, without a query.
    init(on group: any EventLoopGroup, timers: (any EventLoop)? = nil, next: @escaping @Sendable () -> String) {
        self.group = group
        self.timers = timers
        self.next = next
    }

    /// The number of ports that are open.
    var count: Int { listeners.withLock(\.count) }

    /// Opens a port for a sign-in; sign-ins at the same port share it, each told by its state.
    ///
    /// - Parameters:
    ///   - address: The address at which the sign-in ends, without a port for any.
    ///   - state: The state of its answer; nil if nobody comes back, and the port is only kept from others.
    ///   - life: The time after which it closes by itself.
    /// - Returns: The port.
    /// - Throws: A `ListenError` if it cannot be had.
    func open(_ address: LoopbackURI, state: Secret?, life: TimeAmount) throws(ListenError) -> Opened {
        let (number, listener, name) = try listeners.withLock { listeners throws(ListenError) in
            let (number, listener) = try opened(address.port, among: listeners)
            listeners[number] = listener
            return (number, listener, listener.places.add(LoopbackEnd(address, port: number, state: state)))
        }
        let closing = (timers ?? listener.loop).scheduleTask(in: life) { [self] in close(number, listener, name) }
        return Opened(number: number) { [self] in
            closing.cancel()
            close(number, listener, name)
        }
    }

    /// Ends a sign-in's part of a port, and the port if it was the last.
    private func close(_ number: UInt16, _ listener: LoopbackListener, _ name: Int) {
        listener.places.remove(name)
        // It leaves the table only when the port is free again, so whoever asks for the port meanwhile shares it.
        listener.whenServed { [self] in
            listeners.withLock { listeners in
                guard listener.places.isEmpty, listeners[number]?.places === listener.places else { return }
                listeners[number] = nil
                listener.close()
            }
        }
    }

    private func opened(
        _ wanted: UInt16?,
        among listeners: [UInt16: LoopbackListener]
    ) throws(ListenError) -> (UInt16, LoopbackListener) {
        if let wanted, let listener = listeners[wanted] { return (wanted, listener) }
        for _ in 1..<Self.mostTries where wanted == nil {
            if let opened = try? listener(at: 0) { return opened }
        }
        return try listener(at: wanted ?? 0)
    }

    private func listener(at port: UInt16) throws(ListenError) -> (UInt16, LoopbackListener) {
        let first = try ListeningSocket(.tcp(host: "127.0.0.1", port: Int(port)))
        var number = Int(port)
        if case .tcp(_, let chosen) = first.address { number = chosen }
        var sockets = [first]
        do {
            sockets.append(try ListeningSocket(.tcp(host: "::1", port: number)))
        } catch {
            guard Self.isWithoutIPv6(error) else {
                first.close()
                throw error
            }
        }
        let listener = LoopbackListener(sockets, LoopbackPlaces(next: next), on: group.next())
        return (UInt16(clamping: number), listener)
    }

    /// True for a machine that has one of the two addresses only.
    private static func isWithoutIPv6(_ error: ListenError) -> Bool {
        [EADDRNOTAVAIL, EAFNOSUPPORT].contains { String(cString: strerror($0)) == error.reason }
    }
}

extension ReturnPort {
    /// Opens ports of this daemon.
    static func opening(_ returns: LoopbackReturns) -> Open {
        { address, state, life throws(Unavailable) in
            do throws(ListenError) {
                let opened = try returns.open(address, state: state, life: TimeAmount(life))
                return ReturnPort(number: opened.number, close: opened.close)
            } catch {
                throw Unavailable(isInUse: error.code == .inUse, reason: error.description)
            }
        }
    }
}
