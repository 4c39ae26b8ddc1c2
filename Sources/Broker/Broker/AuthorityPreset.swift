import FlowModel
import OAuth
import OpenIDClient
import TokenCache

/// The facts about a well-known outside authority that are the same for everybody: data, not code.
struct AuthorityPreset {
    /// The issuer; nil where everybody has one of their own.
    var url: String?
    /// The name to show.
    let displayName: String
    /// The way in which it says who a person is.
    var place = ProviderRegistration.Place.issuer
    /// The way in which we prove who we are; nil for one that its metadata name.
    var authentication: ClientSecretMethod?
    /// The scopes of a token that is asked for without any.
    var scopes = ["openid", "profile", "email"]
    /// More parameters of the authorization request.
    var parameters: [String: String] = [:]
    /// The claims that say something about a person.
    var claims = ProviderRegistration.Claims.standard

    /// True if it gives refresh tokens though it does not say so, false if it gives none; nil if its metadata tell.
    var givesRefreshTokens: Bool?

    /// Any OpenID authority.
    static let any = AuthorityPreset(displayName: "", scopes: ["openid"])
}

extension AuthorityPreset {
    /// The facts of an authority that was added.
    init(_ row: OwnAuthorityRow) { self.init(row.preset.flatMap(NewAuthority.Preset.init(rawValue:))) }

    /// The facts of a preset.
    init(_ preset: NewAuthority.Preset?) {
        self =
            switch preset {
            case nil: .any
            case .google:
                // Google gives a refresh token only for these, and knows no `offline_access`.
                AuthorityPreset(
                    url: "https://accounts.google.com",
                    displayName: "Google",
                    parameters: ["access_type": "offline", "prompt": "consent"],
                    givesRefreshTokens: true
                )
            case .entra: AuthorityPreset(displayName: "Microsoft Entra", scopes: ["openid", "profile"])
            case .keycloak: AuthorityPreset(displayName: "Keycloak")
            case .gitlab:
                AuthorityPreset(url: "https://gitlab.com", displayName: "GitLab", givesRefreshTokens: true)
            case .github:
                AuthorityPreset(
                    url: "https://github.com",
                    displayName: "GitHub",
                    place: .endpoints(
                        authorization: "https://github.com/login/oauth/authorize",
                        token: "https://github.com/login/oauth/access_token",
                        userinfo: "https://api.github.com/user"
                    ),
                    authentication: .post,
                    scopes: ["read:user"],
                    claims: ProviderRegistration.Claims(
                        subject: "id",
                        attributes: ["displayName": "login"],
                        trustsEmail: false
                    ),
                    givesRefreshTokens: false
                )
            }
    }
}
