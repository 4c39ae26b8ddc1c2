import FlowModel
import OAuth
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

    @Test("what is stored of a proof is all of it: the client that it was given to, and whom a provider knows")
    func stored() {
        let person = ExternalIdentity(realm: "corp", userName: "john", displayName: "John", attributes: ["a": 1])
        for client in [nil, "tasks-cli"] {
            let proof = Proof(
                check: "Pin",
                credential: .pin,
                at: 5,
                acr: "2",
                amr: ["pin"],
                client: client,
                identity: person
            )
            #expect(Proof(json: proof.json) == proof)
        }
    }
}
