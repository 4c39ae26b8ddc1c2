import Crypto
import Foundation
import LocalIssuer
import NIOHTTP1
import OAuth
import TestSupport
import Testing
import Tokens

/// Tests invalid tokens, each of which is sent to a real server.
@Suite(.timeLimit(.minutes(2)))
struct TokenKindsTests {
    /// Sends the token that `make` creates to a running server, and expects that the server refuses only that token.
    private func refused(
        saying message: String = "The token is not valid.",
        _ make: (Daemon, Int64) throws -> String
    ) async throws {
        try await Daemon.scene { (daemon: Daemon) async throws in
            let (process, _) = try await daemon.start()
            let now = Int64(Date.now.timeIntervalSince1970)
            let bad = try make(daemon, now)
            for path in ["/tables/todoitem", "/.auth/me", "/protected", "/api/tasks"] {
                let answer = try await daemon.send(.GET, path, token: bad)
                #expect(answer.status == 401, "\(path)")
                #expect(answer.json?["error"] == .string(message) && answer.json?["code"] == 401)
                let challenge = answer.headers.first(name: "WWW-Authenticate").flatMap { WWWAuthenticate($0) }
                #expect(challenge?.error == .invalidToken)
            }
            #expect(try await daemon.send(.GET, "/tables/todoitem", token: daemon.token()).status == 200)
            #expect(await daemon.stop(process) == 0)
            #expect(try !process.log().contains(bad.suffix(40)))
        }
    }

    private static func encoded(_ value: JSONValue) -> String { Base64URL.encode(value.bytes) }

    private static func parts(_ token: String) -> [String] { token.split(separator: ".").map(String.init) }

    @Test("a token with the algorithm `none` is refused", arguments: ["none", "None", "NONE"])
    func none(_ alg: String) async throws {
        try await refused { daemon, now in
            let good = Self.parts(try daemon.issuer.token(oid: "alice", now: now))
            let header: JSONValue = ["alg": .string(alg), "typ": "at+jwt", "kid": .string(daemon.issuer.key.kid)]
            return "\(Self.encoded(header)).\(good[1])."
        }
    }

    @Test("a token whose claims were changed is refused") func changed() async throws {
        try await refused { daemon, now in
            let good = Self.parts(try daemon.issuer.token(oid: "alice", now: now))
            let other = Self.parts(try daemon.issuer.token(oid: "bob", now: now))
            return "\(good[0]).\(other[1]).\(good[2])"
        }
    }

    @Test("an expired token is refused with that reason") func expired() async throws {
        try await refused(saying: "The token has expired.") { daemon, now in
            try daemon.issuer.token(oid: "alice", now: now - 7200)
        }
    }

    @Test("a token that is not valid yet is refused") func early() async throws {
        try await refused { daemon, now in
            try daemon.issuer.token(oid: "alice", now: now, changes: ["nbf": .int(now + 600)])
        }
    }

    @Test("a token of another issuer is refused, with any signature") func otherIssuer() async throws {
        try await refused { daemon, now in
            let issuer: JSONValue = "http://evil.example/local/b2c_1_sign_in/v2.0"
            return try daemon.issuer.token(oid: "alice", now: now, changes: ["iss": issuer])
        }
    }

    @Test("a token with the issuer's name and another key's signature is refused") func otherKey() async throws {
        try await refused { daemon, now in
            try daemon.issuer.token(oid: "alice", now: now, key: try SigningKey.generate(.es256))
        }
    }

    @Test("a token for another audience is refused") func otherAudience() async throws {
        try await refused { daemon, now in
            try daemon.issuer.token(oid: "alice", now: now, changes: ["aud": "mail"])
        }
    }

    @Test("an ID token is refused even with the right issuer, audience and signature") func idToken() async throws {
        try await refused { daemon, now in try daemon.issuer.token(oid: "alice", now: now, type: .jwt) }
    }

    @Test("a token that is signed with the public key as a shared secret is refused", arguments: [true, false])
    func confusion(_ asJWK: Bool) async throws {
        try await refused { daemon, now in
            let good = Self.parts(try daemon.issuer.token(oid: "alice", now: now))
            let jwk = daemon.issuer.key.publicKey.jwk
            let header: JSONValue = ["alg": "HS256", "typ": "at+jwt", "kid": .string(daemon.issuer.key.kid)]
            let text = "\(Self.encoded(header)).\(good[1])"
            var secret = jwk.bytes
            if !asJWK {
                secret = [4]
                for name in ["x", "y"] { secret += try #require(Base64URL.decode(jwk[name]?.string ?? "")) }
            }
            let code = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: SymmetricKey(data: secret))
            return "\(text).\(Base64URL.encode(Array(code)))"
        }
    }

    @Test("a token over the maximum length is refused before it is parsed") func oversized() async throws {
        try await refused { daemon, now in
            let good = Self.parts(try daemon.issuer.token(oid: "alice", now: now))
            return "\(good[0]).\(good[1])\(String(repeating: "A", count: 17_000)).\(good[2])"
        }
    }
}
