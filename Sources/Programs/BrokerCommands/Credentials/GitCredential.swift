import OAuth
import ProgramConfiguration

struct GitCredential {
    /// The server's origin, or `nil` if the server may never receive tokens.
    let origin: WebOrigin?
    /// The user name from git's configuration or the URL, or `nil` if neither specifies one.
    let username: String?
    /// Whether git supports `authtype` (version 2.46 or later).
    let takesAuthType: Bool
    /// The token to erase, or `nil` for other operations.
    let token: Secret?

    /// Parses the lines of the form `name=value` up to an empty line, and ignores other lines, as git specifies.
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
        // A host that contains a path, query or fragment could differ from the host of the parsed URL.
        let host = values["host"].flatMap { host in host.contains { "/?#".contains($0) } ? nil : host }
        let place = values["protocol"].flatMap { scheme in host.map { "\(scheme)://\($0)" } }
        origin = place.flatMap { WebOrigin($0) }
        username = values["username"].map(String.init)
        takesAuthType = capabilities.contains("authtype")
        token = (values["credential"] ?? values["password"]).map { Secret(String($0)) }
    }

    /// Returns the lines for git, which sends the token as a bearer token or, with `username`, as that user's password.
    ///
    /// `expiresAt` is in milliseconds since 1970 UTC.
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
