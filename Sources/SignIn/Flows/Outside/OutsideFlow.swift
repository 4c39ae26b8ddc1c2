import FlowModel
import Moments
import OAuth
import OpenIDClient

/// A user's sign-in at an external authority, in progress in a browser.
struct OutsideFlow: Sendable {
    /// The outcome of a sign-in.
    struct Ending: Sendable {
        let state: FlowState
        /// The id of the user's account, or `nil` if no account was stored.
        let account: String?
        /// When the sign-in can be removed from memory.
        ///
        /// Until then, its response can be repeated.
        let kept: Deadline
    }

    /// The step that prompts for the URL in the browser's address bar, with its answers.
    struct AddressQuestion: Sendable {
        let step: Step
        /// The number of submitted URLs that did not belong to this sign-in.
        var malformed = 0
        /// The submission id of the accepted answer, or `nil` if none has been accepted yet.
        var submission: String?
    }

    /// The prefix of the id, which distinguishes it from the ids of the local authority's flows.
    static let prefix = "fo_"

    let id: String
    let owner: Owner
    let request: OutsideRequest
    /// The secrets that the authority's response must match.
    let secrets: ProviderRequest
    private(set) var ends: Deadline
    private(set) var rev = 1
    /// The outcome, or `nil` while the sign-in is open.
    private(set) var ending: Ending?
    /// The port that is open for the browser's return, or `nil` if there is none.
    private var port: ReturnPort?
    /// The codes with which the user signs in on another device, or `nil` if there are none.
    private(set) var device: DeviceGrant?
    /// The step that prompts for the URL in the browser's address bar, or `nil` if the browser returns to this daemon.
    private(set) var question: AddressQuestion?
    /// The other user or machine whose browser opened the link, or `nil` if there is none.
    private(set) var openedBy: LinkOpener?
    /// Whether the authority has responded.
    ///
    /// A second response is ignored, because a code can only be redeemed once.
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

    /// The state, whether or not a step is open.
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

    /// Starts to wait for a user on another device, until the codes expire at the latest.
    mutating func wait(for device: DeviceGrant) {
        self.device = device
        if device.expires.boot < ends.boot { ends = device.expires }
    }

    /// Polls for the tokens less frequently.
    mutating func slowDown() { device?.slowDown() }

    /// Whether the user is being prompted for a URL.
    private var isAsking: Bool { question != nil && !isAnswered && !state.isTerminal }

    /// Opens the step that prompts for the URL in the browser's address bar.
    mutating func ask(_ step: Step) {
        guard question == nil else { return }
        question = AddressQuestion(step: step)
        rev += 1
    }

    /// Records the user or machine whose browser opened the link.
    mutating func open(by opener: LinkOpener) {
        openedBy = opener
        rev += 1
    }

    /// Counts a URL that does not belong to this sign-in.
    mutating func noteMalformed() { question?.malformed += 1 }

    /// Records the submission id of the accepted answer.
    mutating func take(_ submission: String) { question?.submission = submission }

    /// Ends the sign-in.
    ///
    /// Does nothing if it has already ended.
    mutating func end(_ state: FlowState, account: String? = nil, at now: Moment) {
        guard ending == nil else { return }
        ending = Ending(state: state, account: account, kept: Deadline(FlowLimits.terminalKept, after: now))
        port?.close()
        port = nil
        rev += 1
    }

    /// Whether the sign-in can be removed from memory.
    func isGone(at now: Moment) -> Bool { ending?.kept.hasEnded(at: now) ?? false }
}
