import Foundation

/// The origin from which an authority's documents are fetched.
public enum KeyOrigin: Hashable, Sendable, CustomStringConvertible {
    /// A local Unix socket, whose server runs as a user who is allowed to create the socket's file.
    case unixSocket(path: String)
    /// A web origin, written as `https://host[:port]`, or with `http` if the host is a loopback host.
    case web(origin: String)

    /// The origin as written in configuration files.
    public var description: String {
        switch self {
        case .unixSocket(let path): "unix:" + path
        case .web(let origin): origin
        }
    }
}

/// An `http` or `https` URL without credentials or a fragment, split into its parts.
struct WebAddress: Hashable, Sendable {
    /// The URL's `scheme://host[:port]` in lower case.
    let origin: String
    /// The URL's `host[:port]` in lower case.
    let authority: String
    /// The path with its query, as written in the URL.
    let path: String

    init?(_ text: String) {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = parts.host?.lowercased(), !host.isEmpty,
            parts.user == nil, parts.password == nil, parts.fragment == nil
        else { return nil }
        authority = parts.port.map { "\(host):\($0)" } ?? host
        origin = "\(scheme)://\(authority)"
        path = parts.percentEncodedPath + (parts.percentEncodedQuery.map { "?" + $0 } ?? "")
    }
}
