import Authority
import FlowModel
import HTTPServer
import HTTPTypes
import HostedPages
import Hummingbird
import OAuth

/// The authorization endpoint (RFC 6749 §3.1, OpenID Connect Core §3.1.2).
struct AuthorizeRoute: AuthorityRoute {
    let place: AuthorityPaths
    let door: BrowserEndpoints

    var paths: [String] { place.paths(behindPolicy: AuthorityEndpoint.authorize.path) }
    var methods: [HTTPRequest.Method] { [.get, .post] }
    var operation: RouteOperation? {
        RouteOperation(
            summary: "Authorize a client with the user's consent (RFC 6749 §3.1).",
            answer: .page,
            parameters: .authorization.and(.optional("request_uri"))
        )
    }

    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let asked = try await BrowserRequest(request, context, at: place, door)
        let page = asked.page
        // A page on another site must not be able to use up the rate limits of its visitors' IP addresses. So only
        // requests that open a page or a frame are handled (RFC 9700 §4.16).
        guard page.fetch.opensPage || page.fetch.opensFrame else { return Self.inside(page) }
        let browser = door.browser(request, context)
        if browser.session == nil, let address = Self.again(asked, at: request.uri.path) { return .seeOther(address) }
        do {
            let form = try await door.flows.authority.requests.parameters(
                asked.posted ?? asked.query,
                policy: asked.policy
            )
            // If the request refers to a pushed request, `form` contains only the pushed parameters (RFC 9126 §4).
            guard page.fetch.opensPage || form["prompt"] == RequestedPrompt.none.rawValue else {
                return Self.inside(page)
            }
            switch try await door.flows.authorize(form, policy: asked.policy, browser) {
            case .answer(let answer): return page.answer(answer)
            case .pages(let ticket, let cookie):
                return FlowRoute.opening(ticket, cookie, place, door)
            case .leaves(let leaving, let ticket, let cookie):
                let path = FlowRoute.path(place, ticket.reveal())
                let cookies = [door.cookies.settingFlow(cookie, path: path), ProviderRoute.away(leaving, place, door)]
                return .seeOther(leaving.address, cookies: cookies)
            }
        } catch AuthorizationRefusal.page(let error) {
            return page.error(.client, .badRequest, code: error.code.rawValue, detail: Text(exactly: error.description))
        } catch let refusal as Refusal {
            return page.refusal(refusal)
        }
    }

    /// Returns the address for repeating a POST request as GET, or `nil` if no repetition is needed.
    ///
    /// From another site, the browser sends the session cookie only with a GET request (RFC 6265bis §5.2,
    /// SameSite=Lax).
    private static func again(_ asked: BrowserRequest, at path: String) -> String? {
        guard let posted = asked.posted, posted.repeated.allSatisfy({ $0 == "resource" }) else { return nil }
        // The policy in the address applies, even if the form names a different policy.
        let policy = asked.query["p"].map { [(name: "p", value: $0)] } ?? []
        let address = "\(path)?" + Form.encoded(posted.pairs.filter { $0.name != "p" } + policy)
        return address.utf8.count <= longestAddress ? address : nil
    }

    /// The maximum length of an address to which a POST request is redirected, in bytes (RFC 9110 §4.1).
    private static let longestAddress = 8000

    private static func inside(_ page: PageWriter) -> Response {
        page.error(.request, .forbidden, code: "invalid_request", detail: Text("error.request.inside"))
    }
}
