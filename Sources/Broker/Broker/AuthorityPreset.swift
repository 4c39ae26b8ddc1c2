import FlowModel
import OAuth
import OpenIDClient
import TokenCache

/// The properties of a well-known external authority that are the same for all of its clients.
struct AuthorityPreset {
    /// The issuer URL, or `nil` if each tenant or installation has its own issuer URL.
    var url: String?
    let displayName: String
    /// Where the authority's endpoints are, and how the authority identifies a user.
    var place = ProviderRegistration.Place.issuer
    /// The client authentication method, or `nil` to choose a method from the authority's metadata.
    var authentication: ClientSecretMethod?
    /// The scopes to request if the caller does not specify any.
    var scopes = ["openid", "profile", "email"]
    var parameters: [String: String] = [:]
    var claims = ProviderRegistration.Claims.standard

    /// Whether the authority issues refresh tokens, or `nil` to determine this from the authority's metadata.
    var givesRefreshTokens: Bool?

    static let any = AuthorityPreset(displayName: "", scopes: ["openid"])
}

extension AuthorityPreset {
    init(_ row: OwnAuthorityRow) { self.init(row.preset.flatMap(NewAuthority.Preset.init(rawValue:))) }

    init(_ preset: NewAuthority.Preset?) {
        self =
            switch preset {
            case nil: .any
            case .google:
                // Google issues refresh tokens only with these parameters, and does not support `offline_access`.
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
