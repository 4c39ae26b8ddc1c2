import Moments
import OAuth
import OpenIDClient
import TestSupport
import Testing

@testable import TablesSignIn

@Suite(.timeLimit(.minutes(1)))
struct PendingSignInTests {
    private let pending = PendingSignIns(most: 12, mostOfPlace: 4)
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

    @Test("a sign-in is taken once, by the browser that has its cookie, and within ten minutes") func once() {
        for state in ["a", "b"] { pending.add(signIn(state), of: "uid 1", at: time.now) }
        #expect(pending.take("a", cookies: [Secret("cookie of b")], at: time.now) == nil)
        #expect(pending.take("a", cookies: [], at: time.now) == nil)
        #expect(isThere("a") && !isThere("a"))
        time.advance(by: .seconds(601))
        #expect(!isThere("b"))
    }

    @Test("a place that begins more than its share loses its oldest, and nobody else's") func share() {
        pending.add(signIn("other"), of: "uid 2", at: time.now)
        for number in 0...4 {
            time.advance(by: .milliseconds(1))
            pending.add(signIn("s\(number)"), of: "uid 1", at: time.now)
        }
        #expect(!isThere("s0") && isThere("s1") && isThere("s\(4)") && isThere("other"))
    }

    @Test("where all have as many as they may, the place that has most loses its oldest") func crowd() {
        pending.add(signIn("first"), of: "lonely", at: time.now)
        var number = 0
        while number < 12 {
            time.advance(by: .milliseconds(1))
            pending.add(signIn("s\(number)"), of: "place \(number / 4)", at: time.now)
            number += 1
        }
        #expect(isThere("first") && isThere("s\(number - 1)"))
    }
}

extension Completion {
    /// The end in the window itself.
    fileprivate static var here: Completion {
        Completion(prefix: "/.auth/login", page: nil)
    }
}
