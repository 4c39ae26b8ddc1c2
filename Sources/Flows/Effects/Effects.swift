import Attempts
import AuthorityStore
import Credentials
import FlowModel
import Moments
import OAuth
import Policies
import Storage

/// What an evaluation brought.
struct Evaluated: Sendable {
    let finding: Finding
    /// Charges of a right answer, which the next commit gives back; a refusal has none.
    var settled: [ChargeKey] = []
    /// A hash to be made anew after the commit.
    var stale: StaleHash?
    /// Charges of a mail, to be given back where it is not queued after all.
    var mailCharges: [ChargeKey] = []
}

/// Runs what the machine wants to be found out: one runner for each kind.
struct Effects: Sendable {
    let store: AuthorityStore
    let attempts: Attempts
    let hasher: PasswordHasher
    let signUp: @Sendable () -> SignUpMode

    /// Finds something out within 20 s; whatever goes wrong becomes a finding.
    func run(_ work: Evaluation, _ state: FlowRunState) async -> Evaluated {
        do {
            return try await withThrowingTaskGroup(of: Evaluated.self) { group in
                group.addTask { try await evaluate(work, state) }
                group.addTask {
                    try await Task.sleep(for: FlowLimits.evaluation)
                    return Evaluated(finding: .refused(Refusals.tooSlow))
                }
                defer { group.cancelAll() }
                return try await group.next() ?? Evaluated(finding: .refused(Refusals.tooSlow))
            }
        } catch let refusal as Refusal {
            return Evaluated(finding: .refused(refusal))
        } catch let error as StoreError where error.code == .busy {
            return Evaluated(finding: .refused(Refusals.busy(error.message)))
        } catch {
            return Evaluated(finding: .refused(Refusals.storageFailed("\(error)")))
        }
    }

    private func evaluate(_ work: Evaluation, _ state: FlowRunState) async throws -> Evaluated {
        switch work {
        case .password(let name, let password, let check):
            try await VerifyPassword(effects: self).run(name, password, check, origin: state.owner)
        case .code(let typed, let sent, let check):
            try await VerifyCode(effects: self).run(typed, sent, check, origin: state.owner)
        case .hash(let password): try await HashPassword(effects: self).run(password, origin: state.owner)
        case .makeCode(let recipient, let check):
            try await MakeCode(effects: self, check: check).run(recipient, state)
        }
    }

    /// What is left of the budget of the first step, where it is known whom it will be for.
    ///
    /// - Throws: `blocked` if nothing is.
    func attemptsLeft(_ machine: FlowMachine, _ state: FlowRunState) async throws -> AttemptsLeft? {
        guard state.path == .signIn, state.sessionProofs.isEmpty,
            let check = machine.plannedChecks(state).first, check.type == .password
        else { return nil }
        let subject: Subject
        switch state.requirement.user {
        case .user(let user): subject = .user(user)
        case .signInName(let name):
            let user = try await store.users.find(signInName: name)
            subject = user.map { .user($0.id) } ?? .name(name)
        case .hint, nil: return nil
        }
        let status = try await attempts.status(check: CheckBudget(check), subject: subject, origin: state.owner)
        if let refusal = status.refusal { throw refusal.with(.check, check.name) }
        return AttemptsLeft(remaining: status.remaining, max: status.max)
    }
}

extension ChargeTicket {
    /// What a wrong answer comes to.
    var wrong: Finding {
        guard isLast else { return .wrong(AttemptsLeft(remaining: remaining, max: max)) }
        if let blockedForMs, blockedForMs > 0 {
            return .exhausted(AttemptsLeft(remaining: 0, max: max), retryAfterMs: blockedForMs)
        }
        return .wrong(AttemptsLeft(remaining: max, max: max))
    }
}

extension CheckBudget {
    /// The budget of a check; checks over one credential share it.
    init(_ check: Check) {
        self.init(
            credential: Credential(check.type).rawValue,
            maxAttempts: check.maxAttempts,
            block: check.blockedStateExpiration,
            backoffFactor: check.backoffFactor,
            backoffMax: check.backoffMax,
            dailyLimit: check.dailyLimit
        )
    }
}

extension ProvenPerson {
    /// A user as flows know one.
    init(_ user: UserRecord) {
        self.init(
            user: user.id,
            username: user.username,
            displayName: user.displayName,
            address: user.email
        )
    }
}
