import FlowModel
import HTTPServer
import HTTPTypes
import Hummingbird
public import Origins
import Systemd

/// The rule by which a request's origin is told (RFC 7239).
///
/// A peer of this machine counts as the uid that owns its connection, so that attempts are the same over HTTP and at the
/// broker's socket. All peers of this machine whose uid the kernel does not tell share one origin. Behind a proxy the uid would be
/// the proxy's, and addresses are the proxy's word. At the Unix socket the kernel names the uid.
public struct OriginRule: Sendable {
    private let machine: String
    private let isBehindProxy: Bool
    private let proxies: [NetworkRange]

    /// A rule.
    ///
    /// - Parameters:
    ///   - machine: The machine's id.
    ///   - isBehindProxy: True if a proxy passes the requests on.
    ///   - proxies: The addresses and networks of proxies whose `Forwarded` is believed.
    public init(machine: String, isBehindProxy: Bool, proxies: [NetworkRange]) {
        self.machine = machine
        self.isBehindProxy = isBehindProxy
        self.proxies = proxies
    }

    /// The origin of a request.
    func origin(_ request: Request, _ context: HTTPContext) -> Origin {
        guard let ends = context.ends else {
            return context.peer.map { .local(machine: machine, uid: $0) } ?? .unknownLocal(machine: machine)
        }
        let peer = NetworkAddress(bytes: ends.client.bytes)
        if !isBehindProxy {
            return switch context.client.peer(ends) {
            case .uid(let uid): .local(machine: machine, uid: uid)
            case .unknown: .unknownLocal(machine: machine)
            case .remote: .address(peer.place)
            }
        }
        guard isProxy(peer) else { return .address(peer.place) }
        // A proxy on this machine belongs to root, a service or this user; another local user could claim any address.
        switch context.client.peer(ends) {
        case .uid(let uid) where TCPOwner.stranger(uid) != nil: return .local(machine: machine, uid: uid)
        case .unknown: return .unknownLocal(machine: machine)
        case .uid, .remote: break
        }
        // The last hop that is not a proxy of ours: everything before it is the client's own word.
        let hops = Forwarded.hops(request.headers[values: .forwarded])
        for hop in hops.reversed() {
            guard let address = hop else { return .address(peer.place) }
            guard isProxy(address) else { return .address(address.place) }
        }
        return .address(peer.place)
    }

    private func isProxy(_ address: NetworkAddress) -> Bool { proxies.contains { $0.contains(address) } }
}

extension HTTPField.Name {
    static let forwarded = HTTPField.Name("Forwarded") ?? .via
}
