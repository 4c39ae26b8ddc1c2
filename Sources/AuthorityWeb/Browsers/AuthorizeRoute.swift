import Authority
import BrowserFlows
import FlowModel
import HTTPServer
import HTTPTypes
import HostedPages
import Hummingbird
import OAuth

/// The authorization endpoint (RFC 6749 §3.1, OpenID Connect Core §3.1.2).
struct AuthorizeRoute: AuthorityRoute {
    let place: AuthorityPlace
    let door: BrowserDoor

    var paths: [String] { place.paths(behindPolicy: AuthorityEndpoint.authorize.path) }
    var methods: [HTTPRequest.Method] { [.get, .post] }
    var operation: RouteOperation? {
        RouteOperation(
            summary: "Asks a person for a code for the client (RFC 6749 §3.1).",
            answer: .page,
            parameters: .authorization.and(.optional("request_uri"))
        )
    }

    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let asked = try await BrowserRequest(request, context, at: place, door)
        let (form, page) = (asked.posted ?? asked.query, asked.page)
        // A page that somebody visits may not use up what the person's address may begin (RFC 9700 §4.16).
        guard page.fetch.opensPage || (page.fetch.opensFrame && form["prompt"] == RequestedPrompt.none.rawValue) else {
            let detail = "this page is opened by itself, not inside another"
            return page.error(.request, .forbidden, code: "invalid_request", detail: detail)
        }
        do {
            switch try await door.flows.authorize(form, policy: asked.policy, door.browser(request, context)) {
            case .answer(let answer): return page.answer(answer)
            case .pages(let ticket, let cookie):
                return FlowRoute.opening(ticket, cookie, place, door)
            case .leaves(let leaving, let ticket, let cookie):
                let path = FlowRoute.path(place, ticket.reveal())
                let cookies = [door.cookies.settingFlow(cookie, path: path), ProviderRoute.away(leaving, place, door)]
                return .seeOther(leaving.address, cookies: cookies)
            }
        } catch AuthorizationRefusal.page(let error) {
            return page.error(.client, .badRequest, code: error.code.rawValue, detail: error.description)
        } catch let refusal as Refusal {
            return page.refusal(refusal)
        }
    }
}
