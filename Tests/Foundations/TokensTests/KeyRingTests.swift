import Moments
import OAuth
import TestSupport
import Testing
import Tokens

@Suite(.timeLimit(.minutes(2)))
struct KeyRingTests {
    private static let day = Duration.seconds(86_400)
    private let clock = TestClock()

    /// Applies the actions that are due, and returns them.
    ///
    /// The default algorithm is one whose keys are cheap to generate.
    private func tick(_ ring: inout KeyRing, _ algorithms: [SigningAlgorithm] = [.es256]) throws -> [KeyRing.Action] {
        let actions = KeyRing.schedule(ring, algorithms: algorithms, now: clock.now)
        try ring.apply(actions, now: clock.now)
        return actions
    }

    @Test("an empty ring generates a key that signs immediately, and then nothing is due") func first() throws {
        var ring = KeyRing()
        #expect(ring.signer(.es256) == nil)
        #expect(
            try tick(&ring, [.es256, .eddsa]) == [.generate(.es256, activate: true), .generate(.eddsa, activate: true)]
        )
        #expect(try tick(&ring, [.es256, .eddsa]).isEmpty)
        #expect(ring.signer(.es256)?.alg == .es256)
        #expect(ring.signer(.eddsa)?.alg == .eddsa)
        #expect(ring.signer(.rs256) == nil)
        #expect(ring.jwks.keys.count == 2)
    }

    @Test("the next key is published a day before it signs, and the last one until its tokens have expired") func life()
        throws
    {
        var ring = KeyRing()
        _ = try tick(&ring)
        let first = try #require(ring.signer(.es256)?.kid)
        clock.advance(by: Self.day * 89 - .milliseconds(1))
        #expect(try tick(&ring).isEmpty)
        clock.advance(by: .milliseconds(1))
        #expect(try tick(&ring) == [.generate(.es256, activate: false)])
        #expect(ring.signer(.es256)?.kid == first)
        let second = try #require(ring.entries.first { $0.state == .published }?.kid)
        #expect(ring.verifier(second) != nil)
        #expect(ring.jwks.keys.map(\.kid) == [first, second])
        clock.advance(by: Self.day - .milliseconds(1))
        #expect(try tick(&ring).isEmpty)
        clock.advance(by: .milliseconds(1))
        #expect(try tick(&ring) == [.retire(kid: first), .promote(kid: second)])
        #expect(ring.signer(.es256)?.kid == second)
        #expect(ring.verifier(first) != nil)
        #expect(ring.entry(first)?.state == .retired)
        clock.advance(by: Self.day - .milliseconds(1))
        #expect(try tick(&ring).isEmpty)
        clock.advance(by: .milliseconds(1))
        #expect(try tick(&ring) == [.remove(kid: first)])
        #expect(ring.verifier(first) == nil)
        #expect(ring.jwks.keys.map(\.kid) == [second])
    }

    @Test("a daemon that was suspended still publishes a key for a day before it signs") func late() throws {
        var ring = KeyRing()
        _ = try tick(&ring)
        let first = try #require(ring.signer(.es256)?.kid)
        clock.advance(by: Self.day * 400)
        #expect(try tick(&ring) == [.generate(.es256, activate: false)])
        #expect(ring.signer(.es256)?.kid == first)
        clock.advance(by: Self.day)
        #expect(try tick(&ring).count == 2)
        #expect(try #require(ring.signer(.es256)).kid != first)
    }

    @Test("over two years at most one key per algorithm signs, and only after it was published")
    func twoYears() throws {
        var ring = KeyRing()
        var known: Set<String> = []
        for hour in 0..<(2 * 365 * 4) {
            _ = try tick(&ring)
            let signer = try #require(ring.signer(.es256))
            #expect(hour == 0 || known.contains(signer.kid))
            #expect(ring.entries.filter { $0.state == .active }.count == 1)
            #expect(ring.entries.count <= 3)
            known.formUnion(ring.jwks.keys.map(\.kid))
            clock.advance(by: .seconds(6 * 3600))
        }
        #expect(known.count == 9)
    }

    @Test("an operator's rotation activates the published key, or generates one") func rotation() throws {
        var ring = KeyRing()
        _ = try tick(&ring)
        let first = try #require(ring.signer(.es256)?.kid)
        #expect(ring.rotation(of: .es256) == [.retire(kid: first), .generate(.es256, activate: true)])
        try ring.apply([.generate(.es256, activate: false)], now: clock.now)
        let next = try #require(ring.entries.last?.kid)
        #expect(ring.rotation(of: .es256) == [.retire(kid: first), .promote(kid: next)])
        try ring.apply(ring.rotation(of: .es256), now: clock.now)
        #expect(ring.signer(.es256)?.kid == next)
        #expect(ring.verifier(first) != nil)
    }

    @Test("a revoked key verifies nothing from that moment, and another key signs") func revocation() throws {
        var ring = KeyRing()
        _ = try tick(&ring)
        let first = try #require(ring.signer(.es256)?.kid)
        try ring.apply(ring.revocation(of: first), now: clock.now)
        #expect(ring.verifier(first) == nil)
        #expect(ring.jwks.key(kid: first) == nil)
        #expect(ring.entry(first)?.state == .revoked)
        #expect(ring.signer(.es256) != nil)
        #expect(ring.revocation(of: first).isEmpty)
        #expect(ring.revocation(of: "none").isEmpty)
        clock.advance(by: Self.day)
        #expect(try tick(&ring) == [.remove(kid: first)])
    }

    @Test("revoking a published key has no other effect") func revokePublished() throws {
        var ring = KeyRing()
        _ = try tick(&ring)
        try ring.apply([.generate(.es256, activate: false)], now: clock.now)
        let next = try #require(ring.entries.last?.kid)
        #expect(ring.revocation(of: next) == [.revoke(kid: next)])
    }

    @Test("a ring that cannot generate a key is unchanged") func failure() throws {
        var ring = KeyRing()
        _ = try tick(&ring)
        let first = try #require(ring.signer(.es256)?.kid)
        let failure = TokenError(.cryptoFailed, "no entropy")
        #expect(throws: failure) {
            try ring.apply(ring.rotation(of: .es256), now: clock.now) { (_) throws(TokenError) in
                throw failure
            }
        }
        #expect(ring.signer(.es256)?.kid == first)
        #expect(ring.entries.count == 1)
    }

    @Test("an entry without its private key verifies and never signs") func verifyOnly() throws {
        let key = try SigningKey.generate(.es256)
        let ring = KeyRing(entries: [.init(publicKey: key.publicKey, state: .active, publishedAt: 0, activeFrom: 0)])
        #expect(ring.signer(.es256) == nil)
        #expect(ring.verifier(key.kid) == key.publicKey)
    }
}
