/// The host names that a server answers to; a request for another one gets 421 (RFC 9110 §15.5.20), since a foreign
/// page may have led a browser here (DNS rebinding).
public struct HostRule: Hashable, Sendable {
    private let names: Set<String>?

    /// Answers to these names only, each `host` or `host:port` as browsers write it.
    public init(names: some Sequence<String>) {
        self.names = Set(names.map { $0.lowercased() })
    }

    private init() {
        names = nil
    }

    /// Answers to every name: the names in front of it are a proxy's business.
    public static let any = HostRule()

    /// Answers to the name of a base URL.
    public static func base(_ base: String) -> HostRule {
        let authority = base.split(separator: "/", omittingEmptySubsequences: true).dropFirst().first.map(String.init)
        return HostRule(names: authority.map(spellings) ?? [])
    }

    /// Answers to `localhost` and the loopback addresses on the ports of `addresses`, and to the addresses themselves.
    public static func loopback(_ addresses: [ListenAddress]) -> HostRule {
        HostRule(
            names: addresses.flatMap { address -> [String] in
                guard case .tcp(_, let port) = address else { return ["localhost"] }
                return (["localhost", "127.0.0.1", "[::1]"].map { "\($0):\(port)" } + [address.description])
                    .flatMap(spellings)
            }
        )
    }

    /// True if the server answers to `host`; a Unix socket has no name of its own, so clients say `localhost` there.
    public func allows(_ host: String, onUnixSocket: Bool) -> Bool {
        guard let names else { return true }
        return names.contains(host.lowercased()) || (onUnixSocket && host.lowercased() == "localhost")
    }

    /// Returns the authority with and without the default port of the scheme.
    private static func spellings(_ authority: String) -> [String] {
        for port in [":80", ":443"] where authority.hasSuffix(port) {
            return [authority, String(authority.dropLast(port.count))]
        }
        return [authority]
    }
}
