/// A redirect URI on loopback, with a port or for any (RFC 8252 §7.3).
public struct LoopbackURI: Hashable, Sendable, CustomStringConvertible {
    /// The address where nothing is known of what is registered.
    public static let usual = LoopbackURI(base: "http://localhost", port: nil, path: "")

    private let base: String
    /// The port that is registered; nil for any.
    public let port: UInt16?
    /// The path as it was written; empty for none.
    public let path: String
    /// The host as it was written, such as `[::1]`.
    public var host: Substring { base.dropFirst(Self.scheme.count) }

    private static let scheme = "http://"

    private init(base: String, port: UInt16?, path: String) {
        self.base = base
        self.port = port
        self.path = path
    }

    /// Reads an address such as `http://127.0.0.1`, `http://localhost/cb` or `http://[::1]:8400/cb`; nil for anything else.
    ///
    /// - Parameter text: `http`, one of the three hosts, maybe a port of 1 to 65535, maybe a path.
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

    /// The address as it was written.
    public var description: String { base + (port.map { ":\($0)" } ?? "") + path }

    /// The address with a port, where any may be asked for.
    public func with(port: UInt16) -> LoopbackURI { LoopbackURI(base: base, port: port, path: path) }
}

/// The names and addresses by which a machine reaches itself.
public enum Loopback {
    /// True if a URL's host can only be this machine: `localhost`, `::1`, or 127.0.0.0/8 as four decimal numbers.
    ///
    /// Only the written form counts: `127.0.0.1.example` and `127.1` are names that another machine may have.
    public static func contains(host: some StringProtocol) -> Bool {
        let host = host.lowercased()
        if host == "localhost" || host == "::1" || host == "[::1]" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127"
            && numbers.allSatisfy { number in UInt8(number).map { "\($0)" == number } ?? false }
    }
}
