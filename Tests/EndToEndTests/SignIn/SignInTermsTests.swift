import Foundation
import LocalIssuer
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// Tests the keys of `signIn` in `tasksd.yaml`, with the built programs.
@Suite(.timeLimit(.minutes(5)))
struct SignInTermsTests {
    @Test("a public client signs users in with a browser, and a provider's token is refused naming `secretFile`")
    func publicClient() async throws {
        let terms = SignInPlace.Terms(
            client: "type: public, grants: [authorization_code]",
            signIn: ["signIn: {client: api, origins: []}"]
        )
        try await SignInPlace.with(terms) { place in
            var browser = WebBrowser()
            let done = try await browser.open(try await place.wayBack(from: place.login, &browser))
            let (token, _) = try SignInPlace.token(in: done.url)
            let rows = try await WebAnswer.to(.GET, "\(place.machine.api)/tables/todoitem", token: token)
            #expect(rows.status == 200, "\(rows.text)")
            let idToken: JSONValue = ["id_token": .string(try place.provider.idToken())]
            let login = "\(place.machine.api)/.auth/login/partner"
            let refused = try await WebAnswer.to(.POST, login, idToken, token: nil)
            #expect(refused.status == 400 && refused.text.contains("`signIn.secretFile`"), "\(refused.text)")
            #expect(refused.json?["authenticationToken"] == nil)
        }
    }

    /// Requests a sign-in at the API under this host name, and returns the complete response.
    private func answer(at place: SignInPlace, host: String) async throws -> String {
        let client = try RawClient(port: place.machine.tasksPort)
        client.send("GET /.auth/login/partner HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
        return await client.readToEnd()
    }

    @Test(
        "a browser returns only to an origin in `signIn.origins` or on this machine, not to one from the request",
        arguments: [
            ("[\"https://tasks.example\"]", "tasks.example", ["evil.example", "tasks.example.evil", "localhost"]),
            ("[]", "localhost", ["evil.example", "tasks.example", "localhost.evil.example", "127.0.0.1.evil.example"]),
        ]
    )
    func origins(_ origins: String, _ own: String, _ others: [String]) async throws {
        let terms = SignInPlace.Terms(signIn: [
            // Even behind a proxy, the API trusts no host name in a request.
            "behindProxy: true", "signIn: {client: api, secretFile: api.secret, origins: \(origins)}",
        ])
        try await SignInPlace.with(terms) { place in
            let left = try await answer(at: place, host: own)
            let back = "redirect_uri=https://\(own)/.auth/login/callback"
            #expect(left.hasPrefix("HTTP/1.1 303"), "\(left)")
            #expect(left.removingPercentEncoding?.contains(back) == true, "\(left)")
            for host in others {
                let refused = try await answer(at: place, host: host)
                #expect(refused.hasPrefix("HTTP/1.1 400"), "\(host): \(refused)")
                #expect(refused.contains("`signIn.origins`"), "\(host): \(refused)")
                #expect(!refused.lowercased().contains("location:"), "\(host): \(refused)")
            }
        }
    }
}
