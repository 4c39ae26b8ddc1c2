import OAuth
import Testing

@testable import OpenIDClient

/// Answers of providers that no good one gives.
@Suite(.timeLimit(.minutes(1)))
struct ProviderAnswersTests {
    private let registration = ProviderRegistration(
        name: "contoso",
        displayName: "Contoso",
        issuer: "https://login.example",
        clientID: "ours",
        redirectURI: "http://localhost:8420/local/oauth2/authresp",
        scopes: ["openid"]
    )

    @Test(
        "a token that no header or command line can carry is refused, and not repeated",
        arguments: [
            ("access_token", "x'; id; '"), ("access_token", "a\r\nX: y"), ("access_token", "a b"),
            ("access_token", "a\u{202E}b"), ("access_token", "a\"b"), ("refresh_token", "a\nb"),
            ("id_token", "a\u{9B}b"),
        ]
    )
    func characters(_ member: String, _ token: String) {
        var members: [String: JSONValue] = ["token_type": "Bearer", "access_token": "good"]
        members[member] = .string(token)
        let error = #expect(throws: ProviderError.self) {
            try TokenEndpointAnswer(OutsideHTTP.Answer(status: 200, json: .object(members)), of: registration)
        }
        #expect(error?.code == .protocolViolation)
        #expect(error?.detail.contains(token) == false)
    }

    @Test("tokens of every character that a header may carry are taken") func good() throws {
        let token = "AZaz09-._~+/=="
        let answer = OutsideHTTP.Answer(status: 200, json: ["access_token": .string(token), "refresh_token": "a b!'"])
        #expect(try TokenEndpointAnswer(answer, of: registration).accessToken?.reveal() == token)
    }

    @Test(
        "whoever is elsewhere names no service of this machine",
        arguments: ["authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint", "revocation_endpoint"]
    )
    func loopback(_ name: String) {
        let issuer = "https://login.example"
        var members: [String: JSONValue] = ["issuer": .string(issuer)]
        for endpoint in ["authorization_endpoint", "token_endpoint", "jwks_uri"] {
            members[endpoint] = .string("\(issuer)/\(endpoint)")
        }
        #expect(throws: Never.self) { try ProviderMetadata(.object(members), of: issuer) }
        members[name] = "http://127.0.0.1:28510/any"
        let error = #expect(throws: ProviderError.self) { try ProviderMetadata(.object(members), of: issuer) }
        #expect(error?.detail.contains(name) == true)
    }
}
