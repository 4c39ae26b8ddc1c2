import Attempts
import AuthorityStore
import FlowModel
import Foundation
import Moments
import OAuth
import Policies
import TestSupport

@testable import Flows

/// A flow that runs on the flow machine alone, without a store.
final class Rig {
    let clock = TestClock()
    let machine: FlowMachine
    var record: FlowRecord
    /// The result of the latest event.
    var transition: Transition
    private var submissions = 0

    init(
        _ policy: Policy = Samples.signUpOrIn,
        checks: [Check] = Samples.checks,
        requirement: Requirement = Requirement(),
        prefill: [String: JSONValue] = [:],
        person: ProvenPerson? = nil,
        presentation: Presentation? = nil,
        owner: Owner = .local(machine: "m", uid: 1000),
        bringsToken: Bool = false,
        sessionProofs: [Proof] = []
    ) {
        let catalogue = PolicyCatalogue(policies: [policy], checks: checks)
        machine = FlowMachine(
            policy: policy,
            catalogue: catalogue,
            runner: "run-1",
            today: CalendarDay(secondsSince1970: clock.now.seconds)
        )
        let isSignUp = policy.kind == .signUp || requirement.entrance == .create
        let order = FlowOrder(
            id: "fl_1",
            seed: Data(repeating: 7, count: 32),
            owner: owner,
            client: "tasks-cli",
            policy: policy,
            requirement: requirement,
            ends: Deadline(FlowLimits.flowLife, after: clock.now),
            bringsToken: bringsToken,
            presentation: presentation ?? Presentation()
        )
        var known = FlowFacts(path: FlowFacts.Path(policy.kind, signsUp: isSignUp), person: person)
        known.sessionProofs = sessionProofs
        let fresh = FlowRecord(
            order: order,
            phase: .evaluating(machine.claim("", now: clock.now), over: nil),
            known: known,
            inHand: InHand(prefill: prefill)
        )
        transition = machine.reduce(fresh, .began, now: clock.now)
        record = transition.record
    }

    var plan: FlowPlan { machine.plan(record) }

    var view: FlowView { machine.view(record) }

    /// The flow as its owner sees it now.
    var flow: Flow { machine.view(machine.reduce(record, .timePassed, now: clock.now).record).flow() }

    var step: Step? { flow.step }

    func happen(_ event: FlowEvent) {
        transition = machine.reduce(record, event, now: clock.now)
        record = transition.record
    }

    func submit(_ answers: [String: JSONValue], step: String? = nil, id: String? = nil) {
        submissions += 1
        happen(.submitted(step: step ?? self.step?.id ?? "", id: id ?? "s\(submissions)", answers: answers))
    }

    func act(_ action: String, step: String? = nil, id: String? = nil) {
        submissions += 1
        happen(.acted(step: step ?? self.step?.id ?? "", id: id ?? "s\(submissions)", action: action))
    }

    /// The refusal that the latest event caused.
    var refusal: Refusal? { transition.refusal }

    var verdict: Verdict? { transition.verdict }

    var work: Evaluation? { transition.evaluation }

    /// The recipient of the code that the flow requests, or `nil` if the flow requests none.
    var recipient: CodeRecipient? {
        if case .makeCode(let recipient, _) = work { recipient } else { nil }
    }

    /// The changes of the latest event.
    ///
    /// The value is `nil` if the event neither ended the flow successfully nor changed the account.
    var finish: Finish? {
        let succeeds = transition.audit.contains { $0.kind == .flowSucceeded }
        return succeeds || !transition.changes.isEmpty ? Finish(record: record, changes: transition.changes) : nil
    }

    var mails: [MailDraft] { transition.mails }

    /// Runs a sign-in until the password has been accepted.
    func passwordRight(_ person: ProvenPerson = Samples.jo, names: [String] = ["jo@example.org"]) {
        submit(["username": "jo@example.org", "password": "right"])
        happen(.evaluated(.right(person, names: names)))
    }

    /// Runs a sign-up until the code step.
    func signUp(_ extra: [String: JSONValue] = [:]) {
        submit(Samples.attributes.merging(extra) { $1 })
        happen(.evaluated(.hashed(Data("$argon2id$".utf8))))
        if let recipient { happen(.evaluated(.codeMade(Samples.code(recipient)))) }
    }
}

/// The changes that the latest transition of a flow makes.
struct Finish {
    let record: FlowRecord
    let changes: [AccountChange]

    var user: UserID { record.user ?? UserID(oid: "") }
    var session: String? { record.outcome?.session }
    var authentication: Authentication { record.authentication ?? Authentication(user: user, proofs: []) }
    var newUser: UserRecord? { changes.newUser }
    var edit: AccountEdit? { changes.edit }
    var withdrawn: AccountEdit? { changes.withdrawn }

    /// The identities that the changes link to the user.
    var links: [FederatedIdentity] {
        changes.compactMap { if case .link(let identity, _) = $0 { identity } else { nil } }
    }

    /// The stored secret of the PIN that the changes set.
    var pin: Data? {
        for case .enrol(let enrolment) in changes where enrolment.credential == .pin {
            return enrolment.secret.revealBytes()
        }
        return nil
    }

    /// The authenticator that the changes add.
    var authenticator: Authenticator? {
        for case .addAuthenticator(let authenticator, _) in changes { return authenticator }
        return nil
    }

    var removed: Credential? {
        for case .remove(let credential) in changes { return credential }
        return nil
    }

    var unlinked: String? {
        for case .unlink(let provider, _) in changes { return provider }
        return nil
    }

    var profile: [String: JSONValue]? {
        for case .editProfile(let attributes) in changes { return attributes }
        return nil
    }
}

enum Samples {
    static let checks = [
        Check(name: "UserLogin", type: .password, maxAttempts: 3, blockedStateExpiration: .seconds(10)),
        Check(name: "EmailCode", type: .emailCode, acr: "2"),
    ]

    static let jo = ProvenPerson(
        user: UserID(oid: "11111111-1111-4111-8111-111111111111"),
        username: "jo@example.org",
        displayName: "Jo",
        address: "jo@example.org"
    )

    static let attributeRules = [
        AttributeRule(name: "email", required: true, verify: true),
        AttributeRule(name: "displayName", required: true),
        AttributeRule(name: "city"),
        AttributeRule(name: "extension_team", options: ["red", "blue"]),
        AttributeRule(name: "extension_age", kind: .int),
        AttributeRule(name: "extension_news", kind: .boolean),
    ]

    static let attributes: [String: JSONValue] = [
        "email": "jo@example.org", "displayName": "Jo", "password": "Secret123",
    ]

    static let signUpOrIn = policy(.signUpOrSignIn)

    static func policy(
        _ kind: PolicyKind,
        signInName: Policies.SignInName = .email,
        attributes: [AttributeRule] = attributeRules,
        signInChecks: [String] = ["UserLogin"],
        session: SessionRule = SessionRule(),
        displayName: String = "Tasks"
    ) -> Policy {
        do {
            return Policy(
                id: try PolicyID("b2c_1_\(kind.rawValue.replacing("-", with: "_"))"),
                kind: kind,
                displayName: displayName,
                signInName: signInName,
                attributes: attributes,
                session: session,
                signInChecks: signInChecks,
                checks: Dictionary(uniqueKeysWithValues: checks.map { ($0.name, $0) })
            )
        } catch { preconditionFailure("the sample's id is one") }
    }

    static func code(_ recipient: CodeRecipient, mac: String = "mac") -> MadeCode {
        let (address, subject, purpose, person): (String, Subject, SentCode.Purpose, ProvenPerson?) =
            switch recipient {
            case .newAddress(let address), .attributeAddress(let address):
                (address, .name(address), .verifyAddress, nil)
            case .person(let person, let check): (person.username, .user(person.user), .check(check), person)
            case .name(let name, let check, _): (name, .name(name), .check(check), nil)
            }
        return MadeCode(
            address: address,
            subject: subject,
            purpose: purpose,
            person: person,
            mac: Data(mac.utf8),
            context: "c",
            mail: .code(to: address, code: Secret("123456"))
        )
    }
}
