import Attempts
import AuthorityStore
import FlowModel
import Moments
import OAuth
import OpenIDClient
import Policies

/// The step that sends a user's browser to an identity provider and receives the provider's response.
///
/// The secrets in the request are derived from the flow's seed and the step, so that a response matches only one step.
struct ProviderStep: StepKind {
    struct Answer {
        let provider: String
        let request: ProviderRequest
        let answer: ProviderAnswer
    }

    let type = StepType.provider
    let texts = StepTexts(title: .providerTitle, wrong: .providerDenied)

    /// Opens the step before all others to sign in with a provider, or after all others to link an account.
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

    func act(_ action: Action.Name, submission: String, _ run: inout FlowRun) {
        run.claim(submission)
        run.record.known.provider = nil
        run.advance()
    }

    func choose(_ name: String, _ submission: String, _ run: inout FlowRun) {
        run.claim(submission)
        run.record.known.provider = name
        run.open(self)
    }

    /// Evaluates a token that the caller already has from the provider.
    func bring(_ token: BroughtToken, id: String, _ run: inout FlowRun) {
        guard run.record.order.bringsToken, case .asking(let step) = run.record.phase, step.kind.type == type,
            let provider = run.record.known.provider
        else { return run.refuse(Refusals.staleStep(rev: run.record.history.revision)) }
        run.claim(id)
        run.evaluate(.brought(provider: provider, token))
    }

    /// Continues the flow with the account that has the identity's issuer and subject, or with a new account if sign-up
    /// is permitted.
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

    /// Prompts for another account at the provider, because the policy does not create an account for the chosen one.
    private func noAccount(_ facts: [String: String], _ run: inout FlowRun) {
        if run.record.order.bringsToken { return run.fail(with: Refusals.noAccountOfToken) }
        run.record.settle(.rejected)
        run.audit(.signInFailed, facts)
        run.open(self, messages: [run.view.texts.message(.providerNoAccount, .error)])
        run.answer(.rejected)
    }

    /// Makes the flow prompt a new user for a missing address, or for a code sent to the address from the provider.
    ///
    /// Does nothing if neither is required.
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
    /// Whether the user can choose a provider, which is possible until the first credential is verified.
    var mayChoose: Bool {
        !policy.providers.isEmpty && known.person == nil && record.inHand.draft == nil && known.proofs.isEmpty
            && order.requirement.session == nil && order.presentation.shows(.provider)
    }

    /// The request to the chosen provider, or `nil` if the open step does not send the user to a provider.
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
    /// Returns how recently the provider must have authenticated the user, or `nil` if any sign-in is sufficient.
    ///
    /// `time` is the time of the request, in seconds since 1970 UTC.
    fileprivate func freshProof(since time: Int64) -> FreshProof? {
        maxAge == nil && asksAnew != true ? nil : FreshProof(maxAge: maxAge, since: time)
    }
}

/// An evaluation that redeems a provider's response and looks up the account by issuer and subject, never by e-mail.
struct Identify {
    let evaluator: Evaluator

    func run(_ provider: String, _ request: ProviderRequest, _ answer: ProviderAnswer) async throws -> EvaluationOutcome
    {
        try await found { try await $0.identity(at: provider, request, answer) }
    }

    /// Prepares an evaluation that verifies a provider's token and looks up the account of the token's user.
    ///
    /// An attempt is charged to the uid that sent the token, and is refunded unless the token is rejected. A token sent
    /// over HTTP costs no attempt, because the flow already counts against the limit of the client's origin.
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
