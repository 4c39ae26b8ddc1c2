import Attempts
import AuthorityStore
import CustomIdentity
import FlowModel
import Moments
import OAuth
import OpenIDClient
import Policies

/// The step that prompts the user to answer a challenge from a custom identity provider.
struct ExternalStep: StepKind {
    struct Answer {
        let value: JSONValue
        let stateID: String?
        let check: Check
    }

    /// The name of the node for the answer to a challenge that does not name its fields.
    static let anything = "*"
    /// The maximum number of fields in a challenge.
    static let mostFields = 16
    /// The maximum length of the answer to one field, in characters.
    static let longestAnswer = 1024

    let type = StepType.external
    let checkType: CheckType? = .customIdentityProvider
    let texts = StepTexts(title: .externalTitle)

    func begin(_ run: inout FlowRun) -> Bool {
        guard let check = run.plan.nextCheck, check.type == checkType else { return false }
        run.record.inHand.conversation.challenge = nil
        run.evaluate(.realm(.startAuthorization, check))
        return true
    }

    func nodes(_ view: FlowView) -> [Node] {
        let fields = Self.fields(view.record.inHand.conversation.challenge)
        guard !fields.isEmpty else {
            return [Node(name: Self.anything, kind: .json, label: view.texts[.externalAnswer], required: true)]
        }
        return fields.map {
            let kind: Node.Kind = Self.isSecret($0) ? .secret : .text
            return Node(name: $0, kind: kind, label: $0, required: true, maxLength: Self.longestAnswer)
        }
    }

    func data(_ record: FlowRecord) -> JSONValue? {
        [
            "realm": record.inHand.conversation.realm.map { .string($0) } ?? .null,
            "challenge": record.inHand.conversation.challenge?.data ?? .null,
        ]
    }

    func budget(_ plan: FlowPlan) -> StepBudget? {
        plan.realmBudget
    }

    /// Reads the answers to the challenge's fields or, if it names none, any answers or the text of one JSON object.
    func read(_ answers: Answers, _ run: FlowRun) throws(Answers.Refused) -> Answer {
        var answers = answers
        let fields = Self.fields(run.record.inHand.conversation.challenge)
        var value: JSONValue?
        if fields.isEmpty {
            let given = answers.takeAll()
            if case .string(let text)? = given[Self.anything], given.count == 1 {
                value = (try? StrictJSON.parse(Array(text.utf8))).flatMap { $0.object == nil ? nil : $0 }
                if value == nil { answers.note(Self.anything, .malformed) }
            } else if given.isEmpty {
                answers.note(Self.anything, .missing)
            } else {
                value = .object(given)
            }
        } else {
            var members: [String: JSONValue] = [:]
            for field in fields {
                members[field] = answers.text(field, most: Self.longestAnswer).map { .string($0) }
            }
            value = .object(members)
        }
        try answers.finish()
        guard let value, let check = run.plan.check else { throw .malformed([]) }
        return Answer(value: value, stateID: run.record.inHand.conversation.challenge?.stateID, check: check)
    }

    func take(_ answer: Answer, _ run: inout FlowRun) {
        // The first challenge that names its fields determines which field contains the user name in all answers.
        // Otherwise, a caller could choose the user that a wrong answer is counted against.
        let field = run.record.inHand.conversation.nameField ?? Self.nameField(run.record.inHand.conversation.challenge)
        run.record.inHand.conversation.nameField = field
        if let field, let name = answer.value[field]?.string {
            run.record.inHand.conversation.name = String(name.prefix(FlowLimits.nameLength))
        }
        run.evaluate(.realm(.handleChallengeAnswer(answer.value, stateID: answer.stateID), answer.check))
    }

    /// Returns the name of the field `username` or, if there is none, of the first field that is not secret.
    private static func nameField(_ challenge: RealmChallenge?) -> String? {
        let fields = fields(challenge)
        return fields.contains("username") ? "username" : fields.first { !isSecret($0) }
    }

    /// Returns the names of the fields in a challenge, or an empty array if the challenge does not name its fields.
    private static func fields(_ challenge: RealmChallenge?) -> [String] {
        guard let items = challenge?.data["fields"]?.array, items.count <= mostFields else { return [] }
        let names = items.compactMap(\.string).filter(isName)
        return Set(names).count == items.count ? names : []
    }

    /// Whether a field can have this name, which must not start with the underscore reserved for HTML forms.
    private static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= FlowLimits.idLength && !name.hasPrefix("_")
            && name.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || $0.properties.numericType != nil || "._-".unicodeScalars.contains($0)
            }
    }

    private static let secretNames = [
        "password", "passwd", "pwd", "pw", "passwort", "kennwort", "passphrase", "passcode", "secret", "pin", "otp",
        "code", "token",
        "key",
    ]

    private static func isSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        return secretNames.contains { name.hasSuffix($0) }
    }

    func said(_ found: RealmFinding, _ check: Check, _ run: inout FlowRun) {
        guard let people = check.people else { return run.fail(.internal) }
        switch found {
        case .challenge(let challenge): ask(challenge, check, &run)
        case .failure:
            run.audit(.signInFailed, ["check": check.name])
            // If the provider rejects an answer, the reason `denied` says enough. If it rejects the user before any
            // prompt, a refusal explains why the flow failed.
            let isAnswered = run.record.step?.check == check.name
            if isAnswered { run.fail(.denied) } else { run.fail(with: Refusals.noWayIn(check)) }
        case .person(let identity, let person, let names): knows(identity, person, names: names, check, people, &run)
        }
    }

    private func ask(_ challenge: RealmChallenge, _ check: Check, _ run: inout FlowRun) {
        run.record.inHand.conversation.realm = check.realm?.name
        // The submitted user name stays until the user submits another user name or the exchange ends.
        let before = run.record.inHand.conversation.challenge?.stateID
        run.record.inHand.conversation.challenge = challenge.named(before)
        let text = challenge.data["text"]?.string ?? challenge.data["message"]?.string
        let said = text.map { [Message(code: "realm.says", level: .info, text: $0)] } ?? []
        let remark = [run.record.inHand.remark].compactMap { $0 }
        run.record.inHand.remark = nil
        run.open(self, check: check.name, messages: said + remark)
    }

    /// Signs in the identified user, links the identity to the flow's user, or creates an account if permitted.
    ///
    /// `person` is the account with the same realm and user name, or `nil` if there is none.
    private func knows(
        _ identity: ExternalIdentity,
        _ person: ProvenPerson?,
        names: [String],
        _ check: Check,
        _ people: String,
        _ run: inout FlowRun
    ) {
        let known = ProviderIdentity(
            provider: check.name,
            issuer: people,
            subject: identity.userName,
            attributes: identity.displayName.map { ["displayName": $0] } ?? [:]
        )
        if let person {
            guard run.accept(person, names: names) else { return }
            guard run.record.inHand.draft == nil else { return run.wrongUser() }
            run.record.known.person = person
            if run.record.known.path == .signUp { run.record.known.path = .signIn }
        } else if run.record.known.person != nil || run.record.inHand.draft != nil {
            run.record.inHand.newIdentity = known
        } else {
            switch run.record.order.requirement.user {
            case .user, .signInName: return run.wrongUser()
            case .hint, nil: break
            }
            guard run.machine.policy.kind.signsUp else { return run.fail(with: Refusals.noAccountOfRealm(check)) }
            guard run.machine.signUp != .closed else { return run.fail(with: Refusals.signUpClosed) }
            run.record.known.path = .signUp
            run.record.inHand.draft = Draft(known)
        }
        run.record.inHand.conversation = Conversation()
        run.prove(check, identity: identity)
        run.audit(.credentialAccepted, ["credential": check.credential.rawValue])
        run.advance()
    }
}

extension FlowPlan {
    var realmBudget: StepBudget? {
        guard let check, let people = check.people else { return nil }
        return StepBudget(check: check, holder: record.realmNamed(people).map { .subject($0) })
    }
}

extension FlowRecord {
    /// Returns the subject that wrong answers are counted against.
    ///
    /// This is the flow's user or, if the user is not known yet, the name that was entered for the realm `people` or,
    /// if no name was entered, the origin.
    func realmSubject(_ people: String) -> Subject { realmNamed(people) ?? .name("\(people) \(origin.key)") }

    /// Returns the flow's user or, if the user is not known yet, the name that was entered for the realm `people`.
    func realmNamed(_ people: String) -> Subject? {
        if let person = known.person { return .user(person.user) }
        return inHand.conversation.name.map { .name("\(people) \($0)") }
    }
}

/// An evaluation that calls a custom identity provider, which alone knows which answers are wrong.
///
/// Each answer counts as wrong until the exchange succeeds, and is refunded if the provider cannot evaluate it.
struct AskRealm {
    let evaluator: Evaluator

    func prepare(_ call: RealmCall, _ check: Check, _ record: FlowRecord) async throws -> PreparedEvaluation {
        guard let realms = evaluator.realms, let realm = check.realm else { throw Refusals.noProvider }
        switch call {
        case .startAuthorization:
            if let named = record.realmNamed(realm.issuer) {
                try await evaluator.requireAttempts(check, named, origin: record.origin)
            }
            return .free { try await run(call, at: realm, realms, nil, check, record) }
        case .handleChallengeAnswer:
            let subject = record.realmSubject(realm.issuer)
            return .attempt(AttemptCharge(check, subject, origin: record.origin)) { ticket in
                try await run(call, at: realm, realms, ticket, check, record)
            }
        }
    }

    private func run(
        _ call: RealmCall,
        at realm: CustomRealm,
        _ realms: RealmCalls,
        _ ticket: ChargeTicket?,
        _ check: Check,
        _ record: FlowRecord
    ) async throws -> EvaluationOutcome {
        let (subject, origin) = (record.realmSubject(realm.issuer), record.origin)
        do {
            let answer = try await realms.client.ask(
                realm,
                call,
                headers: Self.headers(realm, record),
                from: origin.key
            )
            return try await evaluated(answer, realm, ticket, check, subject, origin)
        } catch let error as ProviderError {
            if let ticket {
                try await evaluator.attempts.giveBack(
                    ticket,
                    check: CheckBudget(check),
                    subject: subject,
                    origin: origin
                )
            }
            throw Refusal(error, ofProvider: realm.name)
        }
    }

    private func evaluated(
        _ answer: RealmAnswer,
        _ realm: CustomRealm,
        _ ticket: ChargeTicket?,
        _ check: Check,
        _ subject: Subject,
        _ origin: Origin
    ) async throws -> EvaluationOutcome {
        switch answer {
        case .challenge(let challenge):
            if ticket?.isLast == true,
                case .exhausted(let wait) = try await evaluator.wrong(check, subject, origin: origin)
            {
                return EvaluationOutcome(finding: .exhausted(retryAfterMs: wait))
            }
            return EvaluationOutcome(finding: .realm(.challenge(challenge), check))
        case .failure: return EvaluationOutcome(finding: .realm(.failure, check))
        case .success(let identity):
            return try await evaluator.found(
                identity,
                of: realm.issuer,
                check,
                settled: Settlement(charges: ticket?.settled ?? [])
            )
        }
    }

    private static func headers(_ realm: CustomRealm, _ record: FlowRecord) -> [String: String] {
        var headers: [String: String] = [:]
        for header in realm.passHeaders {
            switch header {
            case .acceptLanguage: headers[header.rawValue] = record.order.presentation.language?.rawValue
            case .clientID: headers[header.rawValue] = record.order.client
            case .policy: headers[header.rawValue] = record.order.policy.description
            }
        }
        return headers
    }
}

extension Evaluator {
    /// Returns the outcome for an identified user's account, which is a failure if the account is disabled.
    func found(
        _ identity: ExternalIdentity,
        of people: String,
        _ check: Check,
        settled: Settlement
    ) async throws -> EvaluationOutcome {
        let user = try await store.identities.user(issuer: people, subject: identity.userName)
        guard user?.enabled != false else {
            return EvaluationOutcome(finding: .realm(.failure, check), settled: Settlement(uses: settled.uses))
        }
        let names = user?.signInNames.map(\.value) ?? []
        return EvaluationOutcome(
            finding: .realm(.person(identity, user.map { ProvenPerson($0) }, names: names), check),
            settled: settled
        )
    }
}
