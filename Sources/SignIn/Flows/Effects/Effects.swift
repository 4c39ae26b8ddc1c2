import Attempts
import AuthorityStore
import Credentials
import CustomIdentity
import FlowModel
import Moments
import OAuth
import Policies
import Storage

/// The result of running an evaluation.
struct EvaluationOutcome: Sendable {
    let finding: EvaluationResult
    /// Charges of a correct answer, which the next commit gives back; a refusal has none.
    var settled: [ChargeKey] = []
    /// A hash to be renewed after the commit.
    var stale: StaleHash?
    /// Charges of a mail, to be given back if it is not queued after all.
    var mailCharges: [ChargeKey] = []
}

/// Runs the evaluations that the machine asks for: one runner for each kind.
struct Effects: Sendable {
    let store: AuthorityStore
    let attempts: Attempts
    let hasher: PasswordHasher
    let clock: MomentClock
    let signUp: @Sendable () -> SignUpMode
    let providers: ProviderCalls?
    let realms: RealmCalls?
    let connectors: ConnectorClient?

    /// Runs an evaluation within its time; every error becomes a finding.
    func run(_ work: Evaluation, _ state: FlowRunState, for caller: Caller) async -> EvaluationOutcome {
        await withTimeout(within: work.limit) { try await evaluate(work, state, caller) }
    }

    /// Runs an evaluation within a time; every error becomes a finding.
    func withTimeout(
        within limit: Duration = FlowLimits.evaluation,
        _ evaluate: @escaping @Sendable () async throws -> EvaluationOutcome
    ) async -> EvaluationOutcome {
        do {
            return try await withThrowingTaskGroup(of: EvaluationOutcome.self) { group in
                group.addTask { try await evaluate() }
                group.addTask {
                    try await Task.sleep(for: limit)
                    return EvaluationOutcome(finding: .refused(Refusals.tooSlow))
                }
                defer { group.cancelAll() }
                return try await group.next() ?? EvaluationOutcome(finding: .refused(Refusals.tooSlow))
            }
        } catch let refusal as Refusal {
            return EvaluationOutcome(finding: .refused(refusal))
        } catch let error as StoreError where error.code == .busy {
            return EvaluationOutcome(finding: .refused(Refusals.busy(error.message)))
        } catch {
            return EvaluationOutcome(finding: .refused(Refusals.storageFailed("\(error)")))
        }
    }

    private func evaluate(
        _ work: Evaluation,
        _ state: FlowRunState,
        _ caller: Caller
    ) async throws -> EvaluationOutcome {
        switch work {
        case .password(let name, let password, let check):
            try await VerifyPassword(effects: self).run(name, password, check, origin: state.origin)
        case .pin(let pin, let person, let check):
            try await VerifyPIN(effects: self).run(pin, of: person, check, state, caller)
        case .findPIN(let person, let check):
            try await FindPIN(effects: self).run(person, check, state, caller)
        case .authenticator(let answer, let person, let check):
            try await VerifyAuthenticator(effects: self).run(answer, of: person, check, state)
        case .findAuthenticator(let person, let check):
            try await FindAuthenticator(effects: self).run(person, check, state)
        case .code(let typed, let sent, let check):
            try await VerifyCode(effects: self).run(typed, sent, check, origin: state.origin)
        case .consent(let user, let consent):
            EvaluationOutcome(
                finding: .consent(
                    try await store.consents.has(
                        user: user,
                        client: consent.client,
                        scopes: consent.scopes.map(\.scope)
                    )
                )
            )
        case .hash(let password, let address):
            try await HashPassword(effects: self).run(password, mailTo: address, origin: state.origin)
        case .newPassword(let password, let user):
            try await RenewPassword(effects: self).run(password, of: user, origin: state.origin)
        case .findSecondFactor(let person, let checks, let device):
            try await FindSecondFactor(effects: self).run(person, checks, device: device, state)
        case .findProfile(let user):
            EvaluationOutcome(finding: .profile(try await store.users.get(user)?.attributes ?? [:]))
        case .identity(let provider, let request, let answer):
            try await Identify(effects: self).run(provider, request, answer)
        case .brought(let provider, let token):
            try await Identify(effects: self).run(provider, brought: token, state)
        case .realm(let call, let check):
            try await AskRealm(effects: self).run(call, check, state)
        case .assertion(let statement, let check):
            try await VerifyAssertion(effects: self).run(statement, check, state)
        case .connector(let connector): try await AskConnector(effects: self).run(connector, state)
        case .makeCode(let recipient, let check):
            try await MakeCode(effects: self, check: check).run(recipient, state)
        }
    }

    /// The answers left to the open step by the budgets, so that clients are shown the true number.
    func attemptsLeft(_ context: FlowContext) async throws -> AttemptsLeft? {
        guard let budget = context.budget else { return nil }
        guard let status = try await status(of: budget, origin: context.state.origin) else {
            return AttemptsLeft(remaining: budget.check.maxAttempts, max: budget.check.maxAttempts)
        }
        return AttemptsLeft(remaining: status.remaining, max: status.max)
    }

    /// Refuses to ask for an answer that would not be evaluated.
    ///
    /// - Throws: `blocked` if nothing is left of the budget of the open step.
    func requireAttempts(_ context: FlowContext) async throws {
        guard let budget = context.budget else { return }
        if let refusal = try await status(of: budget, origin: context.state.origin)?.refusal {
            throw refusal.with(.check, budget.check.name)
        }
    }

    /// The finding of a wrong answer, by what is left after it: answers to other flows may have used up the rest meanwhile.
    func wrong(_ check: Check, _ subject: Subject, origin: Origin) async throws -> EvaluationResult {
        let status = try await attempts.status(check: CheckBudget(check), subject: subject, origin: origin)
        guard status.retryAfterMs > 0, !status.isCrowded else { return .wrong }
        return .exhausted(retryAfterMs: status.retryAfterMs)
    }

    /// Refuses if the budget of a check is used up, so that nobody is asked for what could not be tried.
    func requireAttempts(_ check: Check, _ subject: Subject, origin: Origin) async throws {
        let status = try await attempts.status(check: CheckBudget(check), subject: subject, origin: origin)
        if let refusal = status.refusal { throw refusal.with(.check, check.name) }
    }

    /// The state of a step's budgets; nil while their holder is unknown.
    private func status(of budget: StepBudget, origin: Origin) async throws -> AttemptStatus? {
        let subject: Subject
        switch budget.holder {
        case .subject(let known): subject = known
        case .signInName(let name):
            subject = Subject(typed: name, of: try await store.users.find(signInName: name)?.id)
        case .usualName(let user):
            let name = try await store.users.get(user)?.username
            subject = name.map { .typed($0, user) } ?? .user(user)
        case nil: return nil
        }
        return try await attempts.status(check: CheckBudget(budget.check), subject: subject, origin: origin)
    }
}

extension Evaluation {
    /// The time within which it ends.
    fileprivate var limit: Duration {
        switch self {
        case .connector(let connector): connector.longest
        case .password, .pin, .findPIN, .authenticator, .findAuthenticator, .code, .hash, .newPassword,
            .findSecondFactor,
            .findProfile, .consent, .identity, .brought, .realm, .assertion, .makeCode:
            FlowLimits.evaluation
        }
    }
}

extension ProvenPerson {
    /// The person of a user record.
    init(_ user: UserRecord) {
        self.init(
            user: user.id,
            username: user.username,
            displayName: user.displayName,
            address: user.email,
            passwordSetAt: user.passwordHash == nil ? nil : user.passwordSetAt,
            mustChangePassword: user.mustChangePassword
        )
    }
}
