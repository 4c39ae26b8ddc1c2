import Foundation

/// Rules for the URLs that operators name.
public enum WebURL {
    /// The reason why a URL cannot be the base of others: it must be scheme, host and perhaps a port, nothing else.
    public static func refusal(ofBase text: String) -> String? {
        if let refusal = refusal(ofAPI: text) { return refusal }
        guard let url = URLComponents(string: text), let scheme = url.scheme, let host = url.host else { return nil }
        let whole = "\(scheme)://\(host)" + (url.port.map { ":\($0)" } ?? "")
        return url.path.isEmpty ? nil : "is \(text); it must have no path: \(whole)"
    }

    /// The reason why a URL cannot be called: http is for loopback only, and no part may hide anything.
    public static func refusal(ofAPI text: String) -> String? {
        guard let url = URLComponents(string: text), let scheme = url.scheme, let host = url.host, !host.isEmpty,
            scheme == "http" || scheme == "https"
        else { return "must be a URL that begins with http:// or https://" }
        if let corrected = MisplacedPort.corrected(url) {
            return "is \(text); the port belongs behind the host: \(corrected)"
        }
        guard url.user == nil, url.password == nil else { return "must not hold a user or a password" }
        guard url.query == nil, url.fragment == nil else { return "must not have a query or a fragment" }
        guard host == host.lowercased() else { return "is \(text); the host must be in lower case" }
        guard url.port.map({ (1...65535).contains($0) }) ?? true else { return "has a port that is not 1 to 65535" }
        guard scheme == "https" || Loopback.contains(host: host) else {
            return "is \(text); http is for this machine only, so it must be https"
        }
        if url.path.hasSuffix("/") { return "is \(text); it must not end in /: \(text.dropLast())" }
        return nil
    }
}
