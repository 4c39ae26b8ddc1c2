import HTTPServer
import LocalIssuer
import Moments
import OAuth
import TestSupport
import Testing
import Tokens

@testable import RemoteKeys

@Suite(.timeLimit(.minutes(1)))
struct RemoteKeysTests {
    private let clock = TestClock()

    /// Runs `test` with the keys of an issuer that is reached by a Unix socket.
    private func withIssuer(
        timeout: Duration = KeyFetcher.timeout,
        _ test: (LocalIssuer, RemoteKeys) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("authority.sock")
        let issuer = try LocalIssuer()
        let fetcher = KeyFetcher(timeout: timeout)
        let keys = RemoteKeys(
            issuer: issuer.issuer(),
            origin: .unixSocket(path: path),
            fetcher: fetcher,
            clock: clock.clock
        )
        try await issuer.serve(on: [.unix(path: path, mode: 0o600)]) { _ in
            do {
                try await test(issuer, keys)
            } catch {
                try await fetcher.shutdown()
                throw error
            }
            try await fetcher.shutdown()
        }
    }

    private func code(_ keys: RemoteKeys, _ kid: String) async -> RemoteKeysError.Code? {
        do {
            _ = try await keys.key(kid: kid)
            return nil
        } catch {
            return (error as? RemoteKeysError)?.code
        }
    }

    @Test("keys are found by metadata over a Unix socket and fetched once") func unixSocket() async throws {
        try await withIssuer { (issuer, keys) async throws in
            let kid = issuer.key.kid
            #expect(try await keys.key(kid: kid) == issuer.key.publicKey)
            #expect(try await keys.key(kid: kid) != nil)
            #expect(
                issuer.requests == [
                    "/.well-known/oauth-authorization-server/local/b2c_1_sign_in/v2.0",
                    "/local/b2c_1_sign_in/discovery/v2.0/keys",
                ]
            )
        }
    }

    @Test("keys are found over loopback HTTP") func loopback() async throws {
        let socket = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
        let base = "http://\(socket.address)"
        let issuer = try LocalIssuer(base: base)
        let origin = try #require(KeyOrigin(base))
        let fetcher = KeyFetcher()
        let keys = RemoteKeys(issuer: issuer.issuer(), origin: origin, fetcher: fetcher, clock: clock.clock)
        let key = try await issuer.serve([socket]) { try await keys.key(kid: issuer.key.kid) }
        try await fetcher.shutdown()
        #expect(key == issuer.key.publicKey)
    }

    @Test("many callers share one fetch") func singleFlight() async throws {
        try await withIssuer { (issuer, keys) async throws in
            let kid = issuer.key.kid
            let found = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<20 { group.addTask { try await keys.key(kid: kid) != nil } }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(found == 20 && issuer.requests.count == 2)
        }
    }

    @Test("an unknown key is looked for again at most once a minute") func unknownKey() async throws {
        try await withIssuer { (issuer, keys) async throws in
            #expect(try await keys.key(kid: issuer.key.kid) != nil)
            for _ in 0..<5 { #expect(try await keys.key(kid: "unknown") == nil) }
            #expect(issuer.requests.count == 2)
            try issuer.rotate()
            clock.advance(by: .seconds(59))
            #expect(try await keys.key(kid: issuer.key.kid) == nil)
            clock.advance(by: .seconds(1))
            #expect(try await keys.key(kid: issuer.key.kid) == issuer.key.publicKey)
            #expect(issuer.requests.count == 4)
        }
    }

    @Test("keys that were withdrawn are believed no longer than an hour") func withdrawn() async throws {
        try await withIssuer { (issuer, keys) async throws in
            let old = issuer.key.kid
            #expect(try await keys.key(kid: old) != nil)
            try issuer.rotate()
            clock.advance(by: .seconds(3599))
            #expect(try await keys.key(kid: old) != nil)
            clock.advance(by: .seconds(1))
            #expect(try await keys.key(kid: old) == nil)
        }
    }

    @Test("a fetch that fails keeps the old keys, and is not repeated at once") func keepsOldKeys() async throws {
        try await withIssuer { (issuer, keys) async throws in
            let kid = issuer.key.kid
            #expect(try await keys.key(kid: kid) != nil)
            issuer.behave(.down)
            clock.advance(by: .seconds(7200))
            for _ in 0..<5 { #expect(try await keys.key(kid: kid) != nil) }
            #expect(issuer.requests.count == 3)
            #expect(await code(keys, "unknown") == .unreachable)
        }
    }

    @Test("an issuer that comes up later is found") func comesUp() async throws {
        try await withIssuer { (issuer, keys) async throws in
            issuer.behave(.down)
            #expect(await code(keys, issuer.key.kid) == .unreachable)
            issuer.behave(.honest)
            #expect(await code(keys, issuer.key.kid) == .unreachable)
            clock.advance(by: RemoteKeys.failureInterval)
            #expect(try await keys.key(kid: issuer.key.kid) != nil)
        }
    }

    @Test(
        "whoever does not answer as the issuer is not believed",
        arguments: [
            LocalIssuer.Behaviour.redirecting, .endless, .impostor, .elsewhere, .garbled,
        ]
    )
    func dishonest(_ behaviour: LocalIssuer.Behaviour) async throws {
        try await withIssuer { (issuer, keys) async throws in
            issuer.behave(behaviour)
            #expect(await code(keys, issuer.key.kid) == .protocolViolation)
        }
    }

    @Test("an issuer that never answers is given up in time") func silent() async throws {
        try await withIssuer(timeout: .milliseconds(100)) { (issuer, keys) async throws in
            issuer.behave(.silent)
            #expect(await code(keys, issuer.key.kid) == .unreachable)
        }
    }

    @Test("where nobody listens the keys are unreachable") func nobody() async throws {
        let fetcher = KeyFetcher(timeout: .seconds(1))
        let origin = KeyOrigin.unixSocket(path: "/tmp/nobody-listens-here.sock")
        let keys = RemoteKeys(issuer: "http://localhost:1/x", origin: origin, fetcher: fetcher, clock: clock.clock)
        #expect(await code(keys, "k") == .unreachable)
        try await fetcher.shutdown()
    }

    @Test("new issuers are asked for in bounded numbers") func directory() async throws {
        let fetcher = KeyFetcher(timeout: .seconds(1))
        let origin = KeyOrigin.unixSocket(path: "/tmp/nobody-listens-here.sock")
        let directory = IssuerDirectory(origin: origin, fetcher: fetcher, clock: clock.clock)
        var codes: [RemoteKeysError.Code] = []
        for index in 0...IssuerDirectory.newPerWindow {
            do {
                _ = try await directory.key(kid: "k", issuer: "http://localhost:1/\(index)")
            } catch {
                codes.append((error as? RemoteKeysError)?.code ?? .protocolViolation)
            }
        }
        #expect(codes.last == .limited && codes.dropLast().allSatisfy { $0 == .unreachable })
        try await fetcher.shutdown()
    }

    @Test("origins are a socket, https, or http on this machine") func origins() {
        for good in [
            "unix:/run/a.sock", "https://id.example", "https://id.example:8443/", "http://localhost:8420",
            "http://127.0.0.1:1", "http://[::1]:1",
        ] {
            #expect(KeyOrigin(good) != nil, "\(good)")
        }
        for bad in ["unix:a.sock", "unix:/", "http://id.example", "ftp://x", "https://u@x", "https://x/path", ""] {
            #expect(KeyOrigin(bad) == nil, "\(bad)")
        }
    }
}
