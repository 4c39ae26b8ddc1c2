import Foundation

/// The rules for URLs of external services.
///
/// A URL must use `https`, or `http` on this machine. Link-local addresses are not allowed.
public enum OutsideURL {
    /// Returns the reason why the URL must not be called, or `nil` if calling it is allowed.
    public static func refusal(_ text: String) -> AddressProblem? {
        guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(),
            let host = url.host?.lowercased(), !host.isEmpty
        else { return .notHTTPS }
        guard url.user == nil, url.password == nil else { return .hasUser }
        guard url.fragment == nil else { return .hasFragment }
        if let port = url.port, !(1...65535).contains(port) { return .otherPort }
        switch scheme {
        case "https": break
        case "http":
            guard Loopback.contains(host: host) else { return .unprotected }
        default: return .notHTTPS
        }
        return isLinkLocal(host) ? .linkLocal : nil
    }

    /// Whether a string is an origin in the form that browsers use: in lower case and without the default port.
    public static func isOrigin(_ text: String) -> Bool {
        guard refusal(text) == nil, let url = URLComponents(string: text), let scheme = url.scheme else { return false }
        return url.path.isEmpty && url.query == nil && text == text.lowercased()
            && !text.hasSuffix(scheme == "https" ? ":443" : ":80") && !text.hasSuffix(":")
    }

    /// Whether two URLs have the same scheme, host and port.
    public static func haveSameOrigin(_ first: String, _ second: String) -> Bool {
        func origin(_ text: String) -> [String]? {
            guard let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(),
                let host = url.host?.lowercased()
            else { return nil }
            return [scheme, host, "\(url.port ?? (scheme == "https" ? 443 : 80))"]
        }
        return origin(first).map { $0 == origin(second) } ?? false
    }

    /// Whether the host is in 169.254.0.0/16 or fe80::/10, where cloud providers serve instance metadata.
    private static func isLinkLocal(_ host: String) -> Bool {
        if host.hasPrefix("169.254.") { return true }
        let bare = host.drop { $0 == "[" }
        return ["fe8", "fe9", "fea", "feb"].contains { bare.hasPrefix($0) } && bare.contains(":")
            || bare.hasPrefix("::ffff:169.254.")
    }
}

/// The rules for URLs that operators configure.
public enum WebURL {
    /// Returns why a URL cannot be a base URL (scheme, host and optional port only), or `nil` if it can.
    public static func refusal(ofBase text: String) -> AddressProblem? {
        if let refusal = refusal(ofAPI: text) { return refusal }
        guard let url = URLComponents(string: text), let scheme = url.scheme, let host = url.host else { return nil }
        let whole = "\(scheme)://\(host)" + (url.port.map { ":\($0)" } ?? "")
        return url.path.isEmpty ? nil : .hasPath(text, corrected: whole)
    }

    /// Returns why a URL cannot be called, or `nil` if it can.
    ///
    /// `http` is allowed for a loopback host only.
    public static func refusal(ofAPI text: String) -> AddressProblem? {
        guard let url = URLComponents(string: text), let scheme = url.scheme, let host = url.host, !host.isEmpty,
            scheme == "http" || scheme == "https"
        else { return .notHTTP }
        if let corrected = MisplacedPort.corrected(url) { return .portInPath(text, corrected: corrected) }
        guard url.user == nil, url.password == nil else { return .hasUser }
        guard url.query == nil, url.fragment == nil else { return .hasQuery }
        guard host == host.lowercased() else { return .capitals(text) }
        guard url.port.map({ (1...65535).contains($0) }) ?? true else { return .otherPort }
        guard scheme == "https" || Loopback.contains(host: host) else { return .unprotectedText(text) }
        return url.path.hasSuffix("/") ? .endsInSlash(text, corrected: String(text.dropLast())) : nil
    }
}
