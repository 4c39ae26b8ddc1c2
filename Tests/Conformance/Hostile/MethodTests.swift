import Authority
import HTTPTypes
import Testing

/// Tests of requests that no legitimate client sends, at every endpoint.
@Suite(.timeLimit(.minutes(2)))
struct HostileMethodTests {
    private static func methods(of endpoint: AuthorityEndpoint) -> Set<HTTPRequest.Method> {
        switch endpoint {
        case .token, .pushedRequests, .deviceAuthorization, .revocation, .introspection: [.post]
        case .authorize, .logout, .userinfo: [.get, .head, .post]
        case .keys: [.get, .head]
        }
    }

    @Test("an unsupported method of an endpoint is 405 with the supported ones", arguments: AuthorityEndpoint.allCases)
    func methods(_ endpoint: AuthorityEndpoint) async throws {
        let site = try await Site()
        let known = Self.methods(of: endpoint)
        let others: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .trace, .connect]
        for method in others where !known.contains(method) {
            let answer = try await site.send(method, "/local/\(Site.policy)\(endpoint.path)")
            #expect(answer.status == 405, "\(method)")
            let allowed = (answer.headers[.allow] ?? "").split(separator: ", ").map { String($0) }
            #expect(Set(allowed) == Set(known.map(\.rawValue)))
        }
    }

    @Test(
        "an endpoint for programs accepts only forms up to its maximum length",
        arguments: [
            AuthorityEndpoint.token, .pushedRequests, .deviceAuthorization, .revocation, .introspection,
        ]
    )
    func bodies(_ endpoint: AuthorityEndpoint) async throws {
        let site = try await Site()
        let path = "/local/\(Site.policy)\(endpoint.path)"
        for type in ["application/json", "text/plain", "application/x-www-form-urlencoded2", "multipart/form-data"] {
            let answer = try await site.send(.post, path, headers: [.contentType: type], body: "client_id=app")
            #expect(answer.status == 400 && answer.error == "invalid_request", "\(type)")
        }
        let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        let long = "client_id=app&x=" + String(repeating: "x", count: 2 << 20)
        #expect(try await site.send(.post, path, headers: form, body: long).status == 413)
        let many = Array(repeating: "client_id=app", count: 200).joined(separator: "&")
        #expect(try await site.send(.post, path, headers: form, body: many).error == "invalid_request")
        #expect(try await site.send(.post, path, headers: form, body: "client_id=%zz").error == "invalid_request")
    }
}
