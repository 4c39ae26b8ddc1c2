import Attempts
import AuthorityStore
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
    func begin(_ run: inout FlowRun) -> Bool {
        if let linked = run.plan.providerToLink {
            run.record.known.provider = linked
            run.open(self)
            return true
        }
        guard !run.machine.policy.isLocal || run.record.known.provider != nil, run.record.known.path == .signIn,
            run.plan.mayChoose,
            run.plan.nextCheck != nil
        else { return false }
        run.open(self)
        return true
    }

    func nodes(_ view: FlowView) -> [Node] { [] }

    func title(_ record: FlowRecord) -> TextKey { Linking.isOpen(record) ? .linkTitle : texts.title }

    /// The provider, and the purpose of the way there if it is not a sign-in.
    func data(_ record: FlowRecord) -> JSONValue? {
        record.known.provider.map { name in
            Linking.isOpen(record) ? ["provider": .string(name), "purpose": "link"] : ["provider": .string(name)]
        }
    }

    func actions(_ view: FlowView) -> [Action] {
        view.policy.isLocal && view.plan.providerToLink == nil ? [Action(.back)] : []
    }

    func lifetime(of check: Check?) -> Duration { FlowLimits.browserLife }

    func read(_ answers: Answers, _ run: FlowRun) throws(Answers.Refused) -> Answer {
        var answers = answers
        let state = answers.text("state", most: FlowLimits.idLength)
        let code = answers.take("code")?.string
        let issuer = answers.take("iss")?.string
        let error = answers.take("error")?.string
        try answers.finish()
        guard let state, let provider = run.record.known.provider, let request = run.plan.providerRequest,
            Secret(state) == Secret(request.state)
        else { throw .malformed([]) }
        return Answer(
            provider: provider,
            request: request,
            answer: ProviderAnswer(code: code.map { Secret($0) }, issuer: issuer, error: error)
        )
    }

    func take(_ answer: Answer, _ run: inout FlowRun) {
        run.evaluate(.identity(provider: answer.provider, answer.request, answer.answer))
    }

    /// Returns to the other ways to sign in.
    func act(_ action: Action.Name, submission: String, _ run: inout FlowRun) {
        run.claim(submission)
        run.record.known.provider = nil
        run.advance()
    }

    /// Opens the step of a provider that the person has chosen.
    func choose(_ name: String, _ submission: String, _ run: inout FlowRun) {
        run.claim(submission)
        run.record.known.provider = name
        run.open(self)
    }

    /// Evaluates the provider's own token in place of the person's way there.
    func bring(_ token: BroughtToken, id: String, _ run: inout FlowRun) {
        guard run.record.order.bringsToken, case .asking(let step) = run.record.phase, step.kind.type == type,
            let provider = run.record.known.provider
        else { return run.refuse(Refusals.staleStep(rev: run.record.history.revision)) }
        run.claim(id)
        run.evaluate(.brought(provider: provider, token))
    }

    /// Continues with the person whom a provider has proved.
    ///
    /// An account is found by issuer and subject only; where there is none, the policy makes one if it may.
    func identified(_ identity: ProviderIdentity, _ person: ProvenPerson?, names: [String], _ run: inout FlowRun) {
        if run.plan.providerToLink != nil { return Linking.link(identity, of: person, &run) }
        let facts = ["credential": Credential.federated.rawValue, "provider": identity.provider]
        if let person {
            guard run.accept(person, names: names) else { return }
            run.record.known.path = .signIn
            run.record.known.person = person
        } else {
            switch run.record.order.requirement.user {
            case .user, .signInName: return run.wrongUser()
            case .hint, nil: break
            }
            guard run.machine.policy.kind.signsUp else { return noAccount(facts, &run) }
            guard run.machine.signUp != .closed else { return run.fail(with: Refusals.signUpClosed) }
            run.record.known.path = .signUp
            run.record.inHand.draft = Draft(identity)
        }
        let now = run.now
        run.record.known.proofs.append(
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
        if person == nil { requireAddress(&run) }
        run.audit(.credentialAccepted, facts)
        run.advance()
    }

    /// Asks for another account at the provider, since the policy makes none for this one.
    private func noAccount(_ facts: [String: String], _ run: inout FlowRun) {
        if run.record.order.bringsToken { return run.fail(with: Refusals.noAccountOfToken) }
        run.record.settle(.rejected)
        run.audit(.signInFailed, facts)
        run.open(self, messages: [run.view.texts.message(.providerNoAccount, .error)])
        run.answer(.rejected)
    }

    /// Has a new user prove an address, if the policy needs one that the provider did not vouch for, or a check of it.
    private func requireAddress(_ run: inout FlowRun) {
        let lacksCheck = run.plan.lacksAddressCheck
        if run.record.inHand.draft?.address == nil {
            guard lacksCheck || run.machine.policy.needsAddress else { return }
            run.record.inHand.draft?.asksAddress = true
            run.record.inHand.draft?.awaitsAttributes = true
        } else if lacksCheck {
            run.record.inHand.draft?.mustVerify = true
        }
    }
}

extension FlowPlan {
    /// Whether a person may say with which provider they sign in: nobody has proved anything yet.
    var mayChoose: Bool {
        !policy.providers.isEmpty && known.person == nil && record.inHand.draft == nil && known.proofs.isEmpty
            && order.requirement.session == nil && order.presentation.shows(.provider)
    }

    /// The request of the open step at the provider that was chosen; nil for any other step.
    var providerRequest: ProviderRequest? {
        guard let step = record.step, step.kind.type == .provider, known.provider != nil else { return nil }
        func derived(_ purpose: String) -> String { record.derived("provider \(purpose) \(step.ordinal)") }
        return ProviderRequest(
            state: derived("state"),
            nonce: derived("nonce"),
            verifier: Secret(derived("verifier") + derived("verifier, second half")),
            fresh: order.requirement.freshProof(since: step.opened)
        )
    }
}

extension Requirement {
    /// The fresh proof that a provider is asked for at this time, in seconds since 1970 UTC; nil if a sign-in of before will do.
    fileprivate func freshProof(since time: Int64) -> FreshProof? {
        maxAge == nil && asksAnew != true ? nil : FreshProof(maxAge: maxAge, since: time)
    }
}

/// Redeems a provider's answer, and looks up the account of the person that it proves: that of the same issuer and
/// subject, and of nobody else, whatever their e-mail addresses are.
struct Identify {
    let evaluator: Evaluator

    func run(_ provider: String, _ request: ProviderRequest, _ answer: ProviderAnswer) async throws -> EvaluationOutcome
    {
        try await found { try await $0.identity(at: provider, request, answer) }
    }

    /// Verifies a provider's own token, and looks up the person that it proves.
    ///
    /// It is charged to the uid that brings it before the provider is asked, and given back unless the token is refused. A token
    /// that a client exchanges over HTTP is one of those that its place may begin in a minute.
    func prepare(_ provider: String, brought token: BroughtToken, _ record: FlowRecord) -> PreparedEvaluation {
        let fresh = record.order.requirement.maxAge.map { FreshProof(maxAge: $0, since: evaluator.clock.now.seconds) }
        switch record.order.owner {
        case .browser:
            return .free { try await found { try await $0.identity(at: provider, brought: token, fresh: fresh) } }
        case .local: break
        }
        let (origin, subject) = (record.origin, Subject.name("brought tokens \(record.origin.key)"))
        return .attempt(AttemptCharge(.broughtTokens, subject, origin: origin)) { ticket in
            do {
                var evaluated = try await found { try await $0.identity(at: provider, brought: token, fresh: fresh) }
                if evaluated.finding != .wrong { evaluated.settled.charges = ticket.settled }
                return evaluated
            } catch {
                try await evaluator.attempts.giveBack(ticket, check: .broughtTokens, subject: subject, origin: origin)
                throw error
            }
        }
    }

    private func found(
        _ identify: @Sendable (ProviderCalls) async throws -> ProviderIdentity
    ) async throws -> EvaluationOutcome {
        guard let providers = evaluator.providers else { throw Refusals.noProvider }
        let identity: ProviderIdentity
        do {
            identity = try await identify(providers)
        } catch let error as ProviderError where error.code == .denied {
            return EvaluationOutcome(finding: .wrong)
        }
        let user = try await evaluator.store.identities.user(issuer: identity.issuer, subject: identity.subject)
        guard let user else { return EvaluationOutcome(finding: .identified(identity, nil, names: [])) }
        guard user.enabled else { return EvaluationOutcome(finding: .wrong) }
        return EvaluationOutcome(
            finding: .identified(identity, ProvenPerson(user), names: user.signInNames.map(\.value))
        )
    }
}
