public import Foundation

/// An address that a browser may be sent back to with an answer (RFC 6749 §3.1.2, RFC 8252 §7, RFC 9700 §4.1).
public struct RedirectURI: Hashable, Sendable, CustomStringConvertible {
    /// The address of no place: an authority that is told it leaves its answer to the person, who brings it along.
    public static let outOfBand = "urn:ietf:wg:oauth:2.0:oob"
    /// The longest redirect URI, in bytes.
    public static let maxLength = 2048

    /// The address as it was written.
    public let description: String
    /// The compared parts of a loopback address, what stands before its port and what behind it; nil for other addresses.
    private let loopback: [String]?
    /// The port of a loopback address; nil for other addresses.
    private let port: Int?

    /// Reads a redirect URI.
    ///
    /// - Parameter text: An absolute URI without fragment, user and wildcard: `https`, `http` where the host is this
    ///   machine, or a scheme of the program's own with a dot in it (RFC 8252 §7.1).
    /// - Throws: What is wrong with anything else; for `urn:ietf:wg:oauth:2.0:oob` it names the replacement.
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

    /// The text before the port of a loopback address and the text behind it, where an empty path is `/`; nil if what
    /// stands there is no port, as one with zeros in front or an empty one.
    private static func aroundPort(_ text: String) -> [String]? {
        let authority = text.dropFirst("http://".count).prefix { !"/?#".contains($0) }
        // The colons of an IPv6 address stand in brackets.
        let behindBrackets = authority[(authority.lastIndex(of: "]") ?? authority.startIndex)...]
        let mark = behindBrackets.firstIndex(of: ":") ?? authority.endIndex
        let port = authority[mark...].dropFirst()
        guard mark == authority.endIndex || port.wholeMatch(of: /[1-9][0-9]{0,4}/) != nil else { return nil }
        let rest = text[authority.endIndex...]
        return [String(text[..<mark]), rest.hasPrefix("/") ? String(rest) : "/" + rest]
    }

    /// True for an address at which any program of the person's machine may answer: loopback, or a scheme of a program's own
    /// (RFC 8252 §8.6).
    public var isOfAnyProgram: Bool { !description.lowercased().hasPrefix("https:") }

    /// True if a client that registered this address may ask for `requested`.
    ///
    /// The two are compared byte by byte; for loopback addresses any port or none is allowed, and an empty path is `/`
    /// (RFC 8252 §7.3).
    public func allows(_ requested: RedirectURI) -> Bool {
        if let loopback { return loopback == requested.loopback }
        return description.utf8.elementsEqual(requested.description.utf8)
    }

    /// True if a browser that was sent to this address has `reached` in its address bar: as ``allows(_:)``, with this port.
    public func isReached(at reached: RedirectURI) -> Bool { allows(reached) && port == reached.port }
}

/// A check for a port that was written behind the path of an address: `http://localhost/tasks:3000`.
public enum MisplacedPort {
    /// Returns the address as it was meant, `http://localhost:3000/tasks`; nil if no port is misplaced.
    public static func corrected(_ url: URLComponents) -> String? {
        guard url.port == nil, url.path.contains(":"),
            let match = url.path.firstMatch(of: /:([0-9]{1,5})(\/.*)?$/), let scheme = url.scheme,
            let host = url.host
        else { return nil }
        let path = url.path[..<match.range.lowerBound] + (match.output.2 ?? "")
        return "\(scheme)://\(host):\(match.output.1)" + (path == "/" ? "" : path)
    }
}
