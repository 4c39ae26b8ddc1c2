import Glibc
import NIOCore
import NIOPosix
import OAuth
import Systemd

/// A loopback port that redirects the user's browser to a sign-in link.
///
/// The browser opener gets this address instead of the link, because every user can read process arguments. The address
/// works once, within a minute, and only for this user. No other user can listen on 127.0.0.1 or [::1].
struct OpeningPort {
    static let life: TimeAmount = .seconds(60)
    private static let mostTries = 16

    let address: String

    /// Opens a port, or returns `nil` if no port is free or the link is not an http or https URL.
    ///
    /// Only browsers of `uid` are redirected. The port is closed after ``life``, by the event loop `timers` or, if
    /// `timers` is `nil`, by the port's own event loop.
    init?(to link: String, for uid: UInt32 = geteuid(), timers: (any EventLoop)? = nil) {
        // The link becomes part of a header field, so it must not contain a line break (RFC 9110 §5.5).
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
            // On a machine without IPv6, no other user can listen on [::1].
            if LocalAddress.isMissing("::1") { return ([first], port) }
            if let second = try? bootstrap(way, for: uid).bind(host: "::1", port: port).wait() {
                return ([first, second], port)
            }
            first.close(promise: nil)
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

    /// Returns the uid at the other end of a connection, or `nil`, which the caller treats like another user's uid.
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
