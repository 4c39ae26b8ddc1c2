import FlowModel
import Moments
import OAuth
import OpenIDClient
import Policies

/// Sends a person's browser to a provider outside, and takes the answer that it brings back.
///
/// The secrets of the request follow from the flow's seed and the step, so that an answer fits one step only.
struct ProviderStep: StepKind {
    /// The answer of the provider that was chosen.
    struct Answer {
        let provider: String
        let request: ProviderRequest
        let answer: ProviderAnswer
    }

    let type = StepType.provider
    let texts = StepTexts(title: .providerTitle, wrong: .providerDenied)

    /// The first question, if the policy signs in with providers alone or one was chosen beforehand; the last one, if the
    /// person links an account there.
    func begin(_ run: inout FlowRun) -> [FlowEffect]? {
        if let linked = run.context.providerToLink {
            run.state.provider = linked
            return run.open(self)
        }
        guard !run.machine.policy.isLocal || run.state.provider != nil, run.state.path == .signIn,
            run.context.mayChoose,
            run.context.nextCheck != nil
        else { return nil }
        return run.open(self)
    }

    func nodes(_ context: FlowContext) -> [Node] { [] }

    func title(_ state: FlowRunState) -> TextKey { state.isLinking ? .linkTitle : texts.title }

    /// The provider, and the purpose of the way there if it is not a sign-in.
    func data(_ state: FlowRunState) -> JSONValue? {
        state.provider.map { name in
            state.isLinking ? ["provider": .string(name), "purpose": "link"] : ["provider": .string(name)]
        }
    }

    func actions(_ context: FlowContext) -> [Action] {
        context.policy.isLocal && context.providerToLink == nil ? [Action(.back)] : []
    }

    func lifetime(_ step: OpenStep, _ machine: FlowMachine) -> Duration { FlowLimits.browserLife }

    func read(_ answers: Answers, _ run: FlowRun) throws(Answers.Refused) -> Answer {
        var answers = answers
        let state = answers.text("state", most: FlowLimits.idLength)
        let code = answers.take("code")?.string
        let issuer = answers.take("iss")?.string
        let error = answers.take("error")?.string
        try answers.finish()
        guard let state, let provider = run.state.provider, let request = run.context.providerRequest,
            Secret(state) == Secret(request.state)
        else { throw .malformed([]) }
        return Answer(
            provider: provider,
            request: request,
            answer: ProviderAnswer(code: code.map { Secret($0) }, issuer: issuer, error: error)
        )
    }

    func take(_ answer: Answer, _ run: inout FlowRun) -> [FlowEffect] {
        [.evaluate(.identity(provider: answer.provider, answer.request, answer.answer))]
    }

    /// Returns to the other ways to sign in.
    func act(_ action: Action.Name, submission: String, _ run: inout FlowRun) -> [FlowEffect] {
        run.claim(submission)
        run.state.provider = nil
        return run.advance()
    }
}

extension FlowContext {
    /// True while a person may say with which provider they sign in: nobody has proved anything yet.
    var mayChoose: Bool {
        !policy.providers.isEmpty && state.person == nil && state.draft == nil && state.proofs.isEmpty
            && state.requirement.session == nil && (state.presentation ?? Presentation()).shows(.provider)
    }

    /// The providers that a program of this machine may offer; pages have buttons of their own.
    var shownProviders: [StepChoice] {
        guard mayChoose, state.provider == nil, case .local = state.owner else { return [] }
        return policy.providers.compactMap { name in
            machine.providerName(name).map { StepChoice(value: name, label: texts[.providerChoice, ["name": $0]]) }
        }
    }

    /// The request of the open step at the provider that was chosen; nil for any other step.
    var providerRequest: ProviderRequest? {
        guard let step = state.step, step.kind.type == .provider, state.provider != nil else { return nil }
        return ProviderRequest(
            state: derived("provider state \(step.ordinal)"),
            nonce: derived("provider nonce \(step.ordinal)"),
            verifier: Secret(
                derived("provider verifier \(step.ordinal)") + derived("provider verifier, second half \(step.ordinal)")
            ),
            fresh: state.requirement.freshProof(since: step.opened ?? 0)
        )
    }
}

extension Requirement {
    /// The fresh proof that a provider is asked for at this time, in seconds since 1970 UTC; nil if a sign-in of before will do.
    fileprivate func freshProof(since time: Int64) -> FreshProof? {
        maxAge == nil && asksAnew != true ? nil : FreshProof(maxAge: maxAge, since: time)
    }
}

extension FlowRun {
    /// Opens the step of a provider that the person has chosen.
    mutating func choose(provider name: String, _ submission: String) -> [FlowEffect] {
        claim(submission)
        state.provider = name
        return open(ProviderStep())
    }

    /// Evaluates the provider's own token in place of the person's way there.
    mutating func bring(_ token: BroughtToken, id: String) -> [FlowEffect] {
        guard state.isBrought == true, let step = state.step, step.kind.type == .provider,
            let provider = state.provider,
            state.evaluating == nil
        else { return [.refuse(Refusals.staleStep(rev: state.rev))] }
        claim(id)
        return [.evaluate(.brought(provider: provider, token))]
    }

    /// Continues with the person whom a provider has proved.
    ///
    /// An account is found by issuer and subject only; where there is none, the policy makes one if it may.
    mutating func identified(_ identity: ProviderIdentity, _ person: ProvenPerson?, names: [String]) -> [FlowEffect] {
        if context.providerToLink != nil { return link(identity, of: person) }
        let facts = ["credential": Credential.federated.rawValue, "provider": identity.provider]
        if let person {
            if let effects = accept(person, names: names) { return effects }
            state.path = .signIn
            state.person = person
        } else {
            switch state.requirement.user {
            case .user, .signInName: return wrongUser()
            case .hint, nil: break
            }
            guard machine.policy.kind.signsUp else {
                if state.isBrought == true { return end(with: Refusals.noAccountOfToken) }
                record(.rejected)
                let message = context.texts.message(.providerNoAccount, .error)
                return [.audit(.signInFailed, facts)] + open(ProviderStep(), messages: [message]) + [.answer(.rejected)]
            }
            guard machine.signUp != .closed else { return end(with: Refusals.signUpClosed) }
            state.path = .signUp
            state.draft = Draft(identity)
        }
        state.proofs.append(
            Proof(
                check: identity.provider,
                credential: .federated,
                at: now.wall,
                acr: "1",
                amr: ["fed"],
                elsewhere: ProofElsewhere(
                    at: identity.authTime.map { min($0 * 1000, now.wall) },
                    wasAskedAnew: identity.wasAskedAnew
                )
            )
        )
        if person == nil { requireAddress() }
        return [.audit(.credentialAccepted, facts)] + advance()
    }
}

extension FlowRun {
    /// Has a new user prove an address, if the policy needs one that the provider did not vouch for, or a check of it.
    private mutating func requireAddress() {
        if state.draft?.address == nil {
            guard context.lacksAddressCheck || machine.policy.needsAddress else { return }
            state.draft?.asksAddress = true
            state.draft?.awaitsAttributes = true
        } else if context.lacksAddressCheck {
            state.draft?.mustVerify = true
        }
    }
}

extension Draft {
    /// The account of a person whom a provider has proved: without a name to sign in under, so that it is nobody else's.
    init(_ identity: ProviderIdentity) {
        self.init(
            email: nil,
            username: nil,
            attributes: identity.attributes.mapValues { .string($0) },
            passwordHash: nil,
            mustVerify: false,
            identity: identity
        )
    }
}
