import Foundation
import HTTPServer
import LocalIssuer
import OAuth
import TestSupport
import Testing

/// End-to-end tests of simultaneous requests for one token of an external authority, and of requests for other tokens
/// at the same time.
@Suite(.timeLimit(.minutes(5)))
struct OutsideStampedeTests {
    /// Renews the token with a short lifetime, and waits until the new token has expired.
    private func expire(_ scene: OutsideScene) async throws {
        scene.provider.live(4)
        let token = try scene.token(["forceRefresh": true])
        let end = try #require(token["expiresAt"]?.int)
        try await waitUntil("the token has expired") { Int64(Date().timeIntervalSince1970 * 1000) > end }
        scene.provider.live(300)
    }

    @Test("32 callers of one expired token cause one request, in each of several rounds") func expired() async throws {
        try await OutsideScene.run { scene in
            try await scene.signIn()
            for round in 1...3 {
                try await expire(scene)
                let before = scene.provider.renewals
                let tokens = try OutsideScene.answers(of: try scene.callers(32))
                #expect(Set(tokens).count == 1, "round \(round): \(Set(tokens))")
                #expect(tokens.first?.hasPrefix("access-renewed-") == true, "\(tokens)")
                #expect(scene.provider.renewals == before + 1, "round \(round)")
            }
        }
    }

    @Test("20 equal requests for a new scope cause one call, in each of several rounds") func scoped()
        async throws
    {
        try await OutsideScene.run { scene in
            try await scene.signIn()
            for round in 1...5 {
                let asked: [String: JSONValue] = ["scopes": ["files.read", .string("files.part\(round)")]]
                let tokens = try OutsideScene.answers(of: try scene.callers(20, asked))
                #expect(Set(tokens).count == 1, "round \(round): \(Set(tokens))")
                #expect(scene.provider.renewals == round)
            }
        }
    }

    @Test("while a renewal hangs, others get cached tokens, and its callers get a response when it ends")
    func hanging() async throws {
        try await OutsideScene.run { scene in
            let person = Person.random()
            try person.signUp(scene.connection, on: scene.machine)
            _ = try person.token(scene.connection)
            try await scene.signIn()
            scene.provider.hold(true)
            let waiting = try scene.callers(4, ["scopes": ["files.write"]])
            try await waitUntil("the renewal has begun") { scene.provider.waitingRenewals == 1 }
            for _ in 0..<50 {
                // Another token of the same user and a token of the local authority come from the cache.
                #expect(try scene.token()["fromCache"]?.bool == true)
                #expect(try person.token(scene.connection)["fromCache"]?.bool == true)
            }
            // The renewal was still hanging during all these requests.
            #expect(scene.provider.renewals == 1 && scene.provider.waitingRenewals == 1)
            scene.provider.hold(false)
            #expect(try OutsideScene.answers(of: waiting) == Array(repeating: "access-renewed-1", count: 4))
        }
    }

    @Test("while a user is away in the browser, other callers get cached and new tokens") func away() async throws {
        try await OutsideScene.run { scene in
            let person = Person.random()
            try person.signUp(scene.connection, on: scene.machine)
            _ = try person.token(scene.connection)
            try await scene.signIn()
            let asked = OutsideScene.silent(["prompt": "login", "scopes": ["files.share"]])
            let flow = try #require(try scene.connection.call("token.acquire", asked)["flow"])
            for _ in 0..<20 {
                #expect(try scene.token()["fromCache"]?.bool == true)
                #expect(try person.token(scene.connection)["fromCache"]?.bool == true)
            }
            #expect(try scene.token(["forceRefresh": true])["fromCache"]?.bool == false)
            let now = try scene.connection.call("flow.get", ["flow": flow["id"] ?? .null])["flow"]
            #expect(now?["state"]?.string == "pending", "\(now ?? .null)")
        }
    }

    @Test("an authority that names a retry date is not called before it, and the valid token is returned")
    func date() async throws {
        try await OutsideScene.run { scene in
            try await scene.signIn()
            let form = DateFormatter()
            form.locale = Locale(identifier: "en_US_POSIX")
            form.timeZone = TimeZone(identifier: "GMT")
            form.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
            scene.provider.pause(retryAfter: form.string(from: Date(timeIntervalSinceNow: 300)))
            for _ in 0..<3 { #expect(try scene.token(["forceRefresh": true])["accessToken"]?.string == "access-1") }
            #expect(scene.provider.renewals == 1)
            let other = try scene.connection.refusal("token.acquire", OutsideScene.silent(["scopes": ["files.write"]]))
            #expect(other.code == 1014 && (200_000...300_000).contains(other.retryAfterMs ?? 0), "\(other)")
        }
    }

    @Test("an authority that is down is not called after some failures, and another one still is")
    func circuit() async throws {
        let socket = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
        let second = try LocalProvider(issuer: "http://\(socket.address)")
        let entry = "url: \"\(second.issuer)\", clientId: \(second.clientID), clientSecretFile: contoso.secret"
        try await second.serve(socket) {
            try await OutsideScene.run(beside: ["  fabrikam: {\(entry)}"]) { scene in
                try await scene.signIn()
                // The provider responds to renewals with 503 and an empty `Retry-After`.
                scene.provider.pause(retryAfter: "")
                let other = OutsideScene.silent(["scopes": ["files.write"]])
                for _ in 0..<12 { #expect(try scene.connection.refusal("token.acquire", other).code == 1014) }
                #expect(scene.provider.renewals == 5)
                // The daemon still returns valid tokens and calls other authorities.
                #expect(try scene.token()["accessToken"]?.string == "access-1")
                #expect(try await scene.signIn(["policy": "fabrikam"])["state"]?.string == "succeeded")
                #expect(try scene.token(["policy": "fabrikam", "forceRefresh": true])["fromCache"]?.bool == false)
                #expect(second.renewals == 1 && scene.provider.renewals == 5)
            }
        }
    }

    @Test("subscribers are notified of a renewal at an external authority without the token") func subscribed()
        async throws
    {
        try await OutsideScene.run { scene in
            try await scene.signIn()
            let listening = try scene.machine.connect()
            _ = try listening.call("token.subscribe")
            let token = try scene.token(["forceRefresh": true])
            var told: JSONValue = .null
            // A notification that a token is about to expire may come first.
            for _ in 0..<8 where told["method"]?.string != "token.rotated" {
                told = try StrictJSON.parse(Array(try listening.socket.receive().utf8))
                #expect(!told.text.contains("access-"), "\(told)")
            }
            #expect(told["method"]?.string == "token.rotated", "\(told)")
            #expect(told["params"]?["account"] == token["account"])
        }
    }
}
