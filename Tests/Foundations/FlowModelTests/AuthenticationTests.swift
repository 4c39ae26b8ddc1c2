import FlowModel
import Moments
import OAuth
import Testing

@Suite(.timeLimit(.minutes(2)))
struct AuthenticationTests {
    @Test("an authentication has the strongest context, every method once, and the latest time")
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

    @Test("a passed check is stored completely, with its client and its external identity")
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

    private static let now = Moment(wall: 1_000_000_000, boot: 1, bootID: "b")

    private static func federated(_ elsewhere: ProofElsewhere?) -> Proof {
        Proof(
            check: "partner",
            credential: .federated,
            at: now.wall,
            acr: "1",
            amr: ["fed"],
            elsewhere: elsewhere
        )
    }

    @Test("the time of an external authentication is the one the provider states, or unknown")
    func elsewhere() throws {
        let device = Proof(check: "device", credential: .device, at: Self.now.wall, acr: "0", amr: [])
        let rows: [(proof: Proof, time: Int64, isFresh: Bool)] = [
            (Self.federated(ProofElsewhere(at: 999_990_000)), 999_990_000, true),
            (Self.federated(ProofElsewhere(at: 913_600_000)), 913_600_000, false),
            (Self.federated(ProofElsewhere(at: 913_600_000, wasAskedAnew: true)), 913_600_000, false),
            (Self.federated(ProofElsewhere(at: nil)), 0, false),
            (Self.federated(ProofElsewhere(at: nil, wasAskedAnew: true)), 0, true),
            // A federated proof without details from the provider is not fresh, and neither is a remembered device.
            (Self.federated(nil), 0, false), (device, 0, false),
        ]
        for row in rows {
            #expect(row.proof.isFresh(within: .seconds(300), at: Self.now) == row.isFresh, "\(row.proof)")
            let stored = try #require(Proof(json: row.proof.json))
            #expect(stored == row.proof)
            let authentication = Authentication(user: UserID(oid: "o"), proofs: [stored, device])
            #expect(authentication.authTime == row.time, "\(row.proof)")
            let day = AuthenticationDemand(acrValues: [], maxAge: 60)
            #expect(day.isRecent(stored.provedAt, at: Self.now) == (row.time == 999_990_000), "\(row.proof)")
        }
        let endless = AuthenticationDemand(acrValues: [], maxAge: .max)
        #expect(!endless.isRecent(nil, at: Self.now) && !endless.isRecent(0, at: Self.now))
        #expect(AuthenticationDemand(acrValues: [], maxAge: nil).isRecent(nil, at: Self.now))
    }
}
