public import Authority
public import AuthorityStore
public import FlowModel
public import Flows
public import Logging
public import Moments
import Policies
import StoreRefusals

/// The flows of browsers: carries an authorization request from the authority to the pages of a flow, and the flow's end
/// back to the client.
///
/// It decides nothing that the authority or the flows decide: it knows which browser a flow belongs to, and what follows
/// its end.
public struct BrowserFlows: Sendable {
    /// The authority that decides on requests.
    public let authority: Authority
    let flows: FlowDirectory
    let store: AuthorityStore
    let clock: MomentClock
    let logger: Logger
    let shares = FlowShares()
    let tickets: Tickets

    /// The flows of browsers over one store.
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

    /// The pages of a flow, one after the other.
    public var pages: FlowPages { FlowPages(browsers: self) }

    /// The pages of people who are signed in.
    public var accounts: AccountPages { AccountPages(browsers: self) }

    /// The links and user codes of terminals.
    public var terminals: TerminalLinks { TerminalLinks(browsers: self) }

    /// The decisions of people on devices.
    public var devices: DeviceApprovals { DeviceApprovals(browsers: self) }

    /// The ways to providers outside, and back.
    public var redirects: BrowserRedirects { BrowserRedirects(browsers: self) }

    /// True if browsers reach the authority by https, so that they may stay signed in.
    ///
    /// Over http any service of the host reads the cookies, whatever its port: no session outlives its flow there.
    var keepsSessions: Bool { authority.settings().base.hasPrefix("https:") }
}

/// The reasons that keep a browser from going on with a flow.
public enum BrowserProblem: Error, Sendable {
    /// There is no such flow for this browser.
    case notHere
    /// No browser has the flow yet: ``TerminalLinks/arrive(at:_:)``.
    case unclaimed
    /// The form did not come from the page of the flow.
    case forged
    /// The flow has ended; the client can still be told so, and who is blocked may try again after some milliseconds.
    case ended(FlowState, AuthorizationAnswer?, retryAfterMs: Int64?, message: String?)
}

extension BrowserFlows {
    /// The refusals where the authority's store could not do something.
    static let rows = StoreRefusals(
        of: Text("refusal.store.authority"),
        absent: Refusal(.flowNotFound, Text("refusal.noSuchFlow")),
        crowded: Refusal(.limitExceeded, Text("refusal.tooManySignIns"))
    )
}
