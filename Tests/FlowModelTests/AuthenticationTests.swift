import FlowModel
import Testing

@Suite(.timeLimit(.minutes(2)))
struct AuthenticationTests {
    @Test("the strongest context, every method once and the latest time describe an authentication")
    func summary() {
        let authentication = Authentication(
            user: UserID(oid: "o"),
            proofs: [
                Proof(check: "UserLogin", credential: .password, at: 10, acr: "9", amr: ["pwd"]),
                Proof(check: "Pin", credential: Credential(rawValue: "pin"), at: 30, acr: "10", amr: ["pin", "pwd"]),
            ]
        )
        #expect(authentication.acr == "10")
        #expect(authentication.amr == ["pwd", "pin"])
        #expect(authentication.authTime == 30)
    }
}
