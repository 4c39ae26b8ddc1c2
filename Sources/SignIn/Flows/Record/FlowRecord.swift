import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// A flow as it is stored, encrypted: the request, the phase, the history, the known facts, and temporary data.
///
/// Everything that must be deleted when the flow ends is in ``inHand``.
struct FlowRecord: Codable, Hashable, Sendable {
    /// The request that started the flow.
    let order: FlowOrder
    /// The phase of the flow.
    var phase: FlowPhase
    /// The revision, and a record of what has happened.
    var history = FlowHistory()
    /// The facts known so far about the user and the authentication.
    var known: FlowFacts
    /// The data that is deleted when the flow ends.
    var inHand: InHand

    /// The origin that the flow's answers and email messages are counted against.
    var origin: Origin { order.begunAt }

    /// The state reported to clients.
    var state: FlowState { phase.state }

    /// The step that is open or whose answer is being evaluated, or `nil` if there is none.
    var step: OpenStep? { phase.step }

    /// Whether the flow has ended.
    var isEnded: Bool { phase.end != nil }

    /// Whether an answer or a lookup is being evaluated.
    var isEvaluating: Bool { phase.claim != nil }

    /// The outcome, or `nil` if the flow has not succeeded.
    var outcome: FlowOutcome? {
        if case .succeeded(let outcome)? = phase.end?.ending { outcome } else { nil }
    }

    /// The user of the flow, or `nil` if the user is not known yet.
    var user: UserID? {
        if let person = known.person { return person.user }
        if let outcome { return outcome.user }
        if case .user(let user) = order.requirement.user { return user }
        return nil
    }

    /// Opens a step with the next step number.
    mutating func ask(_ kind: any StepKind, check: String?, at now: Moment, ends: Deadline, messages: [Message]) {
        history.steps += 1
        history.revision += 1
        phase = .asking(
            OpenStep(ordinal: history.steps, kind: kind, check: check, at: now, ends: ends, messages: messages)
        )
    }

    /// Marks an answer to the open step as being evaluated, so that it cannot be submitted again.
    mutating func evaluate(_ claim: Claim, over step: OpenStep) {
        history.submissions.append(SubmissionRecord(id: claim.submission, ordinal: step.ordinal))
        phase = .evaluating(claim, over: step)
        history.revision += 1
    }

    /// Records the verdict on the answer being evaluated, unless it already has one.
    ///
    /// - Returns: Whether an answer was being evaluated.
    @discardableResult
    mutating func settle(_ verdict: Verdict) -> Bool {
        guard let claim = phase.claim,
            let index = history.submissions.lastIndex(where: { $0.id == claim.submission }),
            history.submissions[index].verdict == nil
        else { return false }
        history.submissions[index].verdict = verdict
        return true
    }

    /// Ends the flow, and deletes all data that must not outlive it.
    mutating func end(_ ending: FlowEnd.Ending, keptUntil: Deadline) {
        phase = .ended(FlowEnd(ending: ending, keptUntil: keptUntil))
        inHand = InHand()
        history.revision += 1
    }

    /// Adds details about why the flow ended.
    mutating func explain(_ add: (inout FlowEnd) -> Void) {
        guard case .ended(var end) = phase else { return }
        add(&end)
        phase = .ended(end)
    }
}

extension FlowRecord {
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        order = try members.decode(FlowOrder.self, forKey: .order)
        phase = try members.decode(FlowPhase.self, forKey: .phase)
        history = try members.decode(FlowHistory.self, forKey: .history)
        known = try members.decode(FlowFacts.self, forKey: .known)
        // A flow that was ended outside of the state machine has no such data (`FlowRow.inHand`).
        inHand = try members.decodeIfPresent(InHand.self, forKey: .inHand) ?? InHand()
    }
}

/// The request that started a flow.
///
/// It never changes.
struct FlowOrder: Codable, Hashable, Sendable {
    /// The flow id that the owner uses.
    ///
    /// Only its hash is stored unencrypted.
    let id: String
    /// The secret from which step ids are derived.
    let seed: Data
    let owner: Owner
    /// The origin from which the flow was started.
    ///
    /// Answers are counted against this origin.
    let begunAt: Origin
    /// The owner of the session cookie that the browser had at the start, or `nil` if it had none.
    ///
    /// Signing out of that session also ends the flow.
    let begunBeside: Owner?
    let client: String
    let policy: PolicyID
    /// The digest of the policy at the time the flow was started.
    let policyDigest: String
    let requirement: Requirement
    let want: Flow.Want
    let pendingRequest: String?
    /// When the flow expires.
    let ends: Deadline
    /// Whether the flow can create a session if its policy allows it.
    let leavesSession: Bool
    /// Whether the caller sends a token from the identity provider instead of having the user visit the provider.
    let bringsToken: Bool
    /// Whether the caller's origin had already authenticated the user, so that the flow does not prompt for
    /// authentication.
    let isAuthenticated: Bool
    /// The secret name of the device on which the user signs in, or `nil` if devices cannot be distinguished.
    let device: String?
    /// A digest of the request, to detect a different request with the same id, or `nil` if the request had no id.
    let requestDigest: String?
    /// The user's language, and the step types that the caller's program can show.
    let presentation: Presentation

    init(
        id: String,
        seed: Data,
        owner: Owner,
        begunAt: Origin? = nil,
        begunBeside: Owner? = nil,
        client: String,
        policy: Policy,
        requirement: Requirement = Requirement(),
        want: Flow.Want = Flow.Want(),
        pendingRequest: String? = nil,
        ends: Deadline,
        leavesSession: Bool = true,
        bringsToken: Bool = false,
        isAuthenticated: Bool = false,
        device: String? = nil,
        requestDigest: String? = nil,
        presentation: Presentation = Presentation()
    ) {
        self.id = id
        self.seed = seed
        self.owner = owner
        self.begunAt = begunAt ?? owner.origin
        self.begunBeside = begunBeside
        self.client = client
        self.policy = policy.id
        policyDigest = policy.digest
        self.requirement = requirement
        self.want = want
        self.pendingRequest = pendingRequest
        self.ends = ends
        self.leavesSession = leavesSession
        self.bringsToken = bringsToken
        self.isAuthenticated = isAuthenticated
        self.device = device
        self.requestDigest = requestDigest
        self.presentation = presentation
    }
}

/// The revision of a flow, and its history.
struct FlowHistory: Codable, Hashable, Sendable {
    /// The revision number, which increases with every change.
    var revision = 1
    /// The number of steps opened so far.
    var steps = 0
    /// The step numbers of steps that have expired.
    var timedOut: Set<Int> = []
    var submissions: [SubmissionRecord] = []
    /// The number of codes sent by email.
    var mails = 0
    /// Where the answers in a linking flow came from: browsers' tickets, or an empty string for the socket.
    ///
    /// `nil` before the first answer, and in other flows.
    var answeredAt: Set<String>?
    /// The other user or machine whose browser opened the flow's link, or `nil` if there is none.
    var openedBy: LinkOpener?
    /// The number of revisions that only record that the link was opened.
    var openings = 0
}

/// An answer that was accepted.
///
/// Its content is not stored, not even as a digest.
struct SubmissionRecord: Codable, Hashable {
    let id: String
    let ordinal: Int
    var verdict: Verdict?
}
