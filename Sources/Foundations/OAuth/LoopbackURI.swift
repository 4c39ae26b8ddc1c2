/// A loopback redirect URI that has a fixed port or allows any port (RFC 8252 §7.3).
public struct LoopbackURI: Hashable, Sendable, CustomStringConvertible {
    /// The redirect URI to use if the registered URI is unknown.
    public static let usual = LoopbackURI(base: "http://localhost", port: nil, path: "")

    private let base: String
    /// The registered port, or `nil` if any port is allowed.
    public let port: UInt16?
    /// The path as written, or an empty string if the URI has no path.
    public let path: String
    /// The host as written, such as `[::1]`.
    public var host: Substring { base.dropFirst(Self.scheme.count) }

    private static let scheme = "http://"

    private init(base: String, port: UInt16?, path: String) {
        self.base = base
        self.port = port
        self.path = path
    }

    /// Parses an `http` URL of `localhost`, `127.0.0.1` or `[::1]` with an optional port and path, or returns `nil`.
    public init?(_ text: String) {
        let form = #/(http://(?:localhost|127\.0\.0\.1|\[::1\]))(?::([1-9][0-9]{0,4}))?(/[^?#]*)?/#
        guard let match = text.wholeMatch(of: form) else { return nil }
        var port: UInt16?
        if let digits = match.2 {
            guard let number = UInt16(digits) else { return nil }
            port = number
        }
        self.init(base: String(match.1), port: port, path: match.3.map(String.init) ?? "")
    }

    /// The URI as written.
    public var description: String { base + (port.map { ":\($0)" } ?? "") + path }

    /// Returns a copy of the URI that has the given port.
    public func with(port: UInt16) -> LoopbackURI { LoopbackURI(base: base, port: port, path: path) }
}

/// The host names and addresses by which a machine reaches itself.
public enum Loopback {
    /// Whether a host is `localhost`, `::1`, or an address in 127.0.0.0/8 in the form of four decimal numbers.
    ///
    /// Other forms are not accepted, because `127.0.0.1.example` and `127.1` can be names of other machines.
    public static func contains(host: some StringProtocol) -> Bool {
        let host = host.lowercased()
        if host == "localhost" || host == "::1" || host == "[::1]" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127"
            && numbers.allSatisfy { number in UInt8(number).map { "\($0)" == number } ?? false }
    }
}
