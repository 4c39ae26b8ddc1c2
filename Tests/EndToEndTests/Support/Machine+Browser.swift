import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import OAuth
import Testing

/// Sign-ins in a browser with the client `tasks-cli` and the code verifier from RFC 7636 appendix B.
extension Machine {
    /// Returns the address of an authorization request with this policy.
    func authorizeAddress(
        _ policy: String = "b2c_1_sign_in",
        scope: String = "openid tasks.read",
        _ more: [(name: String, value: String)] = []
    ) -> String {
        let query = Form.encoded(
            [
                ("client_id", "tasks-cli"), ("response_type", "code"), ("redirect_uri", "http://localhost:7777"),
                ("scope", scope), ("state", "s1"),
                ("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"), ("code_challenge_method", "S256"),
            ] + more
        )
        return "\(base)/local/\(policy)/oauth2/v2.0/authorize?\(query)"
    }

    /// Pushes an authorization request (RFC 9126 §2), and returns the address that refers to the pushed request.
    func push(_ address: String) async throws -> String {
        let parts = address.split(separator: "?", maxSplits: 1).map(String.init)
        var request = HTTPClientRequest(url: parts[0].replacing("/authorize", with: "/par"))
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        request.body = .bytes(ByteBuffer(string: parts[1]))
        let response = try await HTTPClient.forTests.execute(request, timeout: .seconds(30))
        let answer = try StrictJSON.parse(Array(try await response.body.collect(upTo: 65_536).readableBytesView))
        let reference = try #require(answer["request_uri"]?.string, "\(answer)")
        return "\(parts[0])?" + Form.encoded([("client_id", "tasks-cli"), ("request_uri", reference)])
    }

    /// Redeems the authorization code with which a page redirects to the client.
    func redeem(_ page: WebBrowser.Page, _ policy: String) async throws -> JSONValue {
        let location = try destination(of: page)
        let code = try #require(try Form(String(location.drop { $0 != "?" }.dropFirst()))["code"], "\(location)")
        return try await tokens(
            [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", "http://localhost:7777"),
                ("code_verifier", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
            ],
            policy
        )
    }

    /// Redeems the refresh token in a token response (RFC 6749 §6).
    func refresh(_ tokens: JSONValue, _ policy: String) async throws -> JSONValue {
        let token = try #require(tokens["refresh_token"]?.string, "\(tokens)")
        return try await self.tokens([("grant_type", "refresh_token"), ("refresh_token", token)], policy)
    }

    private func tokens(_ form: [(name: String, value: String)], _ policy: String) async throws -> JSONValue {
        var request = HTTPClientRequest(url: "\(base)/local/\(policy)/oauth2/v2.0/token")
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        request.body = .bytes(ByteBuffer(string: Form.encoded(form + [("client_id", "tasks-cli")])))
        let response = try await HTTPClient.forTests.execute(request, timeout: .seconds(30))
        return try StrictJSON.parse(Array(try await response.body.collect(upTo: 65_536).readableBytesView))
    }
}
