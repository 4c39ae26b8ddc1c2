import Foundation

/// The rules for URLs of external services: `https`, or `http` on this machine, and no link-local addresses.
public enum OutsideURL {
    /// Returns the reason why a URL must not be called, or `nil` if the URL may be called.
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

    /// Whether `text` is the origin of an allowed URL in the form that browsers send.
    ///
    /// This form is in lower case, and omits the port if it is the default port of the scheme.
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

    /// Whether the host is in 169.254.0.0/16 or fe80::/10, where cloud providers serve metadata of virtual machines.
    private static func isLinkLocal(_ host: String) -> Bool {
        if host.hasPrefix("169.254.") { return true }
        let bare = host.drop { $0 == "[" }
        return ["fe8", "fe9", "fea", "feb"].contains { bare.hasPrefix($0) } && bare.contains(":")
            || bare.hasPrefix("::ffff:169.254.")
    }
}

/// The rules for URLs that operators configure.
public enum WebURL {
    /// Returns why a URL is not allowed as a base URL (scheme, host and optional port only), or `nil` if it is allowed.
    public static func refusal(ofBase text: String) -> AddressProblem? {
        if let refusal = refusal(ofAPI: text) { return refusal }
        guard let url = URLComponents(string: text), let scheme = url.scheme, let host = url.host else { return nil }
        let whole = "\(scheme)://\(host)" + (url.port.map { ":\($0)" } ?? "")
        return url.path.isEmpty ? nil : .hasPath(text, corrected: whole)
    }

    /// Returns why an API's URL is not allowed, or `nil` if it is allowed; only a loopback host may use `http`.
    public static func refusal(ofAPI text: String) -> AddressProblem? {
        guard let url = URLComponents(string: text), let scheme = url.scheme, let host = url.host, !host.isEmpty,
            scheme == "http" || scheme == "https"
        else { return .notHTTP }
        if let corrected = MisplacedPort.corrected(url) { return .portInPath(text, corrected: corrected) }
        guard url.user == nil, url.password == nil else { return .hasUser }
        guard url.query == nil, url.fragment == nil else { return .hasQuery }
        guard host == host.lowercased() else { return .capitals(text, corrected: IssuerURL.lowercased(text)) }
        guard url.port.map({ (1...65535).contains($0) }) ?? true else { return .otherPort }
        guard scheme == "https" || Loopback.contains(host: host) else { return .unprotectedText(text) }
        return url.path.hasSuffix("/") ? .endsInSlash(text, corrected: String(text.dropLast())) : nil
    }
}
