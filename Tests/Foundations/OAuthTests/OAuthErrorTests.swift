import OAuth
import Testing

@Suite(.timeLimit(.minutes(2)))
struct OAuthErrorTests {
    @Test("codes are spelled as registered") func codes() {
        #expect(OAuthError.Code.allCases.allSatisfy { $0.rawValue.allSatisfy { $0.isLowercase || $0 == "_" } })
        #expect(OAuthError.Code(rawValue: "insufficient_user_authentication") == .insufficientUserAuthentication)
    }

    @Test(
        "each code has its HTTP status",
        arguments: [
            (OAuthError.invalidRequest("x"), 400), (.invalidClient(detail: "x"), 401),
            (.invalidToken(detail: "x"), 401),
            (.insufficientScope("x"), 403), (.serverError(detail: "x"), 500),
            (OAuthError(code: .invalidGrant, description: "x"), 400),
            (OAuthError(code: .temporarilyUnavailable, description: "x"), 503),
            (OAuthError(code: .loginRequired, description: "x"), 400),
        ]
    )
    func status(_ error: OAuthError, _ status: Int) {
        #expect(error.status == status)
    }

    @Test("the log detail never appears in the description") func detail() {
        let error = OAuthError.invalidToken(detail: "family 12 was reused")
        #expect(error.description == "the access token is not valid")
        #expect(error.detail == "family 12 was reused")
    }
}
