import FlowModel
import Moments
import OAuth
import OpenIDClient

/// A person's sign-in at an outside authority, under way in a browser.
struct OutsideFlow: Sendable {
    /// The beginning of its id, which tells it from flows that are answered here.
    static let prefix = "fo_"

    let id: String
    let owner: Owner
    let request: OutsideRequest
    /// The secrets that the authority's answer must fit.
    let secrets: ProviderRequest
    let ends: Deadline
    private(set) var rev = 1
    private(set) var state = FlowState.pending
    /// The person's account, as soon as it is kept.
    private(set) var account: String?
    /// The end of the time for which a flow that has ended is kept.
    private(set) var kept: Deadline?
    /// True from the first answer of the authority on: a code is redeemed once.
    var isAnswered = false

    init(_ request: OutsideRequest, owner: Owner, id: String, secrets: ProviderRequest, at now: Moment) {
        self.request = request
        self.owner = owner
        self.id = OutsideFlow.prefix + id
        self.secrets = secrets
        ends = Deadline(FlowLimits.flowLife, after: now)
    }

    /// The flow as its owner sees it.
    var shown: Flow {
        var flow = Flow(
            id: id,
            rev: rev,
            policy: request.registration.name,
            state: state,
            expiresAt: ends.wall,
            want: Flow.Want(
                scopes: request.asked.scopes,
                acrValues: request.demand.acrValues,
                maxAge: request.demand.maxAge
            )
        )
        flow.account = account
        return flow
    }

    /// Ends the flow; one that has ended stays as it is.
    mutating func end(_ state: FlowState, account: String? = nil, at now: Moment) {
        guard !self.state.isTerminal else { return }
        self.state = state
        self.account = account
        rev += 1
        kept = Deadline(FlowLimits.terminalKept, after: now)
    }

    /// True once nobody needs it any more.
    func isGone(at now: Moment) -> Bool { kept?.hasEnded(at: now) ?? false }
}
