import OAuth
import Testing

@testable import OpenIDClient

/// Tests responses that no correct provider sends.
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
        "a token that does not fit into a header or an argument is rejected and not repeated",
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

    @Test("tokens of all characters that a header allows are accepted") func good() throws {
        let token = "AZaz09-._~+/=="
        let answer = OutsideHTTP.Answer(
            status: 200,
            json: ["token_type": "bearer", "access_token": .string(token), "refresh_token": "a b!'"]
        )
        #expect(try TokenEndpointAnswer(answer, of: registration).accessToken?.reveal() == token)
    }

    @Test(
        "RFC 6749 §5.1: a response without the token type Bearer is rejected",
        arguments: [nil, "", "mac", "Bearer ", .null, 1] as [JSONValue?]
    )
    func type(_ type: JSONValue?) {
        var members: [String: JSONValue] = ["access_token": "good"]
        members["token_type"] = type
        let error = #expect(throws: ProviderError.self) {
            try TokenEndpointAnswer(OutsideHTTP.Answer(status: 200, json: .object(members)), of: registration)
        }
        #expect(error?.code == .protocolViolation)
    }

    @Test(
        "an access token that expires at once is rejected, because it would replace a valid one",
        arguments: [0, -1, "0", "-300"] as [JSONValue]
    )
    func life(_ life: JSONValue) throws {
        var members: [String: JSONValue] = ["token_type": "Bearer", "access_token": "good", "expires_in": life]
        let error = #expect(throws: ProviderError.self) {
            try TokenEndpointAnswer(OutsideHTTP.Answer(status: 200, json: .object(members)), of: registration)
        }
        #expect(error?.code == .protocolViolation)
        // Without an access token `expires_in` does not matter, because an ID token states its own expiry.
        members["access_token"] = nil
        members["id_token"] = "good"
        let answer = OutsideHTTP.Answer(status: 200, json: .object(members))
        #expect(try TokenEndpointAnswer(answer, of: registration).life == 0)
    }

    @Test(
        "RFC 6749 §3.3: a scope with invalid characters is rejected and not repeated",
        arguments: ["a\"b", "a\\b", "a\nb", "good a\u{202E}b", "a\tb", "\u{E9}", "good \u{1B}[2J"]
    )
    func scopes(_ scopes: String) {
        let members: JSONValue = ["token_type": "Bearer", "access_token": "good", "scope": .string(scopes)]
        let error = #expect(throws: ProviderError.self) {
            try TokenEndpointAnswer(OutsideHTTP.Answer(status: 200, json: members), of: registration)
        }
        #expect(error?.code == .protocolViolation && error?.detail.contains(scopes) == false)
    }

    @Test("scopes of all allowed characters are accepted, and an empty list means no scope") func goodScopes() throws {
        let good = [("", []), ("a b", ["a", "b"]), ("https://x/y.z!#[]~ {}|", ["https://x/y.z!#[]~", "{}|"])]
        for (text, scopes) in good {
            let members: JSONValue = ["token_type": "Bearer", "access_token": "good", "scope": .string(text)]
            let answer = try TokenEndpointAnswer(OutsideHTTP.Answer(status: 200, json: members), of: registration)
            #expect(answer.scopes == scopes)
        }
    }

    @Test(
        "an endpoint that contains a line break or is not a valid URL is rejected",
        arguments: [
            "authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint", "revocation_endpoint",
            "introspection_endpoint",
        ]
    )
    func endpoints(_ name: String) {
        let issuer = "https://login.example"
        for wrong in ["/a\r\nSet-Cookie: x=1", "/a\nb", "/a\rb", "/a b", "/\u{E9}", "/\u{0}", "/a\"b", "/<x>", "\t/a"] {
            var members: [String: JSONValue] = ["issuer": .string(issuer)]
            for endpoint in ["authorization_endpoint", "token_endpoint", "jwks_uri"] {
                members[endpoint] = .string("\(issuer)/\(endpoint)")
            }
            members[name] = .string(issuer + wrong)
            let error = #expect(throws: ProviderError.self) { try ProviderMetadata(.object(members), of: issuer) }
            #expect(error?.detail.contains(name) == true && error?.detail.contains(wrong) == false, "\(wrong)")
        }
    }

    @Test(
        "an external provider cannot name an endpoint on this machine",
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
