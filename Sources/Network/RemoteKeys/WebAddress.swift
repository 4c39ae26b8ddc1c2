import Foundation
import OAuth

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
