import Foundation
import HTTPServer
import HTTPTypes
import Moments
import OAuth
import TestSupport
import Testing

@testable import TablesServer

/// Tests of the limits on the number of tokens that `/.auth/logout` has revoked, for one user and for all users.
@Suite(.timeLimit(.minutes(2)), .indexedStatements)
struct EndedTokensTests {
    private let clock = TestClock()

    /// Returns the identity in a token that was issued `ago` seconds ago.
    private func identity(_ owner: String, issued ago: Int64 = 0) -> BearerIdentity {
        let issuedAt: JSONValue = .int(clock.now.seconds - ago)
        return BearerIdentity(oid: owner, owner: owner, scopes: [], requiresScopes: false, claims: ["iat": issuedAt])
    }

    private func end(
        _ token: String,
        of owner: String,
        issued ago: Int64 = 0,
        in ended: EndedTokens,
        after life: Duration
    ) throws {
        let end = Deadline(life, after: clock.now)
        try ended.add(token[...], of: identity(owner, issued: ago), until: end, at: clock.now)
    }

    @Test("a revoked token is identified by the text that its signature covers") func known() throws {
        let ended = EndedTokens()
        #expect(!ended.has("a.one.s", of: identity("ada")))
        try end("a.one.s", of: "ada", in: ended, after: .seconds(3_600))
        #expect(ended.has("a.one.s", of: identity("ada")) && ended.has("a.one.t", of: identity("ada")))
        #expect(!ended.has("a.two.s", of: identity("ada")) && !ended.has("b.one.s", of: identity("ada")))
    }

    @Test("revoking more than 64 live tokens revokes all tokens issued to that user so far, and no others")
    func ofPerson() throws {
        let ended = EndedTokens()
        try end("a.theirs.s", of: "bob", in: ended, after: .seconds(3_600))
        // The first token is dated in the future, as from an authority whose clock is ahead.
        for number in 0..<EndedTokens.mostOfPerson {
            try end("a.\(number).s", of: "ada", issued: number == 0 ? -3 : 10, in: ended, after: .seconds(3_600))
        }
        #expect(!ended.has("a.other.s", of: identity("ada")))
        try end("a.last.s", of: "ada", issued: 10, in: ended, after: .seconds(3_600))
        #expect(
            ended.has("a.0.s", of: identity("ada", issued: -3)) && ended.has("a.1.s", of: identity("ada", issued: 10))
        )
        #expect(ended.has("a.last.s", of: identity("ada", issued: 10)) && ended.has("a.x.s", of: identity("ada")))
        #expect(!ended.has("a.new.s", of: identity("ada", issued: -4)))
        try end("a.newer.s", of: "ada", issued: -4, in: ended, after: .seconds(3_600))
        #expect(ended.has("a.newer.s", of: identity("ada", issued: -4)))
        #expect(!ended.has("a.new.s", of: identity("ada", issued: -4)))
        #expect(ended.has("a.theirs.s", of: identity("bob")) && !ended.has("a.more.s", of: identity("bob")))
    }

    @Test("expired tokens of a user do not count, and do not revoke others") func expired() throws {
        let ended = EndedTokens()
        for number in 0..<EndedTokens.mostOfPerson {
            try end("a.\(number).s", of: "ada", in: ended, after: .seconds(number == 0 ? 5 : 3_600))
        }
        clock.advance(by: .seconds(6))
        try end("a.last.s", of: "ada", in: ended, after: .seconds(3_600))
        #expect(ended.has("a.1.s", of: identity("ada")) && ended.has("a.last.s", of: identity("ada")))
        #expect(!ended.has("a.other.s", of: identity("ada", issued: 1)))
    }

    @Test("a full list is 503 until some of its tokens have expired")
    func ofAll() throws {
        let ended = EndedTokens(most: 100)
        for number in 0..<100 {
            try end("a.\(number).s", of: "\(number / 32)", in: ended, after: .seconds(number == 0 ? 60 : 3_600))
        }
        let refused = #expect(throws: HTTPProblem.self) {
            try end("a.more.s", of: "ada", in: ended, after: .seconds(3_600))
        }
        #expect(refused?.status == .serviceUnavailable && !ended.has("a.more.s", of: identity("ada")))
        // Setting the wall clock forward must not remove revoked tokens, because the clock may be set back later.
        clock.setWall(by: .seconds(61))
        let still = #expect(throws: HTTPProblem.self) {
            try end("a.more.s", of: "ada", in: ended, after: .seconds(3_600))
        }
        #expect(still?.status == .serviceUnavailable)
        clock.setWall(by: .seconds(-61))
        clock.advance(by: .seconds(61))
        try end("a.more.s", of: "ada", in: ended, after: .seconds(3_600))
        #expect(ended.has("a.more.s", of: identity("ada")) && !ended.has("a.0.s", of: identity("0")))
    }

    @Test("a revoked token is rejected with the other encoding of its ECDSA signature") func respelled()
        async throws
    {
        try await TestAPI.run { (api: TestAPI) async throws in
            let token = try api.token()
            let twin = try Self.twin(of: token)
            for spelling in [token, twin] {
                #expect(try await api.send(.get, "/tables/todoitem", token: spelling).status == 200)
            }
            #expect(try await api.send(.post, "/.auth/logout", token: token).status == 204)
            for spelling in [token, twin] {
                #expect(try await api.send(.get, "/tables/todoitem", token: spelling).status == 401)
            }
            #expect(try await api.send(.get, "/tables/todoitem", token: api.token()).status == 200)
        }
    }

    @Test("a revoked token stays revoked after many more revocations of the same user") func many() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            func status(_ token: String) async throws -> Int {
                try await api.send(.get, "/tables/todoitem", token: token).status
            }
            let (first, never) = (try api.token(), try api.token())
            let theirs = try api.token("bob")
            #expect(try await api.send(.post, "/.auth/logout", token: first).status == 204)
            for _ in 0..<EndedTokens.mostOfPerson {
                #expect(try await status(never) == 200)
                api.clock.advance(by: .seconds(1))
                #expect(try await api.send(.post, "/.auth/logout", token: api.token()).status == 204)
            }
            for token in [first, never] { #expect(try await status(token) == 401) }
            #expect(try await status(theirs) == 200)
            api.clock.advance(by: .seconds(1))
            #expect(try await status(api.token()) == 200)
        }
    }

    /// Returns the same token with the other valid form of its ES256 signature.
    ///
    /// The other form contains `n - s` instead of `s`, where `n` is the order of P-256 (SEC 2 §2.4.2).
    private static func twin(of token: String) throws -> String {
        let parts = token.split(separator: ".").map(String.init)
        let signature = try #require(Base64URL.decode(parts[2]))
        let order: [UInt8] = [
            0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
            0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
        ]
        var other: [UInt8] = []
        var borrow = 0
        for (n, s) in zip(order, signature.suffix(32)).reversed() {
            let difference = Int(n) - Int(s) - borrow
            borrow = difference < 0 ? 1 : 0
            other.insert(UInt8(truncatingIfNeeded: difference), at: 0)
        }
        return "\(parts[0]).\(parts[1])." + Base64URL.encode(signature.prefix(32) + Data(other))
    }
}
