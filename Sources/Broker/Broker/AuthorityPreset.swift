import FlowModel
import OAuth
import OpenIDClient
import TokenCache

/// The properties of a well-known external authority that are the same for all of its clients.
struct AuthorityPreset {
    /// The issuer URL, or `nil` if each tenant or installation has its own.
    var url: String?
    /// The display name.
    let displayName: String
    /// Where the authority provides information about the user.
    var place = ProviderRegistration.Place.issuer
    /// The client authentication method, or `nil` to determine it from the authority's metadata.
    var authentication: ClientSecretMethod?
    /// The scopes to request if a request does not specify any.
    var scopes = ["openid", "profile", "email"]
    /// Additional parameters for the authorization request.
    var parameters: [String: String] = [:]
    /// The names of the claims that describe the user.
    var claims = ProviderRegistration.Claims.standard

    /// Whether the authority issues refresh tokens, or `nil` to determine it from the authority's metadata.
    var givesRefreshTokens: Bool?

    /// The properties of a generic OpenID provider.
    static let any = AuthorityPreset(displayName: "", scopes: ["openid"])
}

extension AuthorityPreset {
    /// Creates the properties of an authority that a uid has added.
    init(_ row: OwnAuthorityRow) { self.init(row.preset.flatMap(NewAuthority.Preset.init(rawValue:))) }

    /// Creates the properties of a preset, or of a generic OpenID provider if `preset` is `nil`.
    init(_ preset: NewAuthority.Preset?) {
        self =
            switch preset {
            case nil: .any
            case .google:
                // Google issues a refresh token only if these parameters are present, and does not support
                // `offline_access`.
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
