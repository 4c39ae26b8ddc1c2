import Foundation
import OAuth
import Testing

@testable import Authority

@Suite(.timeLimit(.minutes(1)))
struct CodeBodyTests {
    private func resolved(_ request: TokenRequest) async throws -> ResolvedRequest {
        let scene = try await Scene()
        return try await scene.authority.resolve(request)
    }

    @Test("a request is decoded from the output of any JSON encoder, and from its own") func request() async throws {
        var asked = TokenRequest("tasks.read")
        asked.maxAge = 60
        let request = try await resolved(asked)
        let coded = try StrictJSON.parse(try JSONEncoder().encode(request))
        #expect(ResolvedRequest(json: coded) == request)
        #expect(coded == request.json)
        let decoded = try JSONDecoder().decode(ResolvedRequest.self, from: Data(request.json.bytes))
        #expect(decoded == request)
    }

    @Test("the contents of a code survive an encoding round trip", arguments: [nil, "n"] as [String?])
    func contents(_ nonce: String?) async throws {
        let challenge = try CodeChallenge("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        let body = CodeBody(
            terms: CodeTerms(redirectURI: "https://client.example/cb", challenge: challenge, nonce: nonce),
            request: try await resolved(TokenRequest("tasks.read"))
        )
        let json = try StrictJSON.parse(body.json.bytes)
        let read = try #require(CodeBody(json: json))
        #expect(read.terms == body.terms)
        #expect(read.request == body.request)
    }

    @Test("contents with a missing member are not decoded", arguments: ["terms", "request"])
    func incomplete(_ name: String) async throws {
        let challenge = try CodeChallenge("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        let body = CodeBody(
            terms: CodeTerms(redirectURI: "https://client.example/cb", challenge: challenge, nonce: nil),
            request: try await resolved(TokenRequest("tasks.read"))
        )
        var members = try #require(body.json.object)
        members[name] = nil
        #expect(CodeBody(json: .object(members)) == nil)
    }
}
