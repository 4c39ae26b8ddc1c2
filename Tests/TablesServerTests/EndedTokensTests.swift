import Crypto
import Foundation
import HTTPServer
import HTTPTypes
import Moments
import TestSupport
import Testing

@testable import TablesServer

/// The tokens that `/.auth/logout` has ended: how many are remembered, of one person and of all.
@Suite(.timeLimit(.minutes(2)))
struct EndedTokensTests {
    private let clock = TestClock()

    private func name(_ text: String) -> SHA256Digest { SHA256.hash(data: Data(text.utf8)) }

    private func end(_ text: String, of owner: String, in ended: EndedTokens, after life: Duration) throws {
        try ended.add(name(text), of: owner, until: Deadline(life, after: clock.now), at: clock.now)
    }

    @Test("a token that was ended is known by its hash, and no other") func known() throws {
        let ended = EndedTokens()
        #expect(!ended.has(name("one")))
        try end("one", of: "ada", in: ended, after: .seconds(3_600))
        #expect(ended.has(name("one")) && !ended.has(name("two")))
    }

    @Test("a person who ends more than 64 loses the one that expires first, and nobody else's") func ofPerson() throws {
        let ended = EndedTokens()
        try end("theirs", of: "bob", in: ended, after: .seconds(1))
        for number in 0...EndedTokens.mostOfPerson {
            try end("\(number)", of: "ada", in: ended, after: .seconds(Int64(100 + number)))
        }
        #expect(!ended.has(name("0")) && ended.has(name("1")) && ended.has(name("\(EndedTokens.mostOfPerson)")))
        #expect(ended.has(name("theirs")))
    }

    @Test("where as many are remembered as may be, one more is 503 until some of them have expired")
    func ofAll() throws {
        let ended = EndedTokens(most: 100)
        for number in 0..<100 {
            try end("\(number)", of: "\(number / 32)", in: ended, after: .seconds(number == 0 ? 60 : 3_600))
        }
        let refused = #expect(throws: HTTPProblem.self) {
            try end("more", of: "ada", in: ended, after: .seconds(3_600))
        }
        #expect(refused?.status == .serviceUnavailable && !ended.has(name("more")))
        clock.advance(by: .seconds(61))
        try end("more", of: "ada", in: ended, after: .seconds(3_600))
        #expect(ended.has(name("more")) && !ended.has(name("0")))
    }
}
