import OAuth

/// The ways in which a provider says to which client it has issued an access token.
public enum TokenConfirmation: Hashable, Sendable {
    /// Token introspection (RFC 7662), at the endpoint that the provider's metadata name.
    case introspection
    /// Google's `tokeninfo`.
    case googleTokenInfo(String)
    /// Facebook's `debug_token`.
    case facebookDebugToken(String)
    /// GitHub's `POST /applications/{client_id}/token`; the address up to `applications`.
    case githubApplications(String)
    /// None: an access token that a caller brings is refused.
    case none

    /// The client and the person of a valid token.
    struct Finding {
        let client: String
        /// The person's id; nil if it is not said here.
        let subject: String?
    }
}

extension TokenConfirmation.Finding {
    /// Reads an introspection response; nil if the token is not active.
    static func introspection(_ answer: OutsideHTTP.Answer) -> Self? {
        guard answer.status == 200, let json = answer.json, json["active"] == .bool(true),
            let client = json["client_id"]?.string
        else { return nil }
        return Self(client: client, subject: json["sub"]?.string)
    }

    /// Reads Google's answer; nil if the token is not valid.
    static func googleTokenInfo(_ answer: OutsideHTTP.Answer) -> Self? {
        guard answer.status == 200, let client = answer.json?["aud"]?.string else { return nil }
        return Self(client: client, subject: answer.json?["sub"]?.string)
    }

    /// Reads Facebook's answer; nil if the token is not valid.
    static func facebookDebugToken(_ answer: OutsideHTTP.Answer) -> Self? {
        guard answer.status == 200, let data = answer.json?["data"], data["is_valid"] == .bool(true),
            let client = data["app_id"]?.string
        else { return nil }
        return Self(client: client, subject: data["user_id"]?.string)
    }

    /// Reads GitHub's answer; nil if the token is not one of this app.
    static func githubApplications(_ answer: OutsideHTTP.Answer) -> Self? {
        guard answer.status == 200, let client = answer.json?["app"]?["client_id"]?.string else { return nil }
        return Self(client: client, subject: answer.json?["user"]?["id"]?.int.map { "\($0)" })
    }
}
