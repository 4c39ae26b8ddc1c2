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
/// A class because its callers share the number of look-ups under way, each of which holds a thread.
final class AddressCheck: Sendable {
    /// The greatest number of look-ups at a time.
    static let most = 32

    private let underWay = Mutex(0)
    private let queue = DispatchQueue(label: "addresses", attributes: .concurrent)

    /// Looks up a host, and refuses it if one of its addresses is one that only one link knows.
    ///
    /// - Parameter host: The host of a URL.
    /// - Throws: ``LinkLocalServer``; `CancellationError` as soon as the task is cancelled; ``TooManyLookUps``.
    ///   A host that has no address is left to those who connect.
    func check(_ host: String) async throws {
        let mayBegin = underWay.withLock { count in
            guard count < Self.most else { return false }
            count += 1
            return true
        }
        guard mayBegin else { throw TooManyLookUps() }
        let (answers, answering) = AsyncStream<Bool>.makeStream()
        queue.async { [self] in
            answering.yield(Self.isLinkLocal(host, flags: 0))
            answering.finish()
            underWay.withLock { $0 -= 1 }
        }
        for await isLinkLocal in answers {
            if isLinkLocal { throw LinkLocalServer() }
            return
        }
        throw CancellationError()
    }

    /// Refuses a host that is such an address in whatever spelling; names are looked up by somebody else.
    static func checkSpelling(_ host: String) throws(LinkLocalServer) {
        if isLinkLocal(host, flags: AI_NUMERICHOST) { throw LinkLocalServer() }
    }

    private static func isLinkLocal(_ host: String, flags: Int32) -> Bool {
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
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        if bytes.count == 4 || bytes.starts(with: mapped) { return bytes.suffix(4).starts(with: [169, 254]) }
        return bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    }
}

/// Refusal of a request while too many hosts are being looked up.
struct TooManyLookUps: Error {}

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
