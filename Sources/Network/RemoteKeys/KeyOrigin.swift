/// The origin from which an authority's documents are fetched.
public enum KeyOrigin: Hashable, Sendable, CustomStringConvertible {
    /// A Unix socket of this machine; only a user who may create that file can answer there.
    case unixSocket(path: String)
    /// An origin, `https://host[:port]`, or `http` on a loopback host.
    case web(origin: String)

    /// Reads `unix:/path`, `https://host[:port]`, or `http` of a loopback host.
    public init?(_ text: String) {
        if text.hasPrefix("unix:") {
            let path = text.dropFirst("unix:".count)
            guard path.hasPrefix("/"), path.utf8.count > 1 else { return nil }
            self = .unixSocket(path: String(path))
            return
        }
        guard let address = WebAddress(text), address.path.isEmpty || address.path == "/",
            address.isSecure || address.isLoopback
        else { return nil }
        self = .web(origin: address.origin)
    }

    /// The origin as configurations spell it.
    public var description: String {
        switch self {
        case .unixSocket(let path): "unix:" + path
        case .web(let origin): origin
        }
    }
}
