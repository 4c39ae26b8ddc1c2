import Attempts
import CustomIdentity
import FlowModel
import Moments
import OAuth
import OpenIDClient
import Policies

/// Asks what a custom identity provider asks, in the provider's own words.
struct ExternalStep: StepKind {
    /// An answer, and the conversation that it goes on with.
    struct Answer {
        let value: JSONValue
        let stateID: String?
        let check: Check
    }

    /// The node of an answer whose form only the provider knows.
    static let anything = "*"
    /// The most fields that a provider may ask for.
    static let mostFields = 16
    /// The longest answer to one field, in characters.
    static let longestAnswer = 1024

    let type = StepType.external
    let checkType: CheckType? = .customIdentityProvider
    let texts = StepTexts(title: .externalTitle)

    /// Asks the provider first what it asks.
    func begin(_ run: inout FlowRun) -> [FlowEffect]? {
        guard let check = run.context.nextCheck, check.type == checkType else { return nil }
        run.state.challenge = nil
        return [.evaluate(.realm(.startAuthorization, check))]
    }

    func nodes(_ context: FlowContext) -> [Node] {
        let fields = Self.fields(context.state.challenge)
        guard !fields.isEmpty else {
            return [Node(name: Self.anything, kind: .json, label: context.texts[.externalAnswer], required: true)]
        }
        return fields.map {
            let kind: Node.Kind = Self.isSecret($0) ? .secret : .text
            return Node(name: $0, kind: kind, label: $0, required: true, maxLength: Self.longestAnswer)
        }
    }

    func data(_ state: FlowRunState) -> JSONValue? {
        ["realm": state.realm.map { .string($0) } ?? .null, "challenge": state.challenge?.data ?? .null]
    }

    func budget(_ context: FlowContext) -> StepBudget? {
        context.realmBudget
    }

    /// Reads the fields that the provider named; where it named none, the answers as they are, or an object in the place of all.
    func read(_ answers: Answers, _ run: FlowRun) throws(Answers.Refused) -> Answer {
        var answers = answers
        let fields = Self.fields(run.state.challenge)
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
        guard let value, let check = run.context.check else { throw .malformed([]) }
        return Answer(value: value, stateID: run.state.challenge?.stateID, check: check)
    }

    func take(_ answer: Answer, _ run: inout FlowRun) -> [FlowEffect] {
        // The first question that names fields decides where the name stands, and a later answer may give another. In an
        // object whose form only the provider knows, whoever guesses would choose for whom it counts.
        let field = run.state.realmField ?? Self.nameField(run.state.challenge)
        run.state.realmField = field
        if let field, let name = answer.value[field]?.string {
            run.state.realmName = String(name.prefix(FlowLimits.nameLength))
        }
        return [.evaluate(.realm(.handleChallengeAnswer(answer.value, stateID: answer.stateID), answer.check))]
    }

    /// The field that names the person: `username`, or the first of a question that is no secret.
    private static func nameField(_ challenge: RealmChallenge?) -> String? {
        let fields = fields(challenge)
        return fields.contains("username") ? "username" : fields.first { !isSecret($0) }
    }

    /// The names of the fields that a challenge asks for; none if it does not say them.
    private static func fields(_ challenge: RealmChallenge?) -> [String] {
        guard let items = challenge?.data["fields"]?.array, items.count <= mostFields else { return [] }
        let names = items.compactMap(\.string).filter(isName)
        return Set(names).count == items.count ? names : []
    }

    /// True for a name that a page and a terminal can show; forms begin names of their own with an underscore.
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
}

extension FlowContext {
    /// The budget of answers to a provider of one's own.
    var realmBudget: StepBudget? {
        guard let check, let people = check.people else { return nil }
        return StepBudget(check: check, holder: state.realmNamed(people).map { .subject($0) })
    }
}

extension FlowRunState {
    /// The person, or the name that was given to a provider of one's own, for whom answers are counted.
    ///
    /// Where no name is given it is the place, so that nobody uses up what others have left.
    func realmSubject(_ people: String) -> Subject { realmNamed(people) ?? .name("\(people) \(origin.key)") }

    /// The same; nil until it is known.
    func realmNamed(_ people: String) -> Subject? {
        if let person { return .user(person.user) }
        return realmName.map { .name("\(people) \($0)") }
    }
}

extension FlowRun {
    /// Continues with what a custom identity provider says.
    mutating func realm(_ found: RealmFinding, _ check: Check) -> [FlowEffect] {
        guard let people = check.people else { return fail(.internal) }
        switch found {
        case .challenge(let challenge):
            state.realm = check.realm?.name
            // What it calls the conversation stays until it says another name, or the conversation ends.
            state.challenge = challenge.named(state.challenge?.stateID)
            let text = challenge.data["text"]?.string ?? challenge.data["message"]?.string
            let said = text.map { [Message(code: "realm.says", level: .info, text: $0)] } ?? []
            let remark = [state.remark].compactMap { $0 }
            state.remark = nil
            return self.open(ExternalStep(), check: check.name, messages: said + remark)
        case .failure:
            let failed: FlowEffect = .audit(.signInFailed, ["check": check.name])
            // Whoever has answered is told by the flow's end, and who has not by the refusal of the call.
            let isAnswered = state.step?.check == check.name
            return [failed] + (isAnswered ? fail(.denied) : end(with: Refusals.noWayIn(check)))
        case .person(let identity, let person, let names):
            return proved(identity, person, names: names, by: check, people)
        }
    }

    /// Continues with the person whom a custom identity provider knows.
    ///
    /// An account is found by realm and name only. Somebody who is known already has it from now on; where nobody is, the
    /// policy makes one if it may.
    private mutating func proved(
        _ identity: ExternalIdentity,
        _ person: ProvenPerson?,
        names: [String],
        by check: Check,
        _ people: String
    ) -> [FlowEffect] {
        let known = ProviderIdentity(
            provider: check.name,
            issuer: people,
            subject: identity.userName,
            attributes: identity.displayName.map { ["displayName": $0] } ?? [:]
        )
        if let person {
            if let effects = accept(person, names: names) { return effects }
            guard state.draft == nil else { return wrongUser() }
            state.person = person
            state.path = state.path == .signUp ? .signIn : state.path
        } else if state.person != nil || state.draft != nil {
            state.newIdentity = known
        } else {
            switch state.requirement.user {
            case .user, .signInName: return wrongUser()
            case .hint, nil: break
            }
            guard machine.policy.kind.signsUp else { return end(with: Refusals.noAccountOfRealm(check)) }
            guard machine.signUp != .closed else { return end(with: Refusals.signUpClosed) }
            state.path = .signUp
            state.draft = Draft(known)
        }
        state.realm = nil
        state.challenge = nil
        state.realmName = nil
        state.realmField = nil
        prove(check, identity: identity)
        return [.audit(.credentialAccepted, ["credential": check.credential.rawValue])] + advance()
    }
}
