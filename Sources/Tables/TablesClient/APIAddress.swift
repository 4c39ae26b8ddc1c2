package import FlowModel
import Foundation
import OAuth

/// The base URL of an API, whose origin is the only one to which the client sends tokens.
public struct APIAddress: Hashable, Sendable, CustomStringConvertible {
    /// An error in an API's base URL.
    public struct Invalid: Error, Hashable, Sendable, CustomStringConvertible {
        package let said: EnglishText

        init(_ english: String, _ key: String, _ values: [String: any TextParameter] = [:]) {
            said = EnglishText(english, key, values)
        }

        /// The message in English, for the author of the configuration.
        public var description: String { said.english }
    }

    /// The URL without a trailing slash, for example `https://api.example`.
    public let description: String
    private let origin: String
    private let path: String

    /// Parses `https://host[:port][/path]`, or `http://` for a loopback host.
    ///
    /// - Throws: ``Invalid`` for any other string. If the port is in the path, the message suggests the corrected URL.
    public init(_ text: String) throws(Invalid) {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(), let host = parts.host,
            !host.isEmpty
        else {
            throw Invalid(
                "'\(text)' is not a valid address. Use a form such as https://api.example.",
                "failure.address.unreadable",
                ["text": text]
            )
        }
        guard scheme == "https" || scheme == "http" else {
            throw Invalid("'\(text)' is not an https address.", "failure.address.otherScheme", ["text": text])
        }
        guard parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil else {
            throw Invalid(
                "The address of an API must not have a user name, a query or a fragment.",
                "failure.address.otherParts"
            )
        }
        if let port = parts.port, !(1...65_535).contains(port) {
            throw Invalid("'\(text)' has a port outside the range 1 to 65535.", "failure.address.port", ["text": text])
        }
        let port = parts.port.map { ":\($0)" } ?? ""
        if let corrected = Self.portMoved(parts.percentEncodedPath, "\(scheme)://\(host)") {
            throw Invalid(
                "The port in '\(text)' is part of the path. Did you mean \(corrected)?",
                "failure.address.portInPath",
                ["text": text, "corrected": corrected]
            )
        }
        guard scheme == "https" || Loopback.contains(host: host) else {
            throw Invalid(
                "'\(text)' would send tokens unencrypted. Use https. Only loopback addresses may use http.",
                "failure.address.unprotected",
                ["text": text]
            )
        }
        origin = "\(scheme)://\(host.lowercased())\(port)"
        path = String(parts.percentEncodedPath.reversed().drop { $0 == "/" }.reversed())
        description = origin + path
    }

    /// Returns the base URL followed by the path `segments`, which this method encodes, and by the encoded `query`.
    func url(_ segments: [String], query: String? = nil) -> String {
        description + segments.map { "/" + Self.encoded($0) }.joined() + (query.map { "?" + $0 } ?? "")
    }

    /// Returns whether `url` has the API's origin, the only origin to which tokens are sent.
    func holds(_ url: String) -> Bool {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(), parts.user == nil,
            parts.password == nil, parts.fragment == nil, let host = parts.host, !host.isEmpty
        else { return false }
        return "\(scheme)://\(host.lowercased())\(parts.port.map { ":\($0)" } ?? "")" == origin
    }

    /// Returns the query of a link to the next page, or `nil` if the link does not lead to the resource at `segments`.
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

    /// Returns the URL with a port such as `:8080` moved from the path to the host, or `nil` if the path has no port.
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

    /// Percent-encodes all characters except unreserved characters (RFC 3986 §2.3).
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
