public import Authority
public import AuthorityStore
public import FlowModel
public import Flows
public import Logging
public import Moments
public import Policies
import StoreRefusals
import Systemd

/// Turns an authorization request into a flow with pages, and sends the flow's result to the client.
public struct BrowserFlows: Sendable {
    /// The authority that decides on requests.
    public let authority: Authority
    let flows: FlowDirectory
    let store: AuthorityStore
    let clock: MomentClock
    let logger: Logger
    let refusals: RefusalLog
    let shares = FlowShares()
    let tickets: Tickets

    /// Creates the browser flows that use one store.
    public init(
        authority: Authority,
        flows: FlowDirectory,
        store: AuthorityStore,
        clock: MomentClock,
        logger: Logger
    ) {
        self.authority = authority
        self.flows = flows
        self.store = store
        self.clock = clock
        self.logger = logger
        refusals = RefusalLog(logger: logger, clock: clock)
        tickets = Tickets(store: store, clock: clock)
    }

    /// The pages of a flow.
    public var pages: FlowPages { FlowPages(browsers: self) }

    /// The account pages of signed-in users.
    public var accounts: AccountPages { AccountPages(browsers: self) }

    /// The links and user codes with which a browser continues a flow that was started in a terminal.
    public var terminals: TerminalLinks { TerminalLinks(browsers: self) }

    /// The decisions that users make about devices.
    public var devices: DeviceApprovals { DeviceApprovals(browsers: self) }

    /// The redirects to external providers and back.
    public var redirects: BrowserRedirects { BrowserRedirects(browsers: self) }

    /// Whether users can stay signed in, which requires https, because other ports of the host can read http cookies.
    var keepsSessions: Bool { authority.settings().base.hasPrefix("https:") }

    func look(of flow: Flow, _ ticket: Ticket) -> FlowLook {
        let policy = (try? PolicyID(flow.policy)).flatMap { authority.policy($0) }
        return FlowLook(policy: policy, locales: ticket.request?.locales)
    }
}

/// The reasons why a browser cannot continue a flow.
public enum BrowserProblem: Error, Sendable {
    /// The flow does not exist, or belongs to another browser.
    case notHere
    /// The flow must first be bound to a browser with ``TerminalLinks/arrive(at:_:)``.
    case unclaimed
    /// The form has a wrong CSRF token, so it did not come from the page that the browser got.
    case forged
    /// The flow has ended.
    case ended(EndedFlow)
}

/// The end of a flow, as the flow's last page reports it.
public struct EndedFlow: Sendable {
    /// The state in which the flow has ended.
    public let state: FlowState
    /// The response that the client gets, or `nil` if it gets none.
    public let answer: AuthorizationAnswer?
    /// The milliseconds until a blocked user can try again, or `nil` if the user is not blocked.
    public let retryAfterMs: Int64?
    /// The reason that an external service gave to the user, or `nil` if it gave none.
    public let message: String?
    /// The branding and the languages of the page.
    public let look: FlowLook
}

/// The branding and the languages of a flow's pages.
public struct FlowLook: Sendable {
    /// The policy with the branding, or `nil` for the default branding.
    public let policy: Policy?
    /// The value of `ui_locales` in the request that started the flow, or `nil` if the request contains none.
    public let locales: String?
}

extension BrowserFlows {
    static let rows = StoreRefusals(
        of: Text("refusal.store.authority"),
        absent: Refusal(.flowNotFound, Text("refusal.noSuchFlow")),
        crowded: Refusal(.limitExceeded, Text("refusal.tooManySignIns"))
    )
}
