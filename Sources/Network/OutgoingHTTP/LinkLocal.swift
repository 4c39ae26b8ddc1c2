import AsyncHTTPClient
import Dispatch
import Glibc
import NIOCore
import Synchronization
import Systemd

/// Refusal of a server at an address that only one link knows.
///
/// 169.254.0.0/16 and fe80::/10 are where clouds keep what only a machine itself may read.
public struct LinkLocalServer: Error, Hashable, Sendable {}

/// A look at the addresses of a host before anything connects to it.
///
/// A class because its callers share the look-ups under way: each holds a thread until the system's resolver returns,
/// also after its caller has left. So who asks for the same name shares one, and a user of the machine has a part of all.
final class AddressCheck: Sendable {
    /// The greatest number of look-ups at a time.
    static let most = 32
    /// The most of them that one user of the machine began: names that no resolver finds delay nobody else's.
    static let mostOfOne = 4

    /// Those who wait for the look-up of one name.
    private typealias Waiting = [Int: AsyncStream<Bool>.Continuation]

    private struct State {
        var waiting: [String: Waiting] = [:]
        /// The look-ups that each user began, by uid.
        var shares: [UInt32: Int] = [:]
        var lastWaiter = 0
    }

    private let state = Mutex(State())
    private let isRefused: @Sendable (String) -> Bool

    /// A check that asks a resolver.
    ///
    /// - Parameter isRefused: Looks a name up, which may block, and returns true if an address of it is refused.
    init(isRefused: @escaping @Sendable (String) -> Bool) { self.isRefused = isRefused }

    /// The number of callers that wait.
    var callers: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

    /// Looks up a host, and refuses it if one of its addresses is one that only one link knows.
    ///
    /// - Parameters:
    ///   - host: The host of a URL.
    ///   - uid: The user of the machine for whom it is looked up; nil for anybody else.
    /// - Throws: ``LinkLocalServer``; `CancellationError` as soon as the task is cancelled; ``TooManyLookUps``.
    ///   A host that has no address is left to those who connect.
    func check(_ host: String, for uid: UInt32? = nil) async throws {
        for await isRefused in try answers(host.lowercased(), for: uid) {
            if isRefused { throw LinkLocalServer() }
            return
        }
        throw CancellationError()
    }

    /// The answer of a look-up, which begins now or is under way.
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
        // A queue of its own is a thread of its own; of a shared one there are few more than processors, and they wait.
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

    /// Refuses a host that is such an address in whatever spelling; names are looked up by somebody else.
    static func checkSpelling(_ host: String) throws(LinkLocalServer) {
        if isLinkLocal(host, flags: AI_NUMERICHOST) { throw LinkLocalServer() }
    }

    static func isLinkLocal(_ host: String, flags: Int32) -> Bool {
        var hints = addrinfo()
        hints.ai_flags = flags
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host.filter { $0 != "[" && $0 != "]" }, nil, &hints, &list) == 0 else { return false }
        defer { freeaddrinfo(list) }
        var next = list
        while let entry = next?.pointee {
            if let address = entry.ai_addr, isLinkLocal(address) { return true }
            next = entry.ai_next
        }
        return false
    }

    /// True for an address of 169.254.0.0/16, by itself or within IPv6, or of fe80::/10.
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

    /// The bytes before an IPv4 address within one of IPv6 that a translator or a tunnel sends there: mapped and
    /// compatible ones (RFC 4291 §2.5.5), those of NAT64 (RFC 6052 §2.1) and of 6to4 (RFC 3056 §2).
    private static let within: [[UInt8]] = [
        [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF], [UInt8](repeating: 0, count: 12),
        [0, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8), [0x20, 0x02],
    ]
}

/// Refusal of a request, whose server was not asked, while too many hosts are being looked up, for one user or for all.
public struct TooManyLookUps: Error, Hashable, Sendable {}

extension HTTPClient.Configuration {
    /// Gives up connections to such servers before anything is sent: a name may mean another address than a moment ago.
    ///
    /// - Parameter isRefused: True for an address that nothing is sent to.
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
