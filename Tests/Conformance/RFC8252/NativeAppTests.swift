import Authority
import AuthorityStore
import FlowModel
import Foundation
import HTTPTypes
import Moments
import OAuth
import TestSupport
import Testing
import Tokens

/// Tests of native apps as clients (RFC 8252).
@Suite(.timeLimit(.minutes(2)))
struct RFC8252NativeAppTests {
    private func authorize(_ uri: String, _ changes: [String: String?] = [:]) async throws -> Site.Answer {
        // The client `desktop` authenticates at the token endpoint, so the user does not have to confirm (§8.6).
        let own: [String: String?] = ["client_id": "desktop", "redirect_uri": uri]
        return try await Site().authorize(own.merging(changes) { $1 }, isSignedIn: true)
    }

    @Test(
        "RFC 8252 §7.3: a loopback redirect URI may have any port",
        arguments: [
            "http://127.0.0.1/cb", "http://127.0.0.1:1/cb", "http://127.0.0.1:65535/cb", "http://[::1]/cb",
            "http://[::1]:49152/cb",
        ]
    )
    func anyPort(_ uri: String) async throws {
        let answer = try await authorize(uri)
        #expect(answer.status == 303 && answer.location.hasPrefix(uri + "?code="))
    }

    @Test(
        "RFC 8252 §8.4: a redirect URI matches exactly, except for the port",
        arguments: [
            "http://127.0.0.1:4711/", "http://127.0.0.1:4711/cb/", "http://127.0.0.1:4711/cb?x=1",
            "http://127.0.0.1:4711/cb?", "http://127.0.0.1:/cb", "http://127.0.0.1:04711/cb",
            "HTTP://127.0.0.1:4711/cb",
            "http://localhost:4711/cb", "https://127.0.0.1:4711/cb", "http://127.0.0.2:4711/cb",
            "http://127.0.0.1:0/cb", "http://127.0.0.1:65536/cb", "http://127.0.0.1.evil.example:1/cb",
            "http://127.0.0.1@evil.example/cb", "http://[::2]:4711/cb", "com.example.app:/other",
            "com.example.app://back", "com.example.other:/back",
        ]
    )
    func exact(_ uri: String) async throws {
        let answer = try await authorize(uri)
        #expect(answer.status == 400 && answer.location.isEmpty)
    }

    @Test("RFC 8252 §7.1: a private-use scheme is a valid redirect URI, also for a response that a form posts")
    func privateScheme() async throws {
        #expect(try await authorize("com.example.app:/back").location.hasPrefix("com.example.app:/back?code="))
        let form = try await authorize("com.example.app:/back", ["response_mode": "form_post"])
        #expect(form.status == 200 && form.text.contains("action=\"com.example.app:/back\""))
        let policy = try #require(form.headers[.contentSecurityPolicy])
        #expect(!policy.contains("form-action"))
    }

    @Test("RFC 8252 §8.1: a native app must use S256", arguments: [nil, "plain"] as [String?])
    func proofKey(_ method: String?) async throws {
        let answer = try await authorize("com.example.app:/back", ["code_challenge_method": method])
        #expect(answer.reply["error"] == "invalid_request" && answer.reply["code"] == nil)
    }

    @Test(
        "RFC 8252 §8.6: a response that any local program could receive requires the user's confirmation",
        arguments: ["http://127.0.0.1:4711/cb", "com.example.app:/back"]
    )
    func silence(_ uri: String) async throws {
        let asked = try await authorize(uri, ["client_id": "native"])
        #expect(
            asked.status == 303 && asked.reply["code"] == nil && asked.location.contains("/flow/"),
            "\(asked.status) \(asked.location)"
        )
        let quiet = try await authorize(uri, ["client_id": "native", "prompt": "none"])
        #expect(quiet.reply["error"] == "consent_required" && quiet.reply["code"] == nil, "\(quiet.location)")
    }
}
