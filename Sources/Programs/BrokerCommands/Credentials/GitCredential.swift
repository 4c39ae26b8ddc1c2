import OAuth
import ProgramConfiguration

/// The description of a credential that git and its helpers exchange (git-credential(1)).
struct GitCredential {
    /// The server's origin, or `nil` if tokens can never be sent to it.
    let origin: WebOrigin?
    /// The user name from git's configuration or the URL, or `nil` if neither contains one.
    let username: String?
    /// Whether this version of git supports `authtype` (since 2.46).
    let takesAuthType: Bool
    /// The token to erase, or `nil` in other operations.
    let token: Secret?

    /// Parses lines of `name=value` up to an empty line.
    ///
    /// Other lines are ignored, as git specifies.
    init(_ text: String) {
        var values: [Substring: Substring] = [:]
        var capabilities: [Substring] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty { break }
            guard let equals = line.firstIndex(of: "=") else { continue }
            let (name, value) = (line[..<equals], line[line.index(after: equals)...])
            switch name {
            case "capability[]": capabilities.append(value)
            default: values[name] = value
            }
        }
        // If the host contained a path, it could differ from the host in the parsed URL.
        let host = values["host"].flatMap { host in host.contains { "/?#".contains($0) } ? nil : host }
        let place = values["protocol"].flatMap { scheme in host.map { "\(scheme)://\($0)" } }
        origin = place.flatMap { WebOrigin($0) }
        username = values["username"].map(String.init)
        takesAuthType = capabilities.contains("authtype")
        token = (values["credential"] ?? values["password"]).map { Secret(String($0)) }
    }

    /// Returns the response with a token.
    ///
    /// The token is sent as a bearer token, or as a password if the server or this version of git does not support
    /// bearer tokens.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - expiresAt: When the token expires, in milliseconds since 1970 UTC.
    ///   - username: The user name to send with the token as a password, or `nil` to send a bearer token.
    /// - Returns: The lines.
    static func answer(_ token: Secret, expiresAt: Int64, username: String?) -> [String] {
        let expiry = "password_expiry_utc=\(expiresAt / 1000)"
        guard let username else {
            // Other helpers must not store the token, because the broker caches it.
            return [
                "capability[]=authtype", "authtype=Bearer", "credential=\(token.reveal())", "ephemeral=1", expiry,
            ]
        }
        return ["username=\(username)", "password=\(token.reveal())", expiry]
    }
}
