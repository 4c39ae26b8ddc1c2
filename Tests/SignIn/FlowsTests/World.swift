import Attempts
import AuthorityFixture
import AuthorityStore
import Credentials
import FlowModel
import Foundation
import OAuth
import Policies
import Synchronization
import TestSupport
import Testing

@testable import Flows

/// A flow engine whose store has its own folder.
final class World: Sendable {
    static let cheap = AuthorityFixture.cheap
    static let logger = AuthorityFixture.silent
    static let jo = Owner.local(machine: "m", uid: 1000)
    static let ann = Owner.local(machine: "m", uid: 1001)
    static let signUpOrIn = Samples.signUpOrIn

    private let place: AuthorityFixture.Place
    let hasher: PasswordHasher
    let catalogue: Mutex<PolicyCatalogue>
    let signUpMode = Mutex(SignUpMode.open)
    private let mails: MailLimits
    private let codeInSubject: Bool
    private let takesAddress: @Sendable (String) async -> Bool
    private let live: Mutex<(AuthorityFixture, FlowDirectory)>

    init(
        policies: [Policy] = [Samples.signUpOrIn, Samples.policy(.signUp), Samples.policy(.signIn)],
        checks: [Check] = Samples.checks,
        hasher: PasswordHasher = PasswordHasher(parameters: cheap),
        limits: FlowLimits = FlowLimits(),
        mails: MailLimits = MailLimits(),
        codeInSubject: Bool = true,
        takesAddress: @escaping @Sendable (String) async -> Bool = { _ in true }
    ) throws {
        place = try AuthorityFixture.Place()
        self.hasher = hasher
        self.mails = mails
        self.codeInSubject = codeInSubject
        self.takesAddress = takesAddress
        catalogue = Mutex(PolicyCatalogue(policies: policies, checks: checks))
        let fixture = try AuthorityFixture(at: place, mails: mails)
        live = Mutex((fixture, fixture.flows()))
        restart(hasher: hasher, limits: limits)
    }

    /// The folder that contains the database.
    var state: String { place.state }
    var clock: TestClock { place.time }
    var store: AuthorityStore { live.withLock { $0.0.store } }
    var flows: FlowDirectory { live.withLock { $0.1 } }

    /// Replaces the engine with a new one that uses the same database, as if the program had been restarted.
    func restart(hasher: PasswordHasher? = nil, limits: FlowLimits = FlowLimits()) {
        let fixture = live.withLock { $0.0 }
        let flows = fixture.flows(
            hasher: hasher ?? self.hasher,
            limits: limits,
            signUp: { [weak self] in self?.signUpMode.withLock { $0 } ?? .open },
            codeInSubject: codeInSubject,
            takesAddress: takesAddress,
            catalogue: { [weak self] in
                self?.catalogue.withLock { $0 } ?? PolicyCatalogue(policies: [], checks: [])
            }
        )
        live.withLock { $0.1 = flows }
    }

    /// Does the same as ``restart(hasher:limits:)``, but also closes and reopens the database.
    func reopen() throws {
        try store.close()
        let fixture = try AuthorityFixture(at: place, mails: mails)
        live.withLock { $0.0 = fixture }
        restart()
    }

    func start(
        _ kind: PolicyKind = .signIn,
        owner: Owner = jo,
        requirement: Requirement = Requirement(),
        pending: PendingRequest? = nil,
        joinKey: String? = nil,
        requestID: String? = nil,
        prefill: [String: JSONValue] = [:],
        presentation: Presentation = Presentation()
    ) async throws -> Started {
        var caller = Caller(owner: owner)
        caller.presentation = presentation
        let policy = try PolicyID("b2c_1_\(kind.rawValue.replacing("-", with: "_"))")
        return try await flows.start(
            FlowRequest(
                caller: caller,
                client: "tasks-cli",
                policy: policy,
                requirement: requirement,
                pending: pending,
                joinKey: joinKey,
                requestID: requestID,
                prefill: prefill
            )
        )
    }

    func submit(
        _ flow: Flow,
        _ answers: [String: JSONValue],
        owner: Owner = jo,
        id: String = UUID().uuidString,
        correlationID: CorrelationID = .random()
    ) async throws -> SubmissionResult {
        let step = try #require(flow.step)
        return try await flows.submit(
            FlowSubmission(flow: flow.id, step: step.id, submissionID: id, answers: answers),
            caller: Caller(owner: owner, correlationID: correlationID)
        )
    }

    func act(_ flow: Flow, _ action: String, value: String? = nil, owner: Owner = jo) async throws -> SubmissionResult {
        let step = try #require(flow.step)
        return try await flows.act(
            FlowAction(
                flow: flow.id,
                step: step.id,
                action: action,
                submissionID: UUID().uuidString,
                value: value
            ),
            caller: Caller(owner: owner)
        )
    }

    /// Removes all mail from the outbox, and returns the newest message.
    func mail() async throws -> OutboxMail? {
        var last: OutboxMail?
        while case let taken = try await store.outbox.take(limit: 100, lease: .seconds(60)), !taken.isEmpty {
            for mail in taken {
                last = mail.mail
                try await store.outbox.done(mail.id)
            }
        }
        return last
    }

    /// Returns the code in the newest e-mail, and removes all mail from the outbox.
    func code() async throws -> String? {
        try await mail()?.body.reveal().split(separator: "\n").map(String.init).first {
            $0.utf8.count == 6 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
    }

    /// Signs up a user with the password `Secret123`.
    @discardableResult
    func signUp(_ email: String = "jo@example.org", owner: Owner = jo) async throws -> FlowOutcome {
        let flow = try await start(.signUp, owner: owner).flow
        let answers: [String: JSONValue] = ["email": .string(email), "displayName": "Jo", "password": "Secret123"]
        let asked = try await submit(flow, answers, owner: owner)
        let code = try #require(try await code())
        let result = try await submit(asked.flow, ["code": .string(code)], owner: owner)
        return try #require(result.finished)
    }

    /// Starts a sign-in, and submits a name and a password.
    func signIn(
        _ password: String,
        as name: String = "jo@example.org",
        owner: Owner = jo
    ) async throws
        -> SubmissionResult
    {
        let flow = try await start(.signIn, owner: owner).flow
        return try await submit(flow, ["username": .string(name), "password": .string(password)], owner: owner)
    }

    /// The number of commits in the write-ahead log of the database.
    func commits() throws -> Int { try TestSupport.commits(inLogOf: state + "/authority.sqlite") }

    /// Claims an answer without evaluating the answer, as if the program had been killed after the claim.
    func claim(
        _ flow: Flow,
        _ answers: [String: JSONValue],
        owner: Owner = jo,
        id: String = "cut"
    ) async throws {
        _ = try await claimed(flow, answers, owner: owner, id: id)
    }

    /// Claims an answer, and returns its evaluation, the function that runs this evaluation, and the stored flow.
    func claimed(
        _ flow: Flow,
        _ answers: [String: JSONValue],
        owner: Owner = jo,
        id: String = "cut"
    ) async throws -> (work: Evaluation, run: PreparedEvaluation.Run, flow: StoredFlow) {
        let rows = flows.engine.rows
        let stored = try await rows.load(flow.id, owner: owner)
        let machine = try #require(stored.machine)
        let event = FlowEvent.submitted(step: flow.step?.id ?? "", id: id, answers: answers)
        let next = machine.reduce(stored.record, event, now: clock.now)
        let work = try #require(next.evaluation)
        let run = try await rows.claim(next, evaluating: work, over: stored, Caller(owner: owner)).get()
        return (work, run, stored.written(next.record))
    }

    /// Uses up `count` of the current minute's evaluations, each from a different uid.
    func fillEvaluations(_ count: Int) async throws {
        let attempts = Attempts(store: store)
        for index in 0..<count {
            try await attempts.chargeHash(origin: .local(machine: "m", uid: UInt32(6000 + index)))
        }
    }

    func finishedAtOnce(_ flow: Flow) async throws -> FlowOutcome? {
        flows.finishedAtOnce(try await flows.load(flow.id, owner: Self.jo))
    }

    func events() async throws -> [String] {
        try await store.audit.all(since: 0, limit: 1000).map(\.event)
    }
}

/// Returns the refusal that `body` throws, or `nil` if `body` throws no refusal.
func refusal(_ body: () async throws -> some Any) async -> Refusal? {
    do {
        _ = try await body()
        return nil
    } catch { return error as? Refusal }
}
