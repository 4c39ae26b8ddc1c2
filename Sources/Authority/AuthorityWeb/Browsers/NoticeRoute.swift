import Authority
import FlowModel
import HTTPServer
import HTTPTypes
import HostedPages
import Hummingbird
import OAuth
import Policies

/// The page that confirms a submitted form after a redirect, so that reloading does not repeat it (RFC 9700 §4.12).
struct NoticeRoute: AuthorityRoute {
    /// The effect of a submitted form, whose raw value appears in the address.
    enum Done: String, CaseIterable {
        /// A device was approved.
        case connected
        /// The user completed a flow that was started from a terminal.
        case answered
        /// The user denied a device, a terminal or a logout request.
        case refused
        /// The user was signed out at a client's request.
        case signedOut = "signed-out"
        /// The user signed out with the button on the account page.
        case left
    }

    private static let done = "done"
    /// The query parameter that names the policy whose branding the page shows, as in Azure AD B2C.
    private static let policy = "p"

    let place: AuthorityPaths
    let door: BrowserEndpoints

    var paths: [String] { [place.prefix + "/{tenant}/notice"] }
    var operation: RouteOperation? {
        RouteOperation(
            summary: "Show what a submitted form has done.",
            answer: .page,
            parameters: .one(Self.done, of: Done.allCases.map(\.rawValue)).and(.optional("ui_locales"))
        )
    }

    static func address(_ done: Done, _ writer: PageWriter) -> String {
        let looks = writer.policy.map { [(name: policy, value: $0.id.description)] } ?? []
        return writer.address("\(writer.place.root)/notice", [(name: Self.done, value: done.rawValue)] + looks)
    }

    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try place.requireTenant(context)
        let query = try request.query()
        let policy = query[Self.policy].flatMap { try? PolicyID($0) }.flatMap(door.flows.authority.policy)
        let writer = PageWriter(place: place, request: request, context: context, policy: policy)
        guard query.repeated.isEmpty else { return writer.doubled() }
        // A link from another site must not make the page confirm an action that did not happen.
        guard writer.fetch.opensPage, !writer.fetch.isForeign, let done = query[Self.done].flatMap(Done.init) else {
            return writer.error(.notFound, .notFound, code: "not_found")
        }
        do {
            switch done {
            case .signedOut, .left:
                guard try await !door.flows.isSignedIn(door.browser(request, context)) else {
                    return .seeOther(AccountRoute.address(writer))
                }
            case .connected, .answered, .refused: break
            }
            return writer.page(done)
        } catch let refusal as Refusal {
            return writer.refusal(refusal)
        }
    }
}

extension PageWriter {
    /// Returns the confirmation page, or a redirect to that page if the request posted a form.
    func answer(_ done: NoticeRoute.Done, cookies: [String] = []) -> Response {
        switch request.method {
        case .post: .seeOther(NoticeRoute.address(done, self), cookies: cookies)
        default: page(done, cookies: cookies)
        }
    }

    fileprivate func page(_ done: NoticeRoute.Done, cookies: [String] = []) -> Response {
        let page =
            switch done {
            case .connected: NoticePage(.deviceConnected)
            case .answered: NoticePage(.backToTerminal)
            case .refused: NoticePage(.turnedAway)
            case .signedOut: NoticePage(.signedOut)
            case .left: NoticePage(.signedOut, again: AccountRoute.address(self))
            }
        return .page(html(.notice(page)), cookies: cookies)
    }
}
