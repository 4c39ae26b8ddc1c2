import FlowModel
import Moments
import OAuth
import OpenIDClient

/// A user's sign-in at an external authority, in progress in a browser.
struct OutsideFlow: Sendable {
    struct Ending: Sendable {
        let state: FlowState
        /// The id of the user's account, or `nil` if no account was stored.
        let account: String?
        /// When the sign-in can be removed from memory and a lost response can no longer be repeated.
        let kept: Deadline
    }

    /// The step that prompts for the URL in the browser's address bar, and what is stored about the step's answers.
    struct AddressQuestion: Sendable {
        let step: Step
        /// The number of submitted URLs that did not belong to this sign-in.
        var malformed = 0
        /// The submission id of the accepted answer, or `nil` if none has been accepted yet.
        var submission: String?
    }

    /// The prefix of the ids of sign-ins at external authorities, which no id of a local flow has.
    static let prefix = "fo_"

    let id: String
    let owner: Owner
    let request: OutsideRequest
    /// The secrets that the authority's response must match.
    let secrets: ProviderRequest
    private(set) var ends: Deadline
    private(set) var rev = 1
    private(set) var ending: Ending?
    /// The port that is open for the browser to return to, or `nil` if there is none.
    private var port: ReturnPort?
    /// The codes for signing in on another device, or `nil` if there are none.
    private(set) var device: DeviceGrant?
    private(set) var question: AddressQuestion?
    /// The other user or machine whose browser opened the flow's link, or `nil` if there is none.
    private(set) var openedBy: LinkOpener?
    /// Whether the authority has responded, so that further responses are ignored.
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

    var state: FlowState { ending?.state ?? .pending }

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

    /// Starts waiting for the user to sign in on another device, at most until the codes expire.
    mutating func wait(for device: DeviceGrant) {
        self.device = device
        if device.expires.boot < ends.boot { ends = device.expires }
    }

    mutating func slowDown() { device?.slowDown() }

    private var isAsking: Bool { question != nil && !isAnswered && !state.isTerminal }

    mutating func ask(_ step: Step) {
        guard question == nil else { return }
        question = AddressQuestion(step: step)
        rev += 1
    }

    mutating func open(by opener: LinkOpener) {
        openedBy = opener
        rev += 1
    }

    mutating func noteMalformed() { question?.malformed += 1 }

    mutating func take(_ submission: String) { question?.submission = submission }

    /// Ends the sign-in, unless it has already ended.
    mutating func end(_ state: FlowState, account: String? = nil, at now: Moment) {
        guard ending == nil else { return }
        ending = Ending(state: state, account: account, kept: Deadline(FlowLimits.terminalKept, after: now))
        port?.close()
        port = nil
        rev += 1
    }

    func isGone(at now: Moment) -> Bool { ending?.kept.hasEnded(at: now) ?? false }
}
