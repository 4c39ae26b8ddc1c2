import OAuth

/// The settings of a well-known provider that are the same for every registration.
struct ProviderPreset: Sendable {
    let name: String
    let displayName: String
    /// The issuer, in which `{tenant}` stands for a tenant that the configuration must specify.
    let issuer: String
    /// The endpoints of a provider without ID tokens, or `nil` for an OpenID Connect provider.
    var endpoints: ProviderSettings.Endpoints?
    /// The client authentication method, or `nil` to choose a method that the provider supports.
    var authMethod: ClientSecretMethod?
    var scopes = ["openid", "profile", "email"]
    var parameters: [String: String] = [:]
    var subject = "sub"
    var claims = StandardClaims.byAttribute
    /// Whether to accept an e-mail address that the provider reports as verified.
    var trustsEmail = true
    /// The provider-specific endpoint that shows the client of an access token, or `nil` if the provider has none.
    var confirmation: ProviderSettings.Confirmation?
    /// The parameters that make the provider prompt the user again, or `nil` for `prompt=login` and `max_age`.
    ///
    /// The dictionary is empty if the provider has no such parameters.
    var askingAgain: [String: String]?

    /// All presets, including `windowsazureactivedirectory`, which is an older name for `aad`.
    static let all: [ProviderPreset] = [
        ProviderPreset(
            name: "google",
            displayName: "Google",
            issuer: "https://accounts.google.com",
            confirmation: .googleTokenInfo("https://oauth2.googleapis.com/tokeninfo"),
            askingAgain: ["prompt": "select_account"]
        ),
        ProviderPreset(
            name: "microsoftaccount",
            displayName: "Microsoft",
            issuer: "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0",
            trustsEmail: false
        ),
        entra("aad"),
        entra("windowsazureactivedirectory"),
        ProviderPreset(
            name: "facebook",
            displayName: "Facebook",
            issuer: "https://www.facebook.com",
            endpoints: .init(
                authorization: "https://www.facebook.com/v19.0/dialog/oauth",
                token: "https://graph.facebook.com/v19.0/oauth/access_token",
                userinfo: "https://graph.facebook.com/v19.0/me?fields=id,name,first_name,last_name"
            ),
            authMethod: .post,
            scopes: ["public_profile"],
            subject: "id",
            claims: ["displayName": "name", "givenName": "first_name", "surname": "last_name"],
            confirmation: .facebookDebugToken("https://graph.facebook.com/v19.0/debug_token"),
            askingAgain: ["auth_type": "reauthenticate"]
        ),
        ProviderPreset(
            name: "github",
            displayName: "GitHub",
            issuer: "https://github.com",
            endpoints: .init(
                authorization: "https://github.com/login/oauth/authorize",
                token: "https://github.com/login/oauth/access_token",
                userinfo: "https://api.github.com/user"
            ),
            authMethod: .post,
            scopes: ["read:user"],
            subject: "id",
            claims: ["displayName": "login"],
            confirmation: .githubApplications("https://api.github.com/applications"),
            askingAgain: ["prompt": "select_account"]
        ),
        ProviderPreset(
            name: "twitter",
            displayName: "X",
            issuer: "https://twitter.com",
            endpoints: .init(
                authorization: "https://twitter.com/i/oauth2/authorize",
                token: "https://api.twitter.com/2/oauth2/token",
                userinfo: "https://api.twitter.com/2/users/me"
            ),
            scopes: ["users.read", "tweet.read"],
            subject: "data.id",
            claims: ["displayName": "data.name"],
            askingAgain: [:]
        ),
        ProviderPreset(
            name: "apple",
            displayName: "Apple",
            issuer: "https://appleid.apple.com",
            scopes: ["openid", "email"],
            parameters: ["response_mode": "form_post"],
            askingAgain: [:]
        ),
    ]

    private static func entra(_ name: String) -> ProviderPreset {
        ProviderPreset(
            name: name,
            displayName: "Microsoft Entra",
            issuer: "https://login.microsoftonline.com/{tenant}/v2.0",
            trustsEmail: false
        )
    }
}
