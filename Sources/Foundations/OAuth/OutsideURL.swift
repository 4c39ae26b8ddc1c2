import Foundation

/// The addresses that are called outside: `https`, or `http` of this machine, and no machine's own metadata.
public enum OutsideURL {
    /// The reason why an address is not called; nil if it may be.
    public static func refusal(_ text: String) -> String? {
        guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(),
            let host = url.host?.lowercased(), !host.isEmpty
        else { return "must be a URL that begins with https://" }
        guard url.user == nil, url.password == nil else { return "must not hold a user or a password" }
        guard url.fragment == nil else { return "must not have a fragment" }
        if let port = url.port, !(1...65535).contains(port) { return "must have a port of 1 to 65535, or none" }
        switch scheme {
        case "https": break
        case "http":
            guard Loopback.contains(host: host) else {
                return "is http, which is for this machine only; it must be https"
            }
        default: return "must be a URL that begins with https://"
        }
        return isLinkLocal(host) ? "is an address that only one link knows, such as a cloud's metadata" : nil
    }

    /// True for a scheme, a host and a port as browsers write them: in lower case, without the scheme's usual port.
    public static func isOrigin(_ text: String) -> Bool {
        guard refusal(text) == nil, let url = URLComponents(string: text), let scheme = url.scheme else { return false }
        return url.path.isEmpty && url.query == nil && text == text.lowercased()
            && !text.hasSuffix(scheme == "https" ? ":443" : ":80") && !text.hasSuffix(":")
    }

    /// True for two addresses of the same scheme, host and port.
    public static func haveSameOrigin(_ first: String, _ second: String) -> Bool {
        func origin(_ text: String) -> [String]? {
            guard let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(),
                let host = url.host?.lowercased()
            else { return nil }
            return [scheme, host, "\(url.port ?? (scheme == "https" ? 443 : 80))"]
        }
        return origin(first).map { $0 == origin(second) } ?? false
    }

    /// True for 169.254.0.0/16 and fe80::/10, where clouds keep what only a machine itself may read.
    private static func isLinkLocal(_ host: String) -> Bool {
        if host.hasPrefix("169.254.") { return true }
        let bare = host.drop { $0 == "[" }
        return ["fe8", "fe9", "fea", "feb"].contains { bare.hasPrefix($0) } && bare.contains(":")
            || bare.hasPrefix("::ffff:169.254.")
    }
}

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
