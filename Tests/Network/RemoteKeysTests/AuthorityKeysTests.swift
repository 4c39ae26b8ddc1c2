import Glibc
import HTTPServer
import LocalIssuer
import Moments
import OAuth
import TestSupport
import Testing
import Tokens

@testable import RemoteKeys

@Suite(.timeLimit(.minutes(1)))
struct AuthorityKeysTests {
    private let clock = TestClock()

    /// Runs `test` with an issuer that listens at a Unix socket, and with its keys.
    private func withIssuer(
        deadlines: any Clock<Duration> = ContinuousClock(),
        policies: Set<String>? = nil,
        describesItself: Bool = true,
        _ test: (LocalIssuer, AuthorityKeys) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("authority.sock")
        let issuer = try LocalIssuer(policies: policies, describesItself: describesItself)
        let fetcher = KeyFetcher(clock: deadlines)
        let keys = AuthorityKeys(
            source: .named(Self.name, at: .unixSocket(path: path)),
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

    private static let name = AuthorityName(base: "http://localhost:8420", tenant: "local")
    private static let issuer = "http://localhost:8420/local/b2c_1_sign_in/v2.0"

    private func code(
        _ keys: AuthorityKeys,
        _ kid: String,
        issuer: String = Self.issuer,
        for caller: String = "somebody"
    ) async -> RemoteKeysError.Code? {
        do {
            _ = try await keys.key(kid: kid, issuer: issuer) { caller }
            return nil
        } catch {
            return (error as? RemoteKeysError)?.code
        }
    }

    @Test("over a Unix socket keys are found in the authority's description, and fetched once")
    func unixSocket() async throws {
        try await withIssuer { (issuer, keys) async throws in
            let kid = issuer.key.kid
            #expect(try await keys.key(kid: kid, issuer: issuer.issuer("b2c_1_other"))?.key == issuer.key.publicKey)
            #expect(try await keys.key(kid: kid, issuer: Self.issuer) != nil)
            #expect(issuer.requests == [AuthorityDescription.path])
        }
    }

    @Test("an authority without a description, or with another issuer in it, is queried for metadata")
    func metadata() async throws {
        try await withIssuer(describesItself: false) { (issuer, keys) async throws in
            let kid = issuer.key.kid
            #expect(try await keys.key(kid: kid, issuer: Self.issuer)?.key == issuer.key.publicKey)
            #expect(try await keys.key(kid: kid, issuer: Self.issuer) != nil)
            #expect(
                issuer.requests == [
                    AuthorityDescription.path,
                    "/.well-known/oauth-authorization-server/local/b2c_1_sign_in/v2.0",
                    "/local/b2c_1_sign_in/discovery/v2.0/keys",
                ]
            )
        }
        try await withIssuer { (issuer, keys) async throws in
            let name = Self.issuer
            issuer.move(to: "http://localhost:9999")
            #expect(await code(keys, issuer.key.kid, issuer: name) == .protocolViolation)
        }
    }

    /// Runs `test` with an issuer that is reached over HTTP, and with its keys.
    private func withWebIssuer(
        policies: Set<String>? = nil,
        _ test: (LocalIssuer, AuthorityKeys) async throws -> Void
    ) async throws {
        let socket = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
        let base = "http://\(socket.address)"
        let issuer = try LocalIssuer(base: base, policies: policies)
        let origin = KeyOrigin.web(origin: base)
        let fetcher = KeyFetcher()
        let name = AuthorityName(base: base, tenant: issuer.tenant)
        let keys = AuthorityKeys(source: .named(name, at: origin), fetcher: fetcher, clock: clock.clock)
        try await issuer.serve([socket]) {
            do {
                try await test(issuer, keys)
            } catch {
                try await fetcher.shutdown()
                throw error
            }
            try await fetcher.shutdown()
        }
    }

    @Test("keys are found over loopback HTTP by metadata") func loopback() async throws {
        try await withWebIssuer { (issuer, keys) async throws in
            let key = try await keys.key(kid: issuer.key.kid, issuer: issuer.issuer())?.key
            #expect(key == issuer.key.publicKey && issuer.requests.count == 2)
        }
    }

    @Test("many callers share one fetch") func singleFlight() async throws {
        try await withIssuer { (issuer, keys) async throws in
            let kid = issuer.key.kid
            let found = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<20 { group.addTask { try await keys.key(kid: kid, issuer: Self.issuer) != nil } }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(found == 20 && issuer.requests.count == 1)
        }
    }

    @Test("over HTTP each caller can trigger one lookup of unknown keys in ten seconds, independently of others")
    func unknownKey() async throws {
        try await withWebIssuer { (issuer, keys) async throws in
            let name = issuer.issuer()
            #expect(try await keys.key(kid: issuer.key.kid, issuer: name) != nil)
            #expect(try await keys.key(kid: "junk", issuer: name) { "uid 1" } == nil)
            for number in 0..<50 {
                #expect(await code(keys, "junk \(number)", issuer: name, for: "uid 1") == .limited)
            }
            #expect(issuer.requests.count == 4)
            try issuer.rotate()
            let new = issuer.key
            #expect(await code(keys, new.kid, issuer: name, for: "uid 1") == .limited)
            #expect(try await keys.key(kid: new.kid, issuer: name) { "uid 2" }?.key == new.publicKey)
            #expect(issuer.requests.count == 6)
            clock.advance(by: AuthorityKeys.lookUps.interval)
            #expect(try await keys.key(kid: "junk 51", issuer: name) { "uid 1" } == nil)
        }
    }

    @Test("the lookups of unknown keys for all callers are limited, and callers are told when to retry")
    func everybody() async throws {
        try await withWebIssuer { (issuer, keys) async throws in
            let name = issuer.issuer()
            #expect(try await keys.key(kid: issuer.key.kid, issuer: name) != nil)
            // A quarter of the lookups is reserved for callers whose token has already been accepted.
            let strangers = 8
            for number in 0..<strangers {
                #expect(try await keys.key(kid: "junk \(number)", issuer: name) { "uid \(number)" } == nil)
            }
            clock.advance(by: .seconds(3))
            let error = await #expect(throws: RemoteKeysError.self) {
                try await keys.key(kid: "junk", issuer: name) { "uid 99" }
            }
            #expect(error?.code == .limited && error?.retryAfter == .seconds(7))
            #expect(issuer.requests.count == 2 + 2 * strangers)
            keys.accepted(from: "uid 50")
            try issuer.rotate()
            let new = issuer.key
            #expect(try await keys.key(kid: new.kid, issuer: name) { "uid 50" }?.key == new.publicKey)
        }
    }

    @Test("the networks of one site share a quarter of the lookups, and another site's new key is found") func site()
        async throws
    {
        try await withWebIssuer { (issuer, keys) async throws in
            let name = issuer.issuer()
            #expect(try await keys.key(kid: issuer.key.kid, issuer: name) != nil)
            for number in 0..<128 {
                let network = "20010db80001" + String(0x1000 + number, radix: 16)
                _ = await code(keys, "junk \(number)", issuer: name, for: network)
            }
            #expect(issuer.requests.count == 2 + 2 * (AuthorityKeys.lookUps.ofAll / 4))
            try issuer.rotate()
            let new = issuer.key
            #expect(try await keys.key(kid: new.kid, issuer: name) { "20010db800020000" }?.key == new.publicKey)
        }
    }

    @Test("over a Unix socket the key of a new token is found at once, right after another caller's invalid tokens")
    func unknownKeyHere() async throws {
        try await withIssuer { (issuer, keys) async throws in
            #expect(try await keys.key(kid: issuer.key.kid, issuer: Self.issuer) != nil)
            for number in 0..<50 { _ = await code(keys, "junk \(number)", for: "uid 1") }
            #expect(issuer.requests.count == 1 + AuthorityKeys.lookUpsHere.ofCaller)
            for _ in 0..<AuthorityKeys.lookUpsHere.ofCaller {
                try issuer.rotate()
                let new = issuer.key
                #expect(try await keys.key(kid: new.kid, issuer: Self.issuer) { "uid 2" }?.key == new.publicKey)
            }
        }
    }

    @Test("withdrawn keys are trusted as long as the authority said", arguments: [30, 300])
    func withdrawn(_ seconds: Int) async throws {
        try await withIssuer { (issuer, keys) async throws in
            issuer.keep(seconds: seconds)
            let old = issuer.key.kid
            #expect(try await keys.key(kid: old, issuer: Self.issuer) != nil)
            try issuer.rotate()
            clock.advance(by: .seconds(seconds - 1))
            let known = try #require(try await keys.key(kid: old, issuer: Self.issuer))
            #expect(known.isCurrent(at: clock.now))
            clock.advance(by: .seconds(1))
            #expect(!known.isCurrent(at: clock.now))
            #expect(try await keys.key(kid: old, issuer: Self.issuer) == nil)
        }
    }

    @Test("an authority's keys are not fetched for every request, and not trusted for more than an hour")
    func extremes() async throws {
        for (said, kept) in [(0, 5), (1_000_000, 3600)] {
            try await withIssuer { (issuer, keys) async throws in
                issuer.keep(seconds: said)
                let key = try await keys.key(kid: issuer.key.kid, issuer: Self.issuer)
                clock.advance(by: .seconds(kept - 1))
                #expect(key?.isCurrent(at: clock.now) == true)
                clock.advance(by: .seconds(1))
                #expect(key?.isCurrent(at: clock.now) == false)
            }
        }
    }

    @Test("once keys are known, unknown issuers cause few requests to the authority and block no caller")
    func junk() async throws {
        try await withIssuer(policies: ["b2c_1_sign_in", "b2c_1_other"]) { (issuer, keys) async throws in
            let kid = issuer.key.kid
            #expect(try await keys.key(kid: kid, issuer: Self.issuer) != nil)
            for number in 0..<200 {
                let junk = issuer.issuer("b2c_1_junk\(number)")
                let isLookedFor = number < AuthorityKeys.lookUpsHere.ofCaller
                #expect(await code(keys, "junk \(number)", issuer: junk) == (isLookedFor ? nil : .limited))
            }
            let asked = 1 + AuthorityKeys.lookUpsHere.ofCaller
            #expect(issuer.requests.count == asked)
            #expect(try await keys.key(kid: kid, issuer: issuer.issuer("b2c_1_other")) != nil)
            #expect(issuer.requests.count == asked)
        }
    }

    @Test("before keys are known, a caller can trigger few lookups of unknown issuers and blocks no other caller")
    func guesses() async throws {
        try await withWebIssuer(policies: ["b2c_1_sign_in"]) { (issuer, keys) async throws in
            for number in 0..<50 {
                let isTried = number < AuthorityKeys.guesses.ofCaller
                let junk = issuer.issuer("b2c_1_junk\(number)")
                #expect(await code(keys, "junk", issuer: junk, for: "uid 1") == (isTried ? nil : .limited))
            }
            #expect(try await keys.key(kid: issuer.key.kid, issuer: issuer.issuer()) { "uid 2" } != nil)
        }
    }

    @Test("before keys are known, the total number of lookups of unknown issuers is limited")
    func guessesOfAll() async throws {
        try await withWebIssuer(policies: ["b2c_1_sign_in"]) { (issuer, keys) async throws in
            // A quarter of the lookups is reserved for callers whose token has already been accepted.
            for number in 0..<8 {
                let junk = issuer.issuer("b2c_1_junk\(number)")
                #expect(try await keys.key(kid: "junk", issuer: junk) { "uid \(number)" } == nil)
            }
            let (kid, good) = (issuer.key.kid, issuer.issuer())
            #expect(await code(keys, kid, issuer: good, for: "uid 99") == .limited)
            clock.advance(by: AuthorityKeys.guesses.interval)
            #expect(try await keys.key(kid: kid, issuer: good) { "uid 99" } != nil)
        }
    }

    @Test("a failed fetch keeps the old keys and is not repeated at once") func keepsOldKeys() async throws {
        try await withIssuer { (issuer, keys) async throws in
            let kid = issuer.key.kid
            #expect(try await keys.key(kid: kid, issuer: Self.issuer) != nil)
            issuer.behave(.down)
            clock.advance(by: .seconds(7200))
            for _ in 0..<5 { #expect(try await keys.key(kid: kid, issuer: Self.issuer) != nil) }
            #expect(issuer.requests.count == 2)
            #expect(await code(keys, "unknown") == .unreachable)
        }
    }

    @Test("an issuer that becomes available later is found") func comesUp() async throws {
        try await withIssuer { (issuer, keys) async throws in
            issuer.behave(.down)
            #expect(await code(keys, issuer.key.kid) == .unreachable)
            issuer.behave(.honest)
            #expect(await code(keys, issuer.key.kid) == .unreachable)
            clock.advance(by: AuthorityKeys.failureInterval)
            #expect(try await keys.key(kid: issuer.key.kid, issuer: Self.issuer) != nil)
        }
    }

    @Test(
        "a response for another issuer is not trusted",
        arguments: [
            LocalIssuer.Behaviour.redirecting, .endless, .impostor, .elsewhere, .garbled,
        ]
    )
    func dishonest(_ behaviour: LocalIssuer.Behaviour) async throws {
        try await withIssuer(describesItself: false) { (issuer, keys) async throws in
            issuer.behave(behaviour)
            #expect(await code(keys, issuer.key.kid) == .protocolViolation)
        }
    }

    @Test("an issuer that never responds is abandoned in time") func silent() async throws {
        let deadlines = SleepClock()
        try await withIssuer(deadlines: deadlines) { (issuer, keys) async throws in
            issuer.behave(.silent)
            async let given = code(keys, issuer.key.kid)
            try await waitUntil("the issuer is called") { !issuer.requests.isEmpty }
            try await deadlines.advance(by: KeyFetcher.timeout)
            #expect(await given == .unreachable)
        }
    }

    @Test("without a listener the keys are unreachable") func nobody() async throws {
        let fetcher = KeyFetcher()
        let origin = KeyOrigin.unixSocket(path: "/tmp/nobody-listens-here.sock")
        let keys = AuthorityKeys(source: .named(Self.name, at: origin), fetcher: fetcher, clock: clock.clock)
        #expect(await code(keys, "k") == .unreachable)
        try await fetcher.shutdown()
    }

    @Test(
        "keys from a local port where another user listens are not trusted, in every kind of binding",
        arguments: ["127.0.0.1", "::ffff:127.0.0.1", "::"]
    )
    func stranger(_ address: String) async throws {
        let other = try OtherUserProcess()
        let port = try other.listen(at: address)
        let fetcher = KeyFetcher()
        let error = await #expect(throws: RemoteKeysError.self) {
            _ = try await fetcher.document(path: "/", host: "localhost", from: .web(origin: "http://localhost:\(port)"))
        }
        #expect(error?.code == .unreachable)
        #expect("\(error as Any)".contains("outgoing.trustedLoopback: [\(port)]"))
        try await fetcher.shutdown()
        let answer = "HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\n{}"
        // The listener first accepts the connection that the fetcher has abandoned.
        #expect(try other.run("answer = listener.accept()[0].recv(100)") == "b''")
        let trusting = KeyFetcher(trustedLoopback: [port])
        async let document = trusting.document(
            path: "/",
            host: "localhost",
            from: .web(origin: "http://127.0.0.1:\(port)")
        )
        try other.run("caller = listener.accept()[0]; caller.recv(10000); caller.sendall(b'\(answer)')")
        #expect(try await document != nil)
        try await trusting.shutdown()
    }

    /// Runs `test` with an authority that states the base URL of its issuers, and with its keys.
    ///
    /// The client knows two sockets, and the authority listens only at the second one.
    private func withFollowed(_ test: (LocalIssuer, AuthorityKeys) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("authority.sock")
        let issuer = try LocalIssuer()
        let fetcher = KeyFetcher()
        let sockets = [folder.path("missing/authority.sock"), path].map {
            LocalSocket(path: $0, uids: [geteuid()], trustsFolder: false)
        }
        let keys = AuthorityKeys(source: .followed(sockets), fetcher: fetcher, clock: clock.clock)
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

    @Test("a followed authority states its base and its keys itself, and again with each fetch") func followed()
        async throws
    {
        try await withFollowed { (issuer, keys) async throws in
            let kid = issuer.key.kid
            #expect(try await keys.policy(ofIssuer: issuer.issuer()) == "b2c_1_sign_in")
            #expect(try await keys.key(kid: kid, issuer: issuer.issuer())?.key == issuer.key.publicKey)
            #expect(issuer.requests == [AuthorityDescription.path])
            let old = issuer.issuer()
            let known = try #require(try await keys.key(kid: kid, issuer: old))
            issuer.move(to: "http://localhost:9999")
            clock.advance(by: AuthorityKeys.lookUpsHere.interval)
            #expect(try await keys.policy(ofIssuer: issuer.issuer()) == "b2c_1_sign_in")
            #expect(await keys.name == AuthorityName(base: "http://localhost:9999", tenant: "local"))
            #expect(!known.isCurrent(at: clock.now))
            clock.advance(by: AuthorityKeys.lookUpsHere.interval)
            #expect(try await keys.policy(ofIssuer: old) == nil)
        }
    }

    @Test("unknown issuers cause few requests per second to a followed authority") func followedJunk()
        async throws
    {
        try await withFollowed { (issuer, keys) async throws in
            for number in 0..<50 {
                _ = try? await keys.policy(ofIssuer: "http://evil.example/local/b2c_1_junk\(number)/v2.0")
                #expect(try await keys.policy(ofIssuer: issuer.issuer()) != nil)
            }
            #expect(issuer.requests.count == 1 + AuthorityKeys.lookUpsHere.ofCaller)
        }
    }

    @Test("a listener at a socket is trusted if it is root, the same user, or the owner of a folder that root created")
    func peers() {
        let own = LocalSocket(path: "/x/a.sock", uids: [1000], trustsFolder: false)
        let service = LocalSocket(path: "/x/a.sock", uids: [1000], trustsFolder: true)
        for socket in [own, service] {
            #expect(socket.trusts(0, folderOwner: 7) && socket.trusts(1000, folderOwner: 7))
            #expect(!socket.trusts(1001, folderOwner: 7) && !socket.trusts(1001, folderOwner: nil))
        }
        #expect(service.trusts(7, folderOwner: 7) && !own.trusts(7, folderOwner: 7))
    }
}
