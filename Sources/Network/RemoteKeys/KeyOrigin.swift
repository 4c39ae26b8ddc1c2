import Foundation
import OAuth

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

/// An `http` or `https` URL without credentials and fragment, split into the parts that decide which server answers.
struct WebAddress: Hashable, Sendable {
    /// `scheme://host[:port]`, in lower case.
    let origin: String
    private let host: String
    /// `host[:port]`, in lower case.
    let authority: String
    /// The path as it was spelled, with its query.
    let path: String

    init?(_ text: String) {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = parts.host?.lowercased(), !host.isEmpty,
            parts.user == nil, parts.password == nil, parts.fragment == nil
        else { return nil }
        self.host = host
        authority = parts.port.map { "\(host):\($0)" } ?? host
        origin = "\(scheme)://\(authority)"
        path = parts.percentEncodedPath + (parts.percentEncodedQuery.map { "?" + $0 } ?? "")
    }

    /// True if the scheme is `https`.
    var isSecure: Bool { origin.hasPrefix("https:") }

    /// True if the host is this machine.
    var isLoopback: Bool { Loopback.contains(host: host) }
}
