import FlowModel
import Moments
import OAuth
import Policies

/// A sign-in name and a password.
extension FlowMachine {
    /// What a password step asks for.
    func passwordNodes(_ state: FlowRunState) -> [Node] {
        [
            nameNode(state),
            Node(
                name: "password",
                kind: .secret,
                label: "Password",
                required: true,
                minLength: 1,
                maxLength: FlowLimits.passwordLength
            ),
        ]
    }

    /// The node for the sign-in name, filled in where the name is known.
    func nameNode(_ state: FlowRunState) -> Node {
        Node(
            name: "username",
            kind: .text,
            label: nameLabel,
            required: true,
            value: knownName(state),
            minLength: 1,
            maxLength: FlowLimits.nameLength
        )
    }

    /// A name and a password.
    struct PasswordAnswer {
        let name: String
        let password: Secret
        let check: Check
    }

    /// Reads the answers to a password step.
    func readPassword(
        _ answers: Answers,
        _ step: OpenStep,
        _ state: FlowRunState
    ) throws(Answers.Refused) -> PasswordAnswer {
        var answers = answers
        let name = answers.text("username", most: FlowLimits.nameLength, fallback: knownName(state))
        let password = answers.text("password", most: FlowLimits.passwordLength)
        try answers.finish()
        guard let name, let password, let check = step.check.flatMap({ catalogue[check: $0] }) else {
            throw .malformed([])
        }
        return PasswordAnswer(name: name, password: Secret(password), check: check)
    }

    /// Goes on when a password was right.
    func signedIn(
        _ state: inout FlowRunState,
        _ person: ProvenPerson,
        names: [String],
        now: Moment
    ) -> [FlowEffect] {
        if let effects = accept(&state, person, names: names, now: now) { return effects }
        state.person = person
        prove(&state, .password, by: state.step?.check, now: now)
        return [.audit("credential.accepted", ["credential": Credential.password.rawValue])]
            + advance(&state, now: now)
    }

    /// What a name step holds already: what was typed before, who is asked for, or what the request filled in.
    func knownName(_ state: FlowRunState) -> String? {
        if let person = state.person { return person.username }
        if let typed = state.typedName { return typed }
        switch state.requirement.user {
        case .signInName(let name), .hint(let name): return name
        case .user, nil: return state.prefill["username"]?.string ?? state.prefill["email"]?.string
        }
    }

    private var nameLabel: String {
        switch policy.signInName {
        case .email: "E-mail address"
        case .username: "User name"
        case .both: "E-mail address or user name"
        }
    }
}
