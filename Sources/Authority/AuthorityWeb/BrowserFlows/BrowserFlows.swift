public import Authority
public import AuthorityStore
import Crypto
public import FlowModel
public import Flows
import Foundation
public import Logging
public import Moments
import OAuth
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
    /// The key of the tokens against forged requests, the same for all daemons of the authority.
    private let formKey: SymmetricKey

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
        formKey = SymmetricKey(data: store.derived.formKey.revealBytes())
    }

    /// True if browsers reach the authority by https, so that they may stay signed in.
    ///
    /// Over http any service of the host reads the cookies, whatever its port: no session outlives its flow there.
    var keepsSessions: Bool { authority.settings().base.hasPrefix("https:") }

    /// The token that proves that a form came from the page of this step, which only the ticket's browser is shown.
    func token(_ ticket: Ticket, _ step: String) -> String {
        let text = "form\u{1F}\(ticket.hash)\u{1F}\(step)"
        return Base64URL.encode(Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: formKey)))
    }

    /// The token that proves that a form for `purpose` came from a page that a signed-in browser was shown.
    func token(of purpose: String, _ owner: Owner) -> String {
        let text = "form\u{1F}\(purpose)\u{1F}\(owner.key)"
        return Base64URL.encode(Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: formKey)))
    }

    /// A secret that follows from a request's end, the same however often the last answer is repeated.
    func derived(_ purpose: String, _ pending: String) -> Secret {
        let text = "\(purpose)\u{1F}\(pending)"
        return Secret(
            Base64URL.encode(Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: formKey)).prefix(16))
        )
    }
}

/// The reasons that keep a browser from going on with a flow.
public enum BrowserProblem: Error, Sendable {
    /// There is no such flow for this browser.
    case notHere
    /// No browser has the flow yet: ``BrowserFlows/arrive(at:_:)``.
    case unclaimed
    /// The form did not come from the page of the flow.
    case forged
    /// The flow has ended; the client can still be told so, and who is blocked may try again after some milliseconds.
    case ended(FlowState, AuthorizationAnswer?, retryAfterMs: Int64?, message: String?)
}

extension BrowserFlows {
    /// The refusals where the authority's store could not do something.
    static let rows = StoreRefusals(
        of: "the authority's database",
        absent: Refusal(.flowNotFound, "there is no such flow"),
        crowded: Refusal(.limitExceeded, "too many people are signing in; try again")
    )
}
