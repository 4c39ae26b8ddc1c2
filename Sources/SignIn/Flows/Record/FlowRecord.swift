import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// A flow as it is stored, sealed: what was requested, where it stands, what happened, what is known, and what it holds.
///
/// Every value that must not outlive the flow is a member of ``inHand``, which the end of the flow empties.
struct FlowRecord: Codable, Hashable, Sendable {
    /// What was requested.
    let order: FlowOrder
    /// Where the flow stands.
    var phase: FlowPhase
    /// The revision, and what has happened.
    var history = FlowHistory()
    /// Facts about the user and the authentication so far.
    var known: FlowFacts
    /// Everything that must not outlive the flow.
    var inHand: InHand

    /// The place for which its answers and mails are counted.
    var origin: Origin { order.begunAt }

    /// The state as clients see it.
    var state: FlowState { phase.state }

    /// The step that is open, or whose answer is evaluated.
    var step: OpenStep? { phase.step }

    /// Whether the flow has ended.
    var isEnded: Bool { phase.end != nil }

    /// Whether an answer, or the flow's first question, is evaluated.
    var isEvaluating: Bool { phase.claim != nil }

    /// The outcome of a flow that has succeeded.
    var outcome: FlowOutcome? {
        if case .succeeded(let outcome)? = phase.end?.ending { outcome } else { nil }
    }

    /// The person that the flow is for, as far as known.
    var user: UserID? {
        if let person = known.person { return person.user }
        if let outcome { return outcome.user }
        if case .user(let user) = order.requirement.user { return user }
        return nil
    }

    /// Opens a step, under a new number.
    mutating func ask(_ kind: any StepKind, check: String?, at now: Moment, ends: Deadline, messages: [Message]) {
        history.steps += 1
        history.revision += 1
        phase = .asking(
            OpenStep(ordinal: history.steps, kind: kind, check: check, at: now, ends: ends, messages: messages)
        )
    }

    /// Marks an answer to the open step as being evaluated, so that it cannot be used again.
    mutating func evaluate(_ claim: Claim, over step: OpenStep) {
        history.submissions.append(SubmissionRecord(id: claim.submission, ordinal: step.ordinal))
        phase = .evaluating(claim, over: step)
        history.revision += 1
    }

    /// Records the verdict on the answer that is evaluated, unless it has one.
    ///
    /// - Returns: Whether there was such an answer.
    @discardableResult
    mutating func settle(_ verdict: Verdict) -> Bool {
        guard let claim = phase.claim,
            let index = history.submissions.lastIndex(where: { $0.id == claim.submission }),
            history.submissions[index].verdict == nil
        else { return false }
        history.submissions[index].verdict = verdict
        return true
    }

    /// Ends the flow, and drops everything that must not outlive it.
    mutating func end(_ ending: FlowEnd.Ending, keptUntil: Deadline) {
        phase = .ended(FlowEnd(ending: ending, keptUntil: keptUntil))
        inHand = InHand()
        history.revision += 1
    }

    /// Adds to the end of the flow why it came to that.
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
        // A flow that something else has ended has none (`FlowRow.inHand`).
        inHand = try members.decodeIfPresent(InHand.self, forKey: .inHand) ?? InHand()
    }
}

/// What was requested; nothing changes it.
struct FlowOrder: Codable, Hashable, Sendable {
    /// The id that its owner knows; only its hash is stored in clear text.
    let id: String
    /// The secret that step ids are made from.
    let seed: Data
    let owner: Owner
    /// The place it was begun at, for which its answers are counted.
    let begunAt: Origin
    /// The owner of the session cookie that the browser had at the beginning: a logout there ends the flow, too.
    let begunBeside: Owner?
    let client: String
    let policy: PolicyID
    /// The digest of the policy that it was started with.
    let policyDigest: String
    let requirement: Requirement
    let want: Flow.Want
    let pendingRequest: String?
    /// The end of the flow's life.
    let ends: Deadline
    /// Whether it may leave a session, if its policy says so.
    let leavesSession: Bool
    /// Whether the caller brings the provider's own token, and the person does not go there.
    let bringsToken: Bool
    /// Whether the person was authenticated at the place that began the flow, so that it asks for no authentication.
    let isAuthenticated: Bool
    /// The device that the person signs in at, by a name that only it knows; nil where nothing tells devices apart.
    let device: String?
    /// A digest of the request, which distinguishes another request with the same id; nil if it had no id.
    let requestDigest: String?
    /// The language and the abilities of the program that started it.
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

/// The revision of a flow, and what has happened in it.
struct FlowHistory: Codable, Hashable, Sendable {
    /// Rises with every change.
    var revision = 1
    /// The number of steps that were opened.
    var steps = 0
    /// The numbers of steps that have expired.
    var timedOut: Set<Int> = []
    var submissions: [SubmissionRecord] = []
    /// The number of codes that were mailed.
    var mails = 0
    /// The places at which a flow that links was answered: the ticket of a browser, and nothing for the socket; nil before
    /// the first answer, and in other flows.
    var answeredAt: Set<String>?
    /// The other user, or the machine, whose browser opened the flow's link; nil if there is none.
    var openedBy: LinkOpener?
    /// The number of revisions that record an opening of the link.
    var openings = 0
}

/// An answer that was taken, without a digest of its content.
struct SubmissionRecord: Codable, Hashable {
    let id: String
    let ordinal: Int
    var verdict: Verdict?
}
