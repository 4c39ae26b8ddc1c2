import Authority
import FlowModel
import HTTPServer
import HTTPTypes
import HostedPages
import Hummingbird
import OAuth
import Policies

/// The page that says what a form has done.
///
/// Whoever has posted a form is sent here, so that loading the page again sends nothing again (RFC 9700 §4.12). The address
/// holds nothing but a fixed word.
struct NoticeRoute: AuthorityRoute {
    /// A thing that a form has done, by its word in the address.
    enum Done: String, CaseIterable {
        /// A device may go on.
        case connected
        /// The flow of a terminal was answered.
        case answered
        /// A device, a terminal or a request to sign out was turned away.
        case refused
        /// The person is signed out, as a client has asked.
        case signedOut = "signed-out"
        /// The person is signed out, by the button of the account page.
        case left
    }

    /// The parameter with the word.
    private static let done = "done"
    /// The parameter of the policy whose looks the page has, as in B2C's addresses.
    private static let policy = "p"

    let place: AuthorityPaths
    let door: BrowserEndpoints

    var paths: [String] { [place.prefix + "/{tenant}/notice"] }
    var operation: RouteOperation? {
        RouteOperation(
            summary: "Says what a form has done.",
            answer: .page,
            parameters: .one(Self.done, of: Done.allCases.map(\.rawValue)).and(.optional("ui_locales"))
        )
    }

    /// The address of a notice with the looks and in the language of the page before.
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
        // A link of somebody else's says nothing that has not happened.
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
    /// Says what was done: after a form at an address of its own, else at once.
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
