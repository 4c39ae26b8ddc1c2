import Flows
import HTTPServer
import NIOCore
import OAuth
import Synchronization
import Systemd

/// The loopback ports for external authorities that redirect only to loopback addresses (RFC 8252 §7.3).
///
/// The daemon opens each port on 127.0.0.1 and [::1], so that no other process receives the authorization code. The
/// browser is then redirected to the daemon, which checks that this browser started the sign-in.
final class LoopbackReturns: Sendable {
    /// The number of ports to try if the redirect URI does not specify one.
    private static let mostTries = 16

    struct Opened: Sendable {
        let number: UInt16
        /// Releases the port, or does nothing if the port has already been released.
        let close: @Sendable () -> Void
    }

    private let group: any EventLoopGroup
    private let timers: (any EventLoop)?
    private let next: @Sendable () -> String
    private let listeners = Mutex<[UInt16: LoopbackListener]>([:])

    /// Creates an empty set of ports that redirect returning browsers to the URL that `next` returns.
    ///
    /// The timeouts run on `timers` or, if `timers` is `nil`, on the ports' event loops.
    init(on group: any EventLoopGroup, timers: (any EventLoop)? = nil, next: @escaping @Sendable () -> String) {
        self.group = group
        self.timers = timers
        self.next = next
    }

    var count: Int { listeners.withLock(\.count) }

    /// Opens a port for a sign-in or, if `state` is `nil`, only reserves a port.
    ///
    /// The port is released after the time `life`. Sign-ins with different `state` values can share a port.
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

    private func close(_ number: UInt16, _ listener: LoopbackListener, _ name: Int) {
        listener.places.remove(name)
        // The listener stays listed until the port is free, so that a sign-in that starts meanwhile shares the port.
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
            if !LocalAddress.isMissing("::1") {
                sockets.append(try ListeningSocket(.tcp(host: "::1", port: number)))
            }
        } catch {
            first.close()
            throw error
        }
        let listener = LoopbackListener(sockets, LoopbackPlaces(next: next), on: group.next())
        return (UInt16(clamping: number), listener)
    }
}

extension ReturnPort {
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
