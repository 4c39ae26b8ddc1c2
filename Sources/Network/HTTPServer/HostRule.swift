/// The rule that decides which host names a server accepts in requests.
///
/// Other names are rejected with 421 (RFC 9110 §15.5.20), which prevents DNS rebinding by malicious pages.
public struct HostRule: Hashable, Sendable {
    private let names: Set<String>?

    /// Creates a rule that accepts only the given names in the form `host` or `host:port`, as browsers send them.
    public init(names: some Sequence<String>) {
        self.names = Set(names.map { $0.lowercased() })
    }

    private init() {
        names = nil
    }

    /// A rule that accepts every name, for a server behind a proxy that checks the names.
    public static let any = HostRule()

    /// Returns a rule that accepts only the host and port of the URL `base`.
    public static func base(_ base: String) -> HostRule {
        let authority = base.split(separator: "/", omittingEmptySubsequences: true).dropFirst().first.map(String.init)
        return HostRule(names: authority.map(spellings) ?? [])
    }

    /// Returns a rule that accepts `addresses`, and also `localhost` and the loopback addresses on the same ports.
    public static func loopback(_ addresses: [ListenAddress]) -> HostRule {
        HostRule(
            names: addresses.flatMap { address -> [String] in
                guard case .tcp(_, let port) = address else { return ["localhost"] }
                return (["localhost", "127.0.0.1", "[::1]"].map { "\($0):\(port)" } + [address.description])
                    .flatMap(spellings)
            }
        )
    }

    /// Returns whether the server accepts `host`.
    ///
    /// On a Unix socket, the server always accepts `localhost`.
    public func allows(_ host: String, onUnixSocket: Bool) -> Bool {
        guard let names else { return true }
        return names.contains(host.lowercased()) || (onUnixSocket && host.lowercased() == "localhost")
    }

    private static func spellings(_ authority: String) -> [String] {
        for port in [":80", ":443"] where authority.hasSuffix(port) {
            return [authority, String(authority.dropLast(port.count))]
        }
        return [authority]
    }
}
