import Authority
import FlowModel
import OAuth
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RefusalAnswerTests {
    @Test(
        "a client gets B2C's error number with a refusal, at the endpoint for browsers and at those for programs",
        arguments: [
            (.providerProtocol, .accessDenied, 90273), (.providerUnavailable, .temporarilyUnavailable, 90289),
            (.storageFailed, .temporarilyUnavailable, 90035), (.shuttingDown, .temporarilyUnavailable, 90035),
            (.limitExceeded, .temporarilyUnavailable, 90244), (.blocked, .accessDenied, 90114),
            (.scopeDenied, .invalidScope, 90117),
        ] as [(Refusal.Reason, OAuthError.Code, Int)]
    )
    func number(_ reason: Refusal.Reason, _ code: OAuthError.Code, _ number: Int) {
        for endpoint in [OAuthError.Answering.authorizationEndpoint, .programEndpoint] {
            let error = OAuthError(Refusal(reason, Text(exactly: "the sentence")).because("the cause"), from: endpoint)
            #expect(error.code == code)
            #expect(error.description == "AADB2C\(number): the sentence")
            // The detail is only logged. It is not part of the response.
            #expect(error.detail == "the cause")
        }
    }
}
