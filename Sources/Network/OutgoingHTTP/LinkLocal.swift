import AsyncHTTPClient
import Dispatch
import Glibc
import NIOCore
import Synchronization
import Systemd

/// The error for a link-local server (169.254.0.0/16 or fe80::/10), where clouds serve a machine's private metadata.
public struct LinkLocalServer: Error, Hashable, Sendable {}

/// Checks the addresses of a host before a connection is opened.
///
/// A lookup blocks a thread. Concurrent checks of the same name therefore share one lookup, and the number of lookups
/// for each local user is limited.
final class AddressCheck: Sendable {
    /// The maximum number of concurrent lookups.
    static let most = 32
    /// The maximum number of concurrent lookups for one local user, so that slow lookups do not delay other users.
    static let mostOfOne = 4

    private typealias Waiting = [Int: AsyncStream<Bool>.Continuation]

    private struct State {
        var waiting: [String: Waiting] = [:]
        var shares: [UInt32: Int] = [:]
        var lastWaiter = 0
    }

    private let state = Mutex(State())
    private let isRefused: @Sendable (String) -> Bool

    /// Creates a check that calls `isRefused` to determine whether any address of a name is refused, which can block.
    init(isRefused: @escaping @Sendable (String) -> Bool) { self.isRefused = isRefused }

    var callers: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

    /// Looks up a host, and throws an error if one of its addresses is link-local, but not if it has no address.
    ///
    /// - Throws: ``LinkLocalServer``, ``TooManyLookUps``, or `CancellationError` as soon as the task is cancelled.
    func check(_ host: String, for uid: UInt32? = nil) async throws {
        for await isRefused in try answers(host.lowercased(), for: uid) {
            if isRefused { throw LinkLocalServer() }
            return
        }
        throw CancellationError()
    }

    private func answers(_ name: String, for uid: UInt32?) throws(TooManyLookUps) -> AsyncStream<Bool> {
        let (answers, answering) = AsyncStream<Bool>.makeStream()
        let (waiter, isNew) = try state.withLock { state throws(TooManyLookUps) in
            let isNew = state.waiting[name] == nil
            if isNew {
                guard state.waiting.count < Self.most else { throw TooManyLookUps() }
                if let uid {
                    guard state.shares[uid, default: 0] < Self.mostOfOne else { throw TooManyLookUps() }
                    state.shares[uid, default: 0] += 1
                }
            }
            state.lastWaiter += 1
            state.waiting[name, default: [:]][state.lastWaiter] = answering
            return (state.lastWaiter, isNew)
        }
        answering.onTermination = { [self] _ in _ = state.withLock { $0.waiting[name]?.removeValue(forKey: waiter) } }
        // Each lookup gets its own thread, because blocking lookups would exhaust the few threads of a shared queue.
        if isNew { DispatchQueue(label: "address").async { [self] in lookUp(name, for: uid) } }
        return answers
    }

    private func lookUp(_ name: String, for uid: UInt32?) {
        let isRefused = isRefused(name)
        let waiting = state.withLock { state in
            if let uid {
                let left = state.shares[uid, default: 1] - 1
                state.shares[uid] = left > 0 ? left : nil
            }
            return state.waiting.removeValue(forKey: name)
        }
        for waiter in (waiting ?? [:]).values {
            waiter.yield(isRefused)
            waiter.finish()
        }
    }

    /// Throws an error if the host is itself a link-local address, in any notation, without looking up names.
    static func checkSpelling(_ host: String) throws(LinkLocalServer) {
        if isLinkLocal(host, flags: AI_NUMERICHOST) { throw LinkLocalServer() }
    }

    static func isLinkLocal(_ host: String, flags: Int32) -> Bool {
        hasAddress(host, flags: flags) { isLinkLocal($0) }
    }

    /// Whether one of a host's addresses meets the condition.
    ///
    /// Without the flag `AI_NUMERICHOST`, the lookup can block.
    static func hasAddress(_ host: String, flags: Int32, where isMeant: (UnsafeRawPointer) -> Bool) -> Bool {
        var hints = addrinfo()
        hints.ai_flags = flags
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host.filter { $0 != "[" && $0 != "]" }, nil, &hints, &list) == 0 else { return false }
        defer { freeaddrinfo(list) }
        var next = list
        while let entry = next?.pointee {
            if let address = entry.ai_addr, isMeant(address) { return true }
            next = entry.ai_next
        }
        return false
    }

    /// Whether an address is link-local, or is an IPv6 address that embeds a link-local IPv4 address.
    static func isLinkLocal(_ address: SocketAddress) -> Bool {
        address.withSockAddr { address, _ in isLinkLocal(address) }
    }

    private static func isLinkLocal(_ address: UnsafeRawPointer) -> Bool {
        guard let bytes = TCPOwner.End(address)?.bytes else { return false }
        if bytes.count == 4 { return bytes.starts(with: [169, 254]) }
        if within.contains(where: { bytes.starts(with: $0) && bytes.dropFirst($0.count).starts(with: [169, 254]) }) {
            return true
        }
        return bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    }

    /// The prefixes of IPv6 addresses that embed an IPv4 address (RFC 4291 §2.5.5, RFC 6052 §2.1, RFC 3056 §2).
    private static let within: [[UInt8]] = [
        [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF], [UInt8](repeating: 0, count: 12),
        [0, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8), [0x20, 0x02],
    ]
}

/// The error for a request that was not sent because too many lookups are running, either for one user or in total.
public struct TooManyLookUps: Error, Hashable, Sendable {}

extension HTTPClient.Configuration {
    /// Rejects each connection to an address that `isRefused` refuses, before anything is sent.
    mutating func refuseServers(_ isRefused: @escaping @Sendable (SocketAddress) -> Bool) {
        http1_1ConnectionDebugInitializer = { channel in
            guard channel.remoteAddress.map(isRefused) ?? false else {
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(LinkLocalServer())
        }
    }
}
