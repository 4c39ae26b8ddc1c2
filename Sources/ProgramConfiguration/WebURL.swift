import Foundation
import StrictYAML

/// What is asked of URLs in files.
enum WebURL {
    /// Why a URL cannot be the base of others: it is scheme, host and perhaps a port, nothing else.
    static func refusal(ofBase text: String) -> String? {
        if let refusal = refusal(ofAPI: text) { return refusal }
        guard let url = URLComponents(string: text), let scheme = url.scheme, let host = url.host else { return nil }
        let whole = "\(scheme)://\(host)" + (url.port.map { ":\($0)" } ?? "")
        return url.path.isEmpty ? nil : "is \(text); it must have no path: \(whole)"
    }

    /// Why a URL cannot be called: http is for loopback only, and no part may hide anything.
    static func refusal(ofAPI text: String) -> String? {
        guard let url = URLComponents(string: text), let scheme = url.scheme, let host = url.host, !host.isEmpty,
            scheme == "http" || scheme == "https"
        else { return "must be a URL that begins with http:// or https://" }
        if let corrected = withPortMoved(url) { return "is \(text); the port belongs behind the host: \(corrected)" }
        guard url.user == nil, url.password == nil else { return "must not hold a user or a password" }
        guard url.query == nil, url.fragment == nil else { return "must not have a query or a fragment" }
        guard host == host.lowercased() else { return "is \(text); the host must be in lower case" }
        guard url.port.map({ (1...65535).contains($0) }) ?? true else { return "has a port that is none" }
        guard scheme == "https" || isLoopback(host) else {
            return "is \(text); http is for this machine only, so it must be https"
        }
        if url.path.hasSuffix("/") { return "is \(text); it must not end in /: \(text.dropLast())" }
        return nil
    }

    /// Why a URL cannot be a redirect URI: RFC 8252 §7 and RFC 9700 §2.1.
    static func refusal(ofRedirect text: String) -> String? {
        if text.hasPrefix("urn:ietf:wg:oauth:2.0:oob") {
            return "cannot be registered: use a loopback address such as http://localhost, or the device code"
        }
        guard let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(), url.fragment == nil,
            !text.contains("*"), url.user == nil
        else { return "must be a whole URI without a fragment, a user or a wildcard" }
        if let corrected = withPortMoved(url) { return "is \(text); the port belongs behind the host: \(corrected)" }
        switch scheme {
        case "https": return url.host?.isEmpty == false ? nil : "must have a host"
        case "http": return url.host.map(isLoopback) == true ? nil : "must be https: http is for loopback only"
        default: return scheme.contains(".") ? nil : "has a scheme of its own, which must be a domain turned round"
        }
    }

    static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" || host == "[::1]" { return true }
        let parts = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return host.hasPrefix("127.") && parts.count == 4
            && parts.allSatisfy { (1...3).contains($0.count) && $0.allSatisfy(\.isASCIIDigit) }
    }

    /// `http://localhost/tasks:3000` as it was meant: `http://localhost:3000/tasks`.
    private static func withPortMoved(_ url: URLComponents) -> String? {
        guard url.port == nil, url.path.contains(":"),
            let match = url.path.firstMatch(of: /:([0-9]{1,5})(\/.*)?$/), let scheme = url.scheme,
            let host = url.host
        else { return nil }
        let path = url.path[..<match.range.lowerBound] + (match.output.2 ?? "")
        return "\(scheme)://\(host):\(match.output.1)" + (path == "/" ? "" : path)
    }
}
