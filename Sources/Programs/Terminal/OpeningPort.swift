import Glibc
import NIOCore
import NIOPosix
import OAuth
import Systemd

/// A port on loopback whose address stands for a sign-in link in the arguments of a program that opens links.
///
/// Every user of a machine reads the arguments of every process. The address is good once, within a minute, for a browser
/// whose connection is of this process's own uid: it is sent on to the link. The port is on both 127.0.0.1 and [::1], so
/// that no other user answers at one of them.
struct OpeningPort {
    /// The time for which the port is open.
    static let life: TimeAmount = .seconds(60)
    /// The number of ports that are tried.
    private static let mostTries = 16

    /// The address that is opened in place of the link.
    let address: String

    /// Opens a port; nil if no port is free, or the link is none of http.
    ///
    /// - Parameters:
    ///   - link: The link.
    ///   - uid: The only uid whose browsers are sent on.
    ///   - timers: The event loop whose time the port's life goes by; nil for its own.
    init?(to link: String, for uid: UInt32 = geteuid(), timers: (any EventLoop)? = nil) {
        // The link goes into a field of the answer: nothing may end that field (RFC 9110 §5.5).
        guard link.hasPrefix("https://") || link.hasPrefix("http://"),
            link.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        var generator = SystemRandomNumberGenerator()
        let number = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let path = "/open/\(Base64URL.encode(number))"
        let way = OpeningWay(path: path, link: link)
        guard let (channels, port) = Self.open(way, for: uid) else { return nil }
        address = "http://localhost:\(port)\(path)"
        for channel in channels {
            (timers ?? channel.eventLoop).scheduleTask(in: Self.life) { channel.close(promise: nil) }
        }
    }

    private static func open(_ way: OpeningWay, for uid: UInt32) -> ([any Channel], Int)? {
        for _ in 0..<mostTries {
            guard let first = try? bootstrap(way, for: uid).bind(host: "127.0.0.1", port: 0).wait(),
                let port = first.localAddress?.port
            else { continue }
            do {
                return ([first, try bootstrap(way, for: uid).bind(host: "::1", port: port).wait()], port)
            } catch let error as IOError where [EADDRNOTAVAIL, EAFNOSUPPORT].contains(error.errnoCode) {
                // A machine without IPv6.
                return ([first], port)
            } catch {
                first.close(promise: nil)
            }
        }
        return nil
    }

    private static func bootstrap(_ way: OpeningWay, for uid: UInt32) -> ServerBootstrap {
        ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let isOwn = peer(of: channel) == uid
                    guard way.admit(channel, isOwn: isOwn) else { return channel.close(promise: nil) }
                    try channel.pipeline.syncOperations.addHandler(OpeningHandler(way, isOwn: isOwn))
                }
            }
    }

    /// The uid at the other end of a connection; nil if the kernel does not tell, which is no user's.
    private static func peer(of channel: any Channel) -> UInt32? {
        guard let client = channel.remoteAddress.flatMap(end), let server = channel.localAddress.flatMap(end) else {
            return nil
        }
        return TCPOwner.uid(client: client, server: server)
    }

    private static func end(_ address: SocketAddress) -> TCPOwner.End? {
        address.withSockAddr { address, _ in TCPOwner.End(address) }
    }
}
