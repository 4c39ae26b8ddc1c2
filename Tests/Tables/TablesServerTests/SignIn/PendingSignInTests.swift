import Moments
import OAuth
import OpenIDClient
import Origins
import TestSupport
import Testing

@testable import TablesServer

@Suite(.timeLimit(.minutes(1)))
struct PendingSignInTests {
    private let pending = PendingSignIns(most: 16, mostOfOrigin: 4)
    private let time = TestClock()

    private func signIn(_ state: String) -> PendingSignIns.SignIn {
        PendingSignIns.SignIn(
            registration: ProviderRegistration(
                name: "authority",
                issuer: "https://login.example",
                clientID: "api",
                redirectURI: "https://tasks.example/.auth/login/callback"
            ),
            asked: OutsideDemand(scopes: []),
            secrets: ProviderRequest(state: state, nonce: "n", verifier: Secret("v")),
            cookie: Secret("cookie of \(state)"),
            completion: .here
        )
    }

    private func isThere(_ state: String) -> Bool {
        pending.take(state, cookies: [Secret("x"), Secret("cookie of \(state)")], at: time.now) != nil
    }

    @Test("a sign-in is completed once, by the browser with its cookie, within ten minutes") func once() {
        for state in ["a", "b"] { #expect(add(state, of: "uid 1")) }
        #expect(pending.take("a", cookies: [Secret("cookie of b")], at: time.now) == nil)
        #expect(pending.take("a", cookies: [], at: time.now) == nil)
        #expect(isThere("a") && !isThere("a"))
        time.advance(by: .seconds(601))
        #expect(!isThere("b"))
    }

    @Test("an origin that starts more than its share loses its oldest, and no other origin does") func share() {
        #expect(add("other", of: "uid 2"))
        for number in 0...4 {
            time.advance(by: .milliseconds(1))
            #expect(add("s\(number)", of: "uid 1"))
        }
        #expect(!isThere("s0") && isThere("s1") && isThere("s\(4)") && isThere("other"))
    }

    private func add(_ state: String, of name: String) -> Bool {
        pending.add(signIn(state), of: OriginLevels(peerName: name), at: time.now)
    }

    @Test("128 networks of one site share a quarter, and another site's sign-in continues") func site() {
        #expect(add("first", of: "lonely"))
        for number in 0..<128 {
            time.advance(by: .milliseconds(1))
            _ = add("s\(number)", of: "20010db80001" + String(0x1000 + number, radix: 16))
        }
        #expect((0..<128).count { isThere("s\($0)") } == 4)
        #expect(add("late", of: "20010db800020000"))
        #expect(isThere("first") && isThere("late"))
    }

    @Test("if there are too many, the network with the most loses its newest") func crowd() {
        #expect(add("first", of: "lonely"))
        for number in 0..<11 {
            time.advance(by: .milliseconds(1))
            #expect(add("s\(number)", of: "place \(number % 3)"))
        }
        #expect(add("late", of: "another"))
        #expect(isThere("first") && isThere("late"))
        #expect((0..<11).count { isThere("s\($0)") } == 10)
    }

    @Test("a quarter is reserved for origins with a completed sign-in") func known() {
        pending.succeeded(at: OriginLevels(peerName: "uid 7"), time.now)
        for number in 0..<40 { _ = add("s\(number)", of: "place \(number)") }
        #expect(!add("new", of: "uid 8"))
        #expect(add("known", of: "uid 7") && isThere("known"))
    }
}

extension Completion {
    /// A completion without a page that receives the result, so that the result is only in the URL.
    fileprivate static var here: Completion {
        Completion(prefix: "/.auth/login", page: nil)
    }
}
