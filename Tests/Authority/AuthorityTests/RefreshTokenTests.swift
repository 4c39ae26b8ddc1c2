import AuthorityStore
import FlowModel
import Foundation
import Moments
import OAuth
import Policies
import TestSupport
import Testing
import Tokens

@testable import Authority

@Suite(.timeLimit(.minutes(2)), .indexedStatements)
struct RefreshTokenTests {
    private let secret = Secret(bytes: Data(repeating: 1, count: RefreshToken.secretBytes))
    private let family = Base64URL.encode(Data(repeating: 2, count: RefreshToken.familyBytes))

    @Test("a refresh token survives an encoding round trip, and only its family's secret can create it")
    func roundTrip() throws {
        let token = try #require(RefreshToken(family: family, counter: 513, secret: secret))
        let read = try #require(RefreshToken(token.text))
        #expect(read == token)
        #expect(read.family == family)
        #expect(read.counter == 513)
        #expect(read.isGenuine(secret: secret))
        #expect(!read.isGenuine(secret: Secret(bytes: Data(repeating: 3, count: 32))))
    }

    @Test("two tokens of a family share nothing that predicts the next") func different() throws {
        let first = try #require(RefreshToken(family: family, counter: 0, secret: secret))
        let second = try #require(RefreshToken(family: family, counter: 1, secret: secret))
        #expect(first.text.reveal().suffix(43) != second.text.reveal().suffix(43))
        #expect("\(first.text)" == "<redacted>")
    }
}
