import OAuth
import ProgramConfiguration

/// The description of a credential, as git and its helpers exchange it (git-credential(1)).
struct GitCredential {
    /// The server's origin; nil for one that is no place for a token.
    let origin: WebOrigin?
    /// The user name of git's configuration, or of the URL.
    let username: String?
    /// True if this git understands `authtype` (2.46).
    let takesAuthType: Bool
    /// The token that git has, in a description of what to erase.
    let token: Secret?

    /// Reads lines of `name=value` up to an empty one; what is not of that form is left out, as git says.
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
        // A host with a path in it is another's than the one that is read out of a URL.
        let host = values["host"].flatMap { host in host.contains { "/?#".contains($0) } ? nil : host }
        let place = values["protocol"].flatMap { scheme in host.map { "\(scheme)://\($0)" } }
        origin = place.flatMap { WebOrigin($0) }
        username = values["username"].map(String.init)
        takesAuthType = capabilities.contains("authtype")
        token = (values["credential"] ?? values["password"]).map { Secret(String($0)) }
    }

    /// The answer with a token: as a bearer's, or as the password of a user for servers and versions that know no other.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - expiresAt: Its end in milliseconds since 1970 UTC.
    ///   - username: The user; nil for a bearer.
    /// - Returns: The lines.
    static func answer(_ token: Secret, expiresAt: Int64, username: String?) -> [String] {
        let expiry = "password_expiry_utc=\(expiresAt / 1000)"
        guard let username else {
            // Another helper is not to keep it: it is in the broker's cache.
            return [
                "capability[]=authtype", "authtype=Bearer", "credential=\(token.reveal())", "ephemeral=1", expiry,
            ]
        }
        return ["username=\(username)", "password=\(token.reveal())", expiry]
    }
}
