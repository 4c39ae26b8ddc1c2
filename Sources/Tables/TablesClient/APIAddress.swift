package import FlowModel
import Foundation
import OAuth

/// The address of an API: the only origin that its tokens are sent to.
public struct APIAddress: Hashable, Sendable, CustomStringConvertible {
    /// The mistake in an address.
    public struct Invalid: Error, Hashable, Sendable, CustomStringConvertible {
        /// One sentence for the person who configured it, in English and as a text.
        package let said: EnglishText

        init(_ english: String, _ key: String, _ values: [String: any TextParameter] = [:]) {
            said = EnglishText(english, key, values)
        }

        /// One sentence for the person who configured it.
        public var description: String { said.english }
    }

    /// The address without a slash at its end, `https://api.example` for example.
    public let description: String
    private let origin: String
    private let path: String

    /// Reads an address.
    ///
    /// - Parameter text: `https://host[:port][/path]`, or `http://` where the host is this machine itself.
    /// - Throws: ``Invalid`` for anything else; a port that stands in the path is named with the corrected address.
    public init(_ text: String) throws(Invalid) {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(), let host = parts.host,
            !host.isEmpty
        else {
            throw Invalid(
                "'\(text)' is not an address such as https://api.example",
                "failure.address.unreadable",
                ["text": text]
            )
        }
        guard scheme == "https" || scheme == "http" else {
            throw Invalid("'\(text)' is not an https address", "failure.address.otherScheme", ["text": text])
        }
        guard parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil else {
            throw Invalid("the address of an API has no user, query or fragment", "failure.address.otherParts")
        }
        if let port = parts.port, !(1...65_535).contains(port) {
            throw Invalid("'\(text)' has a port that is not 1 to 65535", "failure.address.port", ["text": text])
        }
        let port = parts.port.map { ":\($0)" } ?? ""
        if let corrected = Self.portMoved(parts.percentEncodedPath, "\(scheme)://\(host)") {
            throw Invalid(
                "the port of '\(text)' stands in its path; is it \(corrected)?",
                "failure.address.portInPath",
                ["text": text, "corrected": corrected]
            )
        }
        guard scheme == "https" || Loopback.contains(host: host) else {
            throw Invalid(
                "'\(text)' would send tokens unprotected; only this machine may be http",
                "failure.address.unprotected",
                ["text": text]
            )
        }
        origin = "\(scheme)://\(host.lowercased())\(port)"
        path = String(parts.percentEncodedPath.reversed().drop { $0 == "/" }.reversed())
        description = origin + path
    }

    /// The URL of a resource.
    ///
    /// - Parameters:
    ///   - segments: Below this address, one text a path segment, as they are.
    ///   - query: The query as it is sent, without its question mark.
    /// - Returns: A URL of this origin, whatever the segments hold.
    func url(_ segments: [String], query: String? = nil) -> String {
        description + segments.map { "/" + Self.encoded($0) }.joined() + (query.map { "?" + $0 } ?? "")
    }

    /// True if an address is of this origin, so that a token may go there.
    func holds(_ url: String) -> Bool {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(), parts.user == nil,
            parts.password == nil, parts.fragment == nil, let host = parts.host, !host.isEmpty
        else { return false }
        return "\(scheme)://\(host.lowercased())\(parts.port.map { ":\($0)" } ?? "")" == origin
    }

    /// The query of a link that leads on from the resource of `segments`; nil if it leads anywhere else.
    func query(of link: String, from segments: [String]) -> String? {
        guard let link = URL(string: link, relativeTo: URL(string: url(segments)))?.absoluteURL,
            let parts = URLComponents(url: link, resolvingAgainstBaseURL: true), let host = parts.host,
            let scheme = parts.scheme?.lowercased(), parts.user == nil, parts.password == nil
        else { return nil }
        func port(_ parts: URLComponents) -> Int { parts.port ?? (parts.scheme?.lowercased() == "http" ? 80 : 443) }
        guard let own = URLComponents(string: url(segments)), scheme == own.scheme, host.lowercased() == own.host,
            port(parts) == port(own), parts.percentEncodedPath.lowercased() == own.percentEncodedPath.lowercased()
        else { return nil }
        return parts.percentEncodedQuery ?? ""
    }

    /// The address that was meant where a path segment ends in `:port`.
    private static func portMoved(_ path: String, _ origin: String) -> String? {
        var port: Substring?
        let segments = path.split(separator: "/").map { segment -> Substring in
            guard let colon = segment.lastIndex(of: ":"), UInt16(segment[segment.index(after: colon)...]) != nil else {
                return segment
            }
            port = segment[segment.index(after: colon)...]
            return segment[..<colon]
        }
        return port.map { "\(origin):\($0)/\(segments.joined(separator: "/"))" }
    }

    /// Percent-encodes everything that is not unreserved (RFC 3986 §2.3).
    private static func encoded(_ segment: String) -> String {
        var text = ""
        for byte in segment.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: text.unicodeScalars.append(.init(byte))
            default:
                let hex = String(byte, radix: 16, uppercase: true)
                text += "%" + (hex.count == 1 ? "0" : "") + hex
            }
        }
        return text
    }
}

extension APIAddress.Invalid: TextualError {}
