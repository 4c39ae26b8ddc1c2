import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// A flow in the form in which it is encrypted and stored.
///
/// ``inHand`` contains everything that must be deleted when the flow ends.
struct FlowRecord: Codable, Hashable, Sendable {
    let order: FlowOrder
    var phase: FlowPhase
    var history = FlowHistory()
    var known: FlowFacts
    var inHand: InHand

    /// The origin that the flow's answers and e-mail messages are counted against.
    var origin: Origin { order.begunAt }

    var state: FlowState { phase.state }

    var step: OpenStep? { phase.step }

    var isEnded: Bool { phase.end != nil }

    var isEvaluating: Bool { phase.claim != nil }

    var outcome: FlowOutcome? {
        if case .succeeded(let outcome)? = phase.end?.ending { outcome } else { nil }
    }

    var user: UserID? {
        if let person = known.person { return person.user }
        if let outcome { return outcome.user }
        if case .user(let user) = order.requirement.user { return user }
        return nil
    }

    mutating func ask(_ kind: any StepKind, check: String?, at now: Moment, ends: Deadline, messages: [Message]) {
        history.steps += 1
        history.revision += 1
        phase = .asking(
            OpenStep(ordinal: history.steps, kind: kind, check: check, at: now, ends: ends, messages: messages)
        )
    }

    /// Marks an answer to the open step as being evaluated, so that the answer cannot be submitted again.
    mutating func evaluate(_ claim: Claim, over step: OpenStep) {
        history.submissions.append(SubmissionRecord(id: claim.submission, ordinal: step.ordinal))
        phase = .evaluating(claim, over: step)
        history.revision += 1
    }

    /// Records the verdict on the answer being evaluated, or returns `false` if no answer is waiting for a verdict.
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
        // A flow that was ended outside of the state machine is stored without this data (see `FlowRow.inHand`).
        inHand = try members.decodeIfPresent(InHand.self, forKey: .inHand) ?? InHand()
    }
}

struct FlowOrder: Codable, Hashable, Sendable {
    /// The id that callers use to refer to the flow.
    ///
    /// Outside of this encrypted record, only a hash of the id is stored.
    let id: String
    /// The secret from which step ids are derived.
    let seed: Data
    let owner: Owner
    /// The origin that started the flow and that the flow's answers are counted against.
    let begunAt: Origin
    /// The owner of the session cookie that the browser sent when it started the flow, or `nil` if there was none.
    ///
    /// Signing out of the cookie's session also ends the flow.
    let begunBeside: Owner?
    let client: String
    let policy: PolicyID
    let policyDigest: String
    let requirement: Requirement
    let want: Flow.Want
    let pendingRequest: String?
    let ends: Deadline
    let leavesSession: Bool
    /// Whether the caller sends a token from the identity provider instead of having the user visit the provider.
    let bringsToken: Bool
    /// Whether the user was authenticated just before the flow, so that the flow does not authenticate the user again.
    let isAuthenticated: Bool
    /// The secret name of the device on which the user signs in, or `nil` if devices cannot be distinguished.
    let device: String?
    /// A digest of the request, to detect a different request with the same id, or `nil` if the request had no id.
    let requestDigest: String?
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

struct FlowHistory: Codable, Hashable, Sendable {
    var revision = 1
    var steps = 0
    /// The ordinals of the steps that have expired.
    var timedOut: Set<Int> = []
    var submissions: [SubmissionRecord] = []
    /// The number of codes sent by e-mail.
    var mails = 0
    /// The tickets of the browsers that answered a linking flow, or `nil` before the first answer.
    ///
    /// An empty string stands for an answer over the socket.
    var answeredAt: Set<String>?
    /// The other user or machine whose browser opened the flow's link, or `nil` if there is none.
    var openedBy: LinkOpener?
    /// The number of revisions that only record that the link was opened.
    var openings = 0
}

/// A record of a submitted answer, without the answer or a digest of it.
struct SubmissionRecord: Codable, Hashable {
    let id: String
    let ordinal: Int
    var verdict: Verdict?
}
