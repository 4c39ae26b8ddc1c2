import AuthorityStore
import FlowModel
import OAuth
import OpenIDClient
import Policies
import TestSupport
import Testing

@testable import Flows

/// Tests how users link and unlink an external account, with the flow machine alone.
@Suite(.timeLimit(.minutes(1)))
struct FlowMachineLinkingTests {
    private static let identity = ProviderIdentity(
        provider: "partner",
        issuer: "https://partner.example",
        subject: "1",
        attributes: ["email": "jo@example.org"]
    )
    private static let other = ProvenPerson(
        user: UserID(oid: "22222222-2222-4222-8222-222222222222"),
        username: "ann@example.org",
        displayName: "Ann",
        address: nil
    )

    private func rig(_ change: CredentialChange = .link(provider: "partner")) -> Rig {
        Rig(
            Samples.policy(.signIn),
            requirement: Requirement(user: .user(Samples.jo.user), change: change),
            presentation: Presentation().inBrowser
        )
    }

    @Test(
        "the account's own checks come first, then the redirect to the provider, and no other action is offered there"
    )
    func order() {
        let rig = rig()
        #expect(rig.step?.type == .password && rig.step?.actions.contains { $0.name == .choose } == false)
        rig.submit(["username": "jo@example.org", "password": "wrong"])
        rig.happen(.evaluated(.wrong))
        #expect(rig.step?.type == .password && rig.plan.providerToLink == nil)
        rig.passwordRight()
        #expect(rig.step?.type == .provider && rig.step?.title == "Link an account from another service")
        #expect(rig.step?.data == ["provider": "partner", "purpose": "link"])
        #expect(rig.step?.actions.map(\.name) == [.cancel, .choose])
        rig.happen(.acted(step: rig.step?.id ?? "", id: "c1", action: "choose", value: "elsewhere"))
        #expect(rig.refusal?.reason == .invalidAnswer)
        rig.happen(.acted(step: rig.step?.id ?? "", id: "c2", action: "choose", value: "partner"))
        #expect(rig.step?.type == .provider)
        rig.return(code: "c")
        rig.happen(.evaluated(.identified(Self.identity, nil, names: [])))
        let finish = rig.finish
        #expect(finish?.changes == [.link(Self.identity.row, isOnlyOne: true), .forget(.password)])
        #expect(finish?.user == Samples.jo.user)
        #expect(finish?.newUser == nil && finish?.edit == nil && finish?.withdrawn == nil)
        #expect(rig.audited(.credentialEnrolled) == ["credential": "federated", "provider": "partner"])
    }

    @Test("a response to an earlier redirect is rejected") func state() {
        let rig = rig()
        rig.passwordRight()
        rig.submit(["state": "another", "code": "c"])
        #expect(rig.refusal?.reason == .invalidAnswer && rig.work == nil)
    }

    @Test(
        "an identity that is already linked is rejected with a message, and users are not found by e-mail address"
    )
    func taken() {
        for (person, word) in [
            (Self.other, "linked to a different account"), (Samples.jo, "already linked to your account"),
        ] {
            let rig = rig()
            rig.passwordRight()
            rig.return(code: "c")
            rig.happen(.evaluated(.identified(Self.identity, person, names: ["jo@example.org"])))
            #expect(rig.record.state == .failed(.denied) && rig.finish == nil)
            #expect(rig.record.phase.end?.message?.contains(word) == true, "\(rig.record.phase.end?.message ?? "")")
        }
    }

    @Test("the second of two simultaneous links is rejected with a message") func meanwhile() {
        let rig = rig()
        rig.passwordRight()
        rig.return(code: "c")
        rig.happen(.nameTaken)
        #expect(rig.record.state == .failed(.denied) && rig.finish == nil)
        #expect(rig.record.phase.end?.message?.contains("was linked in the meantime") == true)
    }

    @Test("a provider that rejects the user can be tried again, and links nothing") func denied() {
        let rig = rig()
        rig.passwordRight()
        rig.return(error: "access_denied")
        rig.happen(.evaluated(.wrong))
        #expect(rig.step?.type == .provider && rig.step?.messages.map(\.code) == ["provider.denied"])
        rig.act("cancel")
        #expect(rig.record.state == .cancelled && rig.finish == nil)
    }

    @Test("an account is unlinked after the account's own checks, and tokens that name it are revoked") func unlink() {
        let rig = rig(.unlink(provider: "partner"))
        #expect(rig.step?.type == .password)
        rig.passwordRight()
        #expect(rig.finish?.unlinked == "partner" && rig.finish?.links.isEmpty == true)
        #expect(rig.finish?.withdrawn == .profile && rig.finish?.edit == nil)
        #expect(rig.audited(.credentialRemoved) == ["credential": "federated", "provider": "partner"])
        let kept = rig.machine.reduce(rig.record, .lastWayIn, now: rig.clock.now).record
        #expect(kept.phase.end?.message?.contains("only way to sign in") == true)
    }

    @Test("a user other than the account's is rejected before the redirect to the provider") func wrongUser() {
        let rig = rig()
        rig.submit(["username": "ann@example.org", "password": "right"])
        rig.happen(.evaluated(.right(Self.other, names: ["ann@example.org"])))
        #expect(rig.record.state == .failed(.wrongUser))
    }
}

extension Rig {
    /// Submits the parameters with which the provider redirects the browser back.
    fileprivate func `return`(code: String? = nil, error: String? = nil) {
        var answers: [String: JSONValue] = ["state": .string(plan.providerRequest?.state ?? "")]
        answers["code"] = code.map { .string($0) }
        answers["error"] = error.map { .string($0) }
        submit(answers)
    }

    /// Returns the details of the first audited event of this kind, or `nil` if there is none.
    fileprivate func audited(_ kind: AuditKind) -> [String: String]? {
        transition.audit.first { $0.kind == kind }?.detail
    }
}
