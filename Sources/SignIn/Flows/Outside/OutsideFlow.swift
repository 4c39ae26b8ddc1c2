import FlowModel
import Moments
import OAuth
import OpenIDClient

/// A person's sign-in at an outside authority, under way in a browser.
struct OutsideFlow: Sendable {
    /// How a sign-in has ended.
    struct Ending: Sendable {
        let state: FlowState
        /// The user's account; nil if none was stored.
        let account: String?
        /// The time until which the sign-in stays for a repeated reply.
        let kept: Deadline
    }

    /// The question for the address at which a browser ended, and its answers.
    struct AddressQuestion: Sendable {
        let step: Step
        /// The number of addresses that were none of this sign-in.
        var malformed = 0
        /// The caller's name of the answer that was taken; nil before one is.
        var submission: String?
    }

    /// The beginning of its id, which tells it from flows that are answered here.
    static let prefix = "fo_"

    let id: String
    let owner: Owner
    let request: OutsideRequest
    /// The secrets that the authority's answer must fit.
    let secrets: ProviderRequest
    private(set) var ends: Deadline
    private(set) var rev = 1
    /// The end; nil while it is open.
    private(set) var ending: Ending?
    /// The port that is open for it.
    private var port: ReturnPort?
    /// The codes by which a person signs in on another device.
    private(set) var device: DeviceGrant?
    /// The question for the address at which a browser ended; nil if the browser comes back by itself.
    private(set) var question: AddressQuestion?
    /// The other user, or the machine, whose browser opened the link; nil if there is none.
    private(set) var openedBy: LinkOpener?
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

    /// The state, without the question.
    var state: FlowState { ending?.state ?? .pending }

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
            step: isAsking ? question?.step : nil
        )
        flow.account = ending?.account
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
    private var isAsking: Bool { question != nil && !isAnswered && !state.isTerminal }

    /// Asks for the address at which a browser ended.
    mutating func ask(_ step: Step) {
        guard question == nil else { return }
        question = AddressQuestion(step: step)
        rev += 1
    }

    /// Records whose browser opened the link.
    mutating func open(by opener: LinkOpener) {
        openedBy = opener
        rev += 1
    }

    /// Counts an address that is none of this sign-in.
    mutating func noteMalformed() { question?.malformed += 1 }

    /// Remembers the answer that is being taken.
    mutating func take(_ submission: String) { question?.submission = submission }

    /// Ends the flow; one that has ended stays as it is.
    mutating func end(_ state: FlowState, account: String? = nil, at now: Moment) {
        guard ending == nil else { return }
        ending = Ending(state: state, account: account, kept: Deadline(FlowLimits.terminalKept, after: now))
        port?.close()
        port = nil
        rev += 1
    }

    /// True once nobody needs it any more.
    func isGone(at now: Moment) -> Bool { ending?.kept.hasEnded(at: now) ?? false }
}
