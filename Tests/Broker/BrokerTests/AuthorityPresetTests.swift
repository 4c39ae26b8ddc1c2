import FlowModel
import OAuth
import OpenIDClient
import Testing

@testable import Broker

/// The values that `authority add --preset` sets must match the documentation of the authorities.
@Suite(.timeLimit(.minutes(1)))
struct AuthorityPresetTests {
    struct Facts: Sendable {
        let preset: NewAuthority.Preset
        let url: String?
        let displayName: String
        let scopes: [String]
        var authentication: ClientSecretMethod?
        var parameters: [String: String] = [:]
        var givesRefreshTokens: Bool?
    }

    private static let every: [Facts] = [
        Facts(
            preset: .google,
            url: "https://accounts.google.com",
            displayName: "Google",
            scopes: ["openid", "profile", "email"],
            parameters: ["access_type": "offline", "prompt": "consent"],
            givesRefreshTokens: true
        ),
        Facts(preset: .entra, url: nil, displayName: "Microsoft Entra", scopes: ["openid", "profile"]),
        Facts(preset: .keycloak, url: nil, displayName: "Keycloak", scopes: ["openid", "profile", "email"]),
        Facts(
            preset: .gitlab,
            url: "https://gitlab.com",
            displayName: "GitLab",
            scopes: ["openid", "profile", "email"],
            givesRefreshTokens: true
        ),
        Facts(
            preset: .github,
            url: "https://github.com",
            displayName: "GitHub",
            scopes: ["read:user"],
            authentication: .post,
            givesRefreshTokens: false
        ),
    ]

    @Test("each preset has the address, scopes and client authentication of its authority", arguments: every)
    func facts(_ facts: Facts) {
        let preset = AuthorityPreset(facts.preset)
        #expect(preset.url == facts.url && preset.displayName == facts.displayName)
        #expect(preset.scopes == facts.scopes && preset.authentication == facts.authentication)
        #expect(preset.parameters == facts.parameters && preset.givesRefreshTokens == facts.givesRefreshTokens)
    }

    @Test("no preset lacks a fact") func whole() {
        #expect(Set(Self.every.map(\.preset)) == Set(NewAuthority.Preset.allCases))
    }

    @Test("the endpoints of GitHub, which publishes no metadata, are known") func github() {
        let place = AuthorityPreset(.github).place
        #expect(
            place
                == .endpoints(
                    authorization: "https://github.com/login/oauth/authorize",
                    token: "https://github.com/login/oauth/access_token",
                    userinfo: "https://api.github.com/user"
                )
        )
    }
}
