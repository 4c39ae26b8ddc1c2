import Attempts
import FlowModel
import Foundation
import Moments
import OAuth
import Policies
import TestSupport

@testable import Flows

/// A flow without a store: the machine, its clocks, and what it wanted last.
final class Rig {
    let clock = TestClock()
    let machine: FlowMachine
    var state: FlowRunState
    var effects: [FlowEffect] = []
    private var submissions = 0

    init(
        _ policy: Policy = Samples.signUpOrIn,
        checks: [Check] = Samples.checks,
        requirement: Requirement = Requirement(),
        prefill: [String: JSONValue] = [:],
        person: ProvenPerson? = nil,
        presentation: Presentation? = nil,
        owner: Owner = .local(machine: "m", uid: 1000),
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
        var fresh = FlowRunState(
            id: "fl_1",
            seed: Data(repeating: 7, count: 32),
            owner: owner,
            client: "tasks-cli",
            policy: policy.id,
            policyDigest: policy.digest,
            requirement: requirement,
            want: Flow.Want(),
            pendingRequest: nil,
            ends: Deadline(FlowLimits.flowLife, after: clock.now),
            path: Flows.path(policy.kind, signsUp: isSignUp),
            prefill: prefill
        )
        fresh.person = person
        fresh.presentation = presentation
        fresh.sessionProofs = sessionProofs
        (state, effects) = machine.reduce(fresh, .began, now: clock.now)
    }

    var context: FlowContext { machine.context(state) }

    /// The flow as its owner sees it now.
    var flow: Flow { machine.context(machine.reduce(state, .timePassed, now: clock.now).0).view() }

    var step: Step? { flow.step }

    func happen(_ event: FlowEvent) {
        (state, effects) = machine.reduce(state, event, now: clock.now)
    }

    func submit(_ answers: [String: JSONValue], step: String? = nil, id: String? = nil) {
        submissions += 1
        happen(.submitted(step: step ?? self.step?.id ?? "", id: id ?? "s\(submissions)", answers: answers))
    }

    func act(_ action: String, step: String? = nil, id: String? = nil) {
        submissions += 1
        happen(.acted(step: step ?? self.step?.id ?? "", id: id ?? "s\(submissions)", action: action))
    }

    /// What the caller was told no with.
    var refusal: Refusal? {
        for case .refuse(let refusal) in effects { return refusal }
        return nil
    }

    var verdict: Verdict? {
        for case .answer(let verdict) in effects { return verdict }
        return nil
    }

    var work: Evaluation? {
        for case .evaluate(let work) in effects { return work }
        return nil
    }

    /// Whom a code is wanted for.
    var recipient: CodeRecipient? {
        if case .makeCode(let recipient, _) = work { recipient } else { nil }
    }

    var finish: FinishPlan? {
        for case .finish(let finish) in effects { return finish }
        return nil
    }

    var mails: [MailDraft] {
        effects.compactMap { if case .mail(let mail) = $0 { mail } else { nil } }
    }

    /// Signs in up to the point where the password was right.
    func passwordRight(_ person: ProvenPerson = Samples.jo, names: [String] = ["jo@example.org"]) {
        submit(["username": "jo@example.org", "password": "right"])
        happen(.evaluated(.right(person, names: names)))
    }

    /// Answers a sign-up up to its code step.
    func signUp(_ extra: [String: JSONValue] = [:]) {
        submit(Samples.attributes.merging(extra) { $1 })
        happen(.evaluated(.hashed(Data("$argon2id$".utf8))))
        if let recipient { happen(.evaluated(.codeMade(Samples.code(recipient)))) }
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
