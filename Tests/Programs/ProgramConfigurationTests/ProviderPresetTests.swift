import Foundation
import OAuth
import ProgramConfiguration
import StrictYAML
import TestSupport
import Testing

/// Tests that each preset has the values that its provider documents.
@Suite(.timeLimit(.minutes(1)))
struct ProviderPresetTests {
    private static let tenant = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"

    struct Facts: Sendable {
        let preset: String
        let issuer: String
        /// The endpoints in the preset, or an empty list if the provider has metadata.
        var endpoints: [String] = []
        var scopes = ["openid", "profile", "email"]
        /// The client authentication method, or `nil` if the metadata determines the method.
        var authMethod: ClientSecretMethod?
        var subject = "sub"
        var trustsEmail = true
        var parameters: [String: String] = [:]
        /// The claim names by attribute, or `nil` for the names of OpenID Connect.
        var claims: [String: String]?
        /// The provider's own endpoint that states the client of an access token, or `nil` if there is none.
        var confirmation: ProviderSettings.Confirmation?
        /// The request parameters that make the provider prompt the user again, or `nil` for those of OpenID Connect.
        var askingAgain: [String: String]?
    }

    private static let every: [Facts] = [
        Facts(
            preset: "google",
            issuer: "https://accounts.google.com",
            confirmation: .googleTokenInfo("https://oauth2.googleapis.com/tokeninfo"),
            askingAgain: ["prompt": "select_account"]
        ),
        Facts(
            preset: "microsoftaccount",
            issuer: "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0",
            trustsEmail: false
        ),
        Facts(preset: "aad", issuer: "https://login.microsoftonline.com/\(tenant)/v2.0", trustsEmail: false),
        Facts(
            preset: "windowsazureactivedirectory",
            issuer: "https://login.microsoftonline.com/\(tenant)/v2.0",
            trustsEmail: false
        ),
        Facts(
            preset: "facebook",
            issuer: "https://www.facebook.com",
            endpoints: [
                "https://www.facebook.com/v19.0/dialog/oauth", "https://graph.facebook.com/v19.0/oauth/access_token",
                "https://graph.facebook.com/v19.0/me?fields=id,name,first_name,last_name",
            ],
            scopes: ["public_profile"],
            authMethod: .post,
            subject: "id",
            claims: ["displayName": "name", "givenName": "first_name", "surname": "last_name"],
            confirmation: .facebookDebugToken("https://graph.facebook.com/v19.0/debug_token"),
            askingAgain: ["auth_type": "reauthenticate"]
        ),
        Facts(
            preset: "github",
            issuer: "https://github.com",
            endpoints: [
                "https://github.com/login/oauth/authorize", "https://github.com/login/oauth/access_token",
                "https://api.github.com/user",
            ],
            scopes: ["read:user"],
            authMethod: .post,
            subject: "id",
            claims: ["displayName": "login"],
            confirmation: .githubApplications("https://api.github.com/applications"),
            askingAgain: ["prompt": "select_account"]
        ),
        Facts(
            preset: "twitter",
            issuer: "https://twitter.com",
            endpoints: [
                "https://twitter.com/i/oauth2/authorize", "https://api.twitter.com/2/oauth2/token",
                "https://api.twitter.com/2/users/me",
            ],
            scopes: ["users.read", "tweet.read"],
            subject: "data.id",
            claims: ["displayName": "data.name"],
            askingAgain: [:]
        ),
        Facts(
            preset: "apple",
            issuer: "https://appleid.apple.com",
            scopes: ["openid", "email"],
            parameters: ["response_mode": "form_post"],
            askingAgain: [:]
        ),
    ]

    private func provider(_ facts: Facts, _ more: String = "") throws -> ProviderSettings {
        let folder = try TemporaryFolder()
        let secret = folder.path("p.secret")
        try Data("one-line-of-secret".utf8).write(to: URL(fileURLWithPath: secret))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secret)
        let tenant = facts.issuer.contains(Self.tenant) ? ", tenant: \(Self.tenant)" : ""
        let text =
            "identityProviders: {p: {preset: \(facts.preset), clientId: ours, clientSecretFile: p.secret\(tenant)\(more)}}"
        let node = try YAMLDocument.parse(text, file: "f")
        let (configuration, problems) = BrokerConfiguration.read(node, folder: folder.url.path)
        #expect(problems.isEmpty, "\(problems)")
        return try #require(configuration?.identityProviders["p"])
    }

    @Test("each preset has the issuer, endpoints, scopes and client authentication of its provider", arguments: every)
    func facts(_ facts: Facts) throws {
        let provider = try provider(facts)
        #expect(provider.issuer == facts.issuer)
        let endpoints = provider.endpoints.map { [$0.authorization, $0.token, $0.userinfo] }
        #expect(endpoints ?? [] == facts.endpoints)
        #expect(provider.scopes == facts.scopes && provider.authMethod == facts.authMethod)
        #expect(provider.subject == facts.subject && provider.trustsEmail == facts.trustsEmail)
        #expect(provider.parameters == facts.parameters && provider.askingAgain == facts.askingAgain)
        #expect(provider.claims == facts.claims ?? StandardClaims.byAttribute)
        #expect(provider.confirmation == facts.confirmation)
    }

    @Test("client authentication in the file wins over the preset") func overridden() throws {
        for facts in Self.every {
            let provider = try provider(facts, ", authMethod: client_secret_basic")
            #expect(provider.authMethod == .basic, "\(facts.preset)")
        }
    }

    @Test(
        "a generic provider's address is used only if the file names it, and a preset has its own setting",
        arguments: [("", false), (", trustsEmail: false", false), (", trustsEmail: true", true)]
    )
    func trust(_ more: String, isTrusted: Bool) throws {
        let endpoints = ["authorization", "token", "userinfo"].map { ", \($0)Endpoint: \"https://p.example/\($0)\"" }
        for kind in ["oidc", "oauth2" + endpoints.joined()] {
            let text =
                "identityProviders: {p: {kind: \(kind), issuer: \"https://p.example\", clientId: ours, authMethod: none\(more)}}"
            let (configuration, problems) = BrokerConfiguration.read(
                try YAMLDocument.parse(text, file: "f"),
                folder: "/"
            )
            #expect(problems.isEmpty, "\(problems)")
            #expect(configuration?.identityProviders["p"]?.trustsEmail == isTrusted)
        }
        guard !more.isEmpty else { return }
        let text = "identityProviders: {p: {preset: google, clientId: ours, authMethod: none\(more)}}"
        let (configuration, problems) = BrokerConfiguration.read(try YAMLDocument.parse(text, file: "f"), folder: "/")
        #expect(configuration == nil && "\(problems)".contains("trustsEmail` is defined by the preset"), "\(problems)")
    }

    @Test("`aad` and its older name are the same provider") func alias() throws {
        let both = try Self.every.filter { $0.issuer.contains(Self.tenant) }.map { try provider($0) }
        #expect(both.count == 2)
        let first = try #require(both.first)
        for other in both {
            #expect(other.issuer == first.issuer && other.displayName == first.displayName)
            #expect(other.scopes == first.scopes && other.claims == first.claims)
        }
    }
}
