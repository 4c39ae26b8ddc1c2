public import Authority
public import AuthorityStore
public import FlowModel
public import Flows
public import Logging
public import Moments
import Policies
import StoreRefusals

/// Turns an authorization request into a flow with pages, and sends the flow's result to the client.
///
/// The authority and the flows make all decisions. This type tracks which browser a flow belongs to and what happens
/// when the flow ends.
public struct BrowserFlows: Sendable {
    /// The authority that decides on requests.
    public let authority: Authority
    let flows: FlowDirectory
    let store: AuthorityStore
    let clock: MomentClock
    let logger: Logger
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
        tickets = Tickets(store: store, clock: clock)
    }

    /// The pages of a flow.
    public var pages: FlowPages { FlowPages(browsers: self) }

    /// The account pages of signed-in users.
    public var accounts: AccountPages { AccountPages(browsers: self) }

    /// The links and user codes that let a browser continue a terminal's flow.
    public var terminals: TerminalLinks { TerminalLinks(browsers: self) }

    /// The decisions that users make about devices.
    public var devices: DeviceApprovals { DeviceApprovals(browsers: self) }

    /// The redirects to external providers and back.
    public var redirects: BrowserRedirects { BrowserRedirects(browsers: self) }

    /// Whether browsers reach the authority over https, which is required for users to stay signed in.
    ///
    /// Over http, services on all ports of the host can read the cookies. Sessions therefore end with their flow.
    var keepsSessions: Bool { authority.settings().base.hasPrefix("https:") }
}

/// The reasons why a browser cannot continue a flow.
public enum BrowserProblem: Error, Sendable {
    /// This browser has no such flow, or the flow belongs to another browser.
    case notHere
    /// The flow is not yet bound to a browser. Call ``TerminalLinks/arrive(at:_:)``.
    case unclaimed
    /// The form did not come from the flow's page.
    case forged
    /// The flow has ended. The answer, if any, is for the client. A blocked user can try again after `retryAfterMs`.
    case ended(FlowState, AuthorizationAnswer?, retryAfterMs: Int64?, message: String?)
}

extension BrowserFlows {
    static let rows = StoreRefusals(
        of: Text("refusal.store.authority"),
        absent: Refusal(.flowNotFound, Text("refusal.noSuchFlow")),
        crowded: Refusal(.limitExceeded, Text("refusal.tooManySignIns"))
    )
}
