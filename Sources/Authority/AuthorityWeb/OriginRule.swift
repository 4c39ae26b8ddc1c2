import FlowModel
import HTTPServer
import Hummingbird
public import Origins
import Systemd

/// Determines a request's origin, which is the uid of a local client or the network address of a remote client.
///
/// Behind a proxy, the address comes from the header field that the proxy sets. A uid is the same origin over HTTP and
/// over the broker's socket. All local clients whose uid is unknown have one origin in common.
public struct OriginRule: Sendable {
    private let machine: String
    private let isBehindProxy: Bool
    private let header: ForwardedHeader?
    private let proxies: [NetworkRange]

    /// Creates a rule that trusts the field `header` of requests from `proxies`, and no other field.
    ///
    /// If `header` is `nil`, all requests from a proxy have the proxy's address as their origin.
    public init(machine: String, isBehindProxy: Bool, header: ForwardedHeader? = nil, proxies: [NetworkRange]) {
        self.machine = machine
        self.isBehindProxy = isBehindProxy
        self.header = header
        self.proxies = proxies
    }

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
        // A trusted proxy runs as root, a service user or this process's user. Others could forge the header.
        switch context.client.peer(ends) {
        case .uid(let uid) where TCPOwner.stranger(uid) != nil: return .local(machine: machine, uid: uid)
        case .unknown: return .unknownLocal(machine: machine)
        case .uid, .remote: break
        }
        // The origin is the last hop that is not a trusted proxy. Earlier hops are unverified.
        guard let header, let name = header.name else { return .address(peer.place) }
        for hop in header.hops(request.headers[values: name]).reversed() {
            guard let address = hop else { return .address(peer.place) }
            guard isProxy(address) else { return .address(address.place) }
        }
        return .address(peer.place)
    }

    private func isProxy(_ address: NetworkAddress) -> Bool { proxies.contains { $0.contains(address) } }
}
