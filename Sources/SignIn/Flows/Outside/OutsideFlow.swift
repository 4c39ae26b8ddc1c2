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
    private(set) var ends: Deadline
    private(set) var rev = 1
    private(set) var state = FlowState.pending
    /// The person's account, as soon as it is kept.
    private(set) var account: String?
    /// The port that is open for it.
    private var port: ReturnPort?
    /// The codes by which a person signs in on another device.
    private(set) var device: DeviceGrant?
    /// The question for the address at which a browser ended, where nobody comes back by it.
    private(set) var step: Step?
    /// The number of addresses that were none of this sign-in.
    private(set) var malformed = 0
    /// The other user, or the machine, whose browser opened the link; nil if there is none.
    private(set) var openedBy: LinkOpener?
    /// The caller's name of the answer that was taken.
    var submission: String?
    /// The end of the time for which a flow that has ended is kept.
    private(set) var kept: Deadline?
    /// True from the first answer of the authority on: a code is redeemed once.
    var isAnswered = false

    init(
        _ request: OutsideRequest,
        owner: Owner,
        id: String,
        secrets: ProviderRequest,
        port: ReturnPort? = nil,
        at now: Moment
    ) {
        self.request = request
        self.port = port
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
            policy: request.policy,
            state: isAsking ? .challenge : state,
            expiresAt: ends.wall,
            want: Flow.Want(
                scopes: request.asked.scopes,
                acrValues: request.demand.acrValues,
                maxAge: request.demand.maxAge
            ),
            step: isAsking ? step : nil
        )
        flow.account = account
        flow.openedBy = openedBy
        return flow
    }

    /// Waits for a person on another device, no longer than the codes live.
    mutating func wait(for device: DeviceGrant) {
        self.device = device
        if device.expires.boot < ends.boot { ends = device.expires }
    }

    /// Asks for the tokens more seldom.
    mutating func slowDown() { device?.slowDown() }

    /// True while the person is asked for an address.
    private var isAsking: Bool { step != nil && !isAnswered && !state.isTerminal }

    /// Asks for the address at which a browser ended.
    mutating func ask(_ step: Step) {
        guard self.step == nil else { return }
        self.step = step
        rev += 1
    }

    /// Records whose browser opened the link.
    mutating func open(by opener: LinkOpener) {
        openedBy = opener
        rev += 1
    }

    /// Counts an address that is none of this sign-in.
    mutating func noteMalformed() { malformed += 1 }

    /// Ends the flow; one that has ended stays as it is.
    mutating func end(_ state: FlowState, account: String? = nil, at now: Moment) {
        guard !self.state.isTerminal else { return }
        self.state = state
        port?.close()
        port = nil
        self.account = account
        rev += 1
        kept = Deadline(FlowLimits.terminalKept, after: now)
    }

    /// True once nobody needs it any more.
    func isGone(at now: Moment) -> Bool { kept?.hasEnded(at: now) ?? false }
}
