import Attempts
import AuthorityStore
import Credentials
import CustomIdentity
import FlowModel
import Moments
import OAuth
import OpenIDClient
import Origins
import Policies
import Storage
import StoreRefusals

/// The database writes of a correct answer, made in the transaction that stores the result of its evaluation.
struct Settlement: Sendable {
    /// A single-use answer to mark as used.
    ///
    /// If the answer has already been used in the meantime, it counts as wrong.
    struct Use: Sendable {
        let answer: UsedAnswer
        let check: Check
        let subject: Subject
    }

    var charges: [ChargeKey] = []
    var uses: [Use] = []

    static func += (left: inout Settlement, right: Settlement) {
        left.charges += right.charges
        left.uses += right.uses
    }
}

struct EvaluationOutcome: Sendable {
    let finding: EvaluationResult
    var settled = Settlement()
    var stale: StaleHash?
    /// The charges for an e-mail message, which must be refunded if the message is not queued.
    var mailCharges: [ChargeKey] = []
}

struct EvaluatedFlow: Sendable {
    var transition: Transition
    var settled = Settlement()
    var stale: StaleHash?
    var mailCharges: [ChargeKey] = []
}

/// Runs the evaluations that the state machine requests, each within its time limit.
struct Evaluator: Sendable {
    let store: AuthorityStore
    let attempts: Attempts
    let hasher: PasswordHasher
    let clock: MomentClock
    let signUp: @Sendable () -> SignUpMode
    /// Whether mail can be sent to an address.
    let takesAddress: @Sendable (String) async -> Bool
    let providers: ProviderCalls?
    let realms: RealmCalls?
    let connectors: ConnectorClient?

    var providerName: @Sendable (String) -> String? {
        { [providers] in providers?.registration($0)?.displayName }
    }

    /// Runs evaluations until the flow waits for an answer or has ended.
    ///
    /// `begun` is the function that runs the first evaluation, or `nil` if that evaluation has not been charged yet.
    func run(
        _ first: Transition,
        begun: PreparedEvaluation.Run? = nil,
        by machine: FlowMachine,
        for caller: Caller
    ) async -> EvaluatedFlow {
        var evaluated = EvaluatedFlow(transition: first)
        var begun = begun
        while let work = evaluated.transition.evaluation {
            let record = evaluated.transition.record
            let result =
                if let begun { await withTimeout(within: work.limit, begun) } else {
                    await run(work, record, for: caller)
                }
            begun = nil
            evaluated.settled += result.settled
            evaluated.stale = result.stale ?? evaluated.stale
            evaluated.mailCharges += result.mailCharges
            evaluated.transition.append(machine.reduce(record, .evaluated(result.finding), now: clock.now))
        }
        return evaluated
    }

    func run(_ work: Evaluation, _ record: FlowRecord, for caller: Caller) async -> EvaluationOutcome {
        await withTimeout(within: work.limit) { try await run(try await prepare(work, record, caller)) }
    }

    func withTimeout(
        within limit: Duration = FlowLimits.evaluation,
        _ evaluate: @escaping PreparedEvaluation.Run
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
        } catch {
            return EvaluationOutcome(finding: .refused(Self.refusal(error)))
        }
    }

    static func refusal(_ error: any Error) -> Refusal {
        switch error {
        case let refusal as Refusal: refusal
        case let error as StoreError where error.code == .busy: FlowRows.refusals.refusal(error)
        default: Refusals.storageFailed("\(error)")
        }
    }

    /// Prepares an evaluation and determines its charge, before anything is compared, hashed or called.
    func prepare(_ work: Evaluation, _ record: FlowRecord, _ caller: Caller) async throws -> PreparedEvaluation {
        let origin = record.origin
        switch work {
        case .password(let name, let password, let check):
            return try await PasswordCredential().verify(password, of: name, check, origin: origin, self)
        case .find(let person, let check):
            let (kind, use) = (try enrolled(check), use(check, of: person, record, caller))
            return .free { try await kind.find(use, self) }
        case .verify(let answer, let person, let check):
            return try await enrolled(check).verify(answer, use(check, of: person, record, caller), self)
        case .code(let typed, let sent, let check):
            return EmailCode(evaluator: self).verify(typed, sent, check, origin: origin)
        case .makeCode(let recipient, let check):
            return .free { try await EmailCode(evaluator: self).make(recipient, check, record) }
        case .consent(let user, let consent):
            return .free {
                let scopes = consent.scopes.map(\.scope)
                let isGiven = try await store.consents.has(user: user, client: consent.client, scopes: scopes)
                return EvaluationOutcome(finding: .consent(isGiven))
            }
        case .hash(let password): return try await hash(password, origin: origin)
        case .hashOfAccount(let password, let address, let sendsCode):
            if let address { try await requireMailServer(takes: address, record) }
            return try await hash(password, mailTo: sendsCode ? address : nil, origin: origin)
        case .address(let address):
            return .free {
                try await requireMailServer(takes: address, record)
                return EvaluationOutcome(finding: .addressAccepted)
            }
        case .newPassword(let password, let user):
            return try await PasswordCredential().renew(password, of: user, record, self)
        case .findSecondFactor(let person, let checks, let device):
            return .free {
                try await FindSecondFactor(evaluator: self).run(person, checks, device: device, record)
            }
        case .findProfile(let user):
            return .free {
                EvaluationOutcome(finding: .profile(try await store.users.get(user)?.attributes ?? [:]))
            }
        case .identity(let provider, let request, let answer):
            return .free { try await Identify(evaluator: self).run(provider, request, answer) }
        case .brought(let provider, let token):
            return Identify(evaluator: self).prepare(provider, brought: token, record)
        case .realm(let call, let check): return try await AskRealm(evaluator: self).prepare(call, check, record)
        case .assertion(let statement, let check):
            return try VerifyAssertion(evaluator: self).prepare(statement, check, record)
        case .connector(let connector):
            return .free { try await AskConnector(evaluator: self).run(connector, record) }
        }
    }

    private func enrolled(_ check: Check) throws -> any EnrolledCredentialKind {
        guard let kind = CredentialKinds.enrolled(check.credential) else {
            throw Refusals.storageFailed("the credential of \(check.name) cannot be enrolled")
        }
        return kind
    }

    private func use(_ check: Check, of person: UserID, _ record: FlowRecord, _ caller: Caller) -> CredentialUse {
        CredentialUse(person: person, check: check, record: record, caller: caller)
    }

    /// Prepares the hashing of a new password or PIN.
    ///
    /// If `address` is set, first checks whether an e-mail message may be sent to it, and throws a `Refusal` if not.
    func hash(_ password: Secret, mailTo address: String? = nil, origin: Origin) async throws -> PreparedEvaluation {
        if let address {
            try await attempts.requireMail(
                to: address,
                for: .name(address),
                provenBy: CheckType.all.map(\.credential),
                origin: origin
            )
        }
        let place = try place(for: origin)
        return .hash(origin) {
            let hash = try await hasher.hash(password, pepper: store.derived.pepper, in: place)
            return EvaluationOutcome(finding: .hashed(hash.revealBytes()))
        }
    }

    /// Throws a `Refusal` if the mail server cannot send to the address of a new account.
    func requireMailServer(takes address: String, _ record: FlowRecord) async throws(Refusal) {
        guard await takesAddress(address) else {
            throw Refusals.addressNotTaken(in: record.order.presentation.language)
        }
    }

    /// Reserves a slot for hashing, or throws a refusal if no slot is free.
    func place(for origin: Origin) throws(Refusal) -> HashPlace {
        do throws(CredentialError) {
            return try hasher.reserve(for: origin.levels.widest)
        } catch {
            throw Refusals.busy
        }
    }

    func attemptsLeft(_ view: FlowView) async throws -> AttemptsLeft? {
        guard let budget = view.budget else { return nil }
        guard let status = try await status(of: budget, origin: view.record.origin) else {
            return AttemptsLeft(remaining: budget.check.maxAttempts, max: budget.check.maxAttempts)
        }
        return AttemptsLeft(remaining: status.remaining, max: status.max)
    }

    /// Throws a `Refusal` if an answer to the open step would not be evaluated.
    func requireAttempts(_ view: FlowView) async throws {
        guard let budget = view.budget else { return }
        if let refusal = try await status(of: budget, origin: view.record.origin)?.refusal {
            throw refusal.with(.check, budget.check.name)
        }
    }

    /// Returns the result for a wrong answer, which depends on the attempts that this and other flows have left.
    func wrong(_ check: Check, _ subject: Subject, origin: Origin) async throws -> EvaluationResult {
        let status = try await attempts.status(check: CheckBudget(check), subject: subject, origin: origin)
        guard status.retryAfterMs > 0, !status.isCrowded else { return .wrong }
        return .exhausted(retryAfterMs: status.retryAfterMs)
    }

    /// Throws a `Refusal` if a check's budget is used up.
    func requireAttempts(_ check: Check, _ subject: Subject, origin: Origin) async throws {
        let status = try await attempts.status(check: CheckBudget(check), subject: subject, origin: origin)
        if let refusal = status.refusal { throw refusal.with(.check, check.name) }
    }

    /// Returns the state of a step's budget, or `nil` if the user or name that the budget belongs to is not known yet.
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
    fileprivate var limit: Duration {
        switch self {
        case .connector(let connector): connector.longest
        case .password, .find, .verify, .code, .hash, .hashOfAccount, .address, .newPassword, .findSecondFactor,
            .findProfile, .consent, .identity, .brought, .realm, .assertion, .makeCode:
            FlowLimits.evaluation
        }
    }
}
