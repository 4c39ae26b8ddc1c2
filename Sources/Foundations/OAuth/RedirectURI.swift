public import Foundation

/// A redirect URI that a client registers or sends in a request (RFC 6749 §3.1.2, RFC 8252 §7, RFC 9700 §4.1).
public struct RedirectURI: Hashable, Sendable, CustomStringConvertible {
    /// The out-of-band URI, which tells the authority to display the response so that the user can copy it.
    public static let outOfBand = "urn:ietf:wg:oauth:2.0:oob"
    /// The maximum length of a redirect URI, in bytes.
    public static let maxLength = 2048

    /// The URI as written.
    public let description: String
    /// The text before and after the port of a loopback URI, or `nil` for any other URI.
    private let loopback: [String]?
    /// The port of a loopback URI (80 if none is written), or `nil` for any other URI.
    private let port: Int?

    /// Parses an absolute URI without a fragment, user name or wildcard.
    ///
    /// The scheme is `https`, `http` with a loopback host, or a private-use scheme with a dot (RFC 8252 §7.1).
    public init(_ text: String) throws(AddressProblem) {
        guard !text.lowercased().hasPrefix(Self.outOfBand) else {
            throw .outOfBand
        }
        guard text.utf8.count <= Self.maxLength else { throw .tooLong(most: Self.maxLength) }
        guard let url = URLComponents(string: text, encodingInvalidCharacters: false),
            let scheme = url.scheme?.lowercased(), url.fragment == nil, !text.contains("*"), url.user == nil,
            url.password == nil
        else { throw .notWhole }
        if let corrected = MisplacedPort.corrected(url) {
            throw .portInPath(text, corrected: corrected)
        }
        guard url.port.map({ (1...65_535).contains($0) }) ?? true else { throw .otherPort }
        let host = url.host ?? ""
        port = scheme == "http" ? url.port ?? 80 : nil
        switch scheme {
        case "https":
            guard !host.isEmpty else { throw .noHost }
            loopback = nil
        case "http":
            guard Loopback.contains(host: host) else { throw .notLoopback }
            guard let parts = Self.aroundPort(text) else { throw .otherPort }
            loopback = parts
        default:
            guard scheme.contains(".") else { throw .otherScheme }
            loopback = nil
        }
        description = text
    }

    /// Returns the text before and after the port, with `/` for an empty path, or `nil` if the port is malformed.
    private static func aroundPort(_ text: String) -> [String]? {
        let authority = text.dropFirst("http://".count).prefix { !"/?#".contains($0) }
        // Skip an IPv6 address in brackets, because it contains colons.
        let behindBrackets = authority[(authority.lastIndex(of: "]") ?? authority.startIndex)...]
        let mark = behindBrackets.firstIndex(of: ":") ?? authority.endIndex
        let port = authority[mark...].dropFirst()
        guard mark == authority.endIndex || port.wholeMatch(of: /[1-9][0-9]{0,4}/) != nil else { return nil }
        let rest = text[authority.endIndex...]
        return [String(text[..<mark]), rest.hasPrefix("/") ? String(rest) : "/" + rest]
    }

    /// Whether this is a loopback or private-use URI, whose responses any program could receive (RFC 8252 §8.6).
    public var isOfAnyProgram: Bool { !description.lowercased().hasPrefix("https:") }

    /// Whether a client that registered this URI may use `requested`.
    ///
    /// The URIs must be identical byte for byte. Only for loopback URIs, any port is allowed, and an empty path is equal
    /// to `/` (RFC 8252 §7.3).
    public func allows(_ requested: RedirectURI) -> Bool {
        if let loopback { return loopback == requested.loopback }
        return description.utf8.elementsEqual(requested.description.utf8)
    }

    /// Whether a redirect to this URI can lead to `reached`.
    ///
    /// This is the case if ``allows(_:)`` is `true` and the ports are equal.
    public func isReached(at reached: RedirectURI) -> Bool { allows(reached) && port == reached.port }
}

/// Detects a port after the path of a URL, such as `http://localhost/tasks:3000`.
public enum MisplacedPort {
    /// Returns the intended URL, such as `http://localhost:3000/tasks`, or `nil` if no port is misplaced.
    public static func corrected(_ url: URLComponents) -> String? {
        guard url.port == nil, url.path.contains(":"),
            let match = url.path.firstMatch(of: /:([0-9]{1,5})(\/.*)?$/), let scheme = url.scheme,
            let host = url.host
        else { return nil }
        let path = url.path[..<match.range.lowerBound] + (match.output.2 ?? "")
        return "\(scheme)://\(host):\(match.output.1)" + (path == "/" ? "" : path)
    }
}
