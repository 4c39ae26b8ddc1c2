import FlowModel
import HTTPServer
import HTTPTypes
import HostedPages
import Hummingbird
import OAuth

/// The route of the redirect URI, to which external providers send the browser back.
struct ProviderRoute: AuthorityRoute {
    /// The part of the registered redirect URI's path that follows the tenant.
    static let path = "/oauth2/authresp"

    let place: AuthorityPaths
    let door: BrowserEndpoints

    var paths: [String] { [place.prefix + "/{tenant}" + Self.path] }
    var methods: [HTTPRequest.Method] { [.get, .post] }
    var operation: RouteOperation? {
        RouteOperation(
            summary: "Receive the response of an external identity provider.",
            answer: .page,
            parameters: .optional("state", "code", "iss", "error")
        )
    }

    /// Returns the `Set-Cookie` field of the cookie that the browser must send when it returns from the provider.
    static func away(_ leaving: LeavingBrowser, _ place: AuthorityPaths, _ door: BrowserEndpoints) -> String {
        door.cookies.settingAway(leaving.cookie, mark: leaving.mark, path: place.root + path)
    }

    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try place.requireTenant(context)
        var writer = PageWriter(place: place, request: request, context: context, policy: nil)
        guard request.method == .get else { return try await again(try await request.form(context)) }
        let form = try request.query()
        guard form.repeated.isEmpty else { return writer.doubled() }
        guard writer.fetch.opensPage, let state = form["state"] else {
            return writer.error(.link, .notFound, code: "flow_not_found")
        }
        let mark = BrowserRedirects.mark(ofState: state)
        let cookies = door.cookies.values(of: door.cookies.away(mark), in: request)
        let used = door.cookies.removingAway(mark, path: place.root + Self.path)
        do {
            switch try await door.flows.redirects.returned(form, cookies: cookies, door.browser(request, context)) {
            case .goesOn(let ticket, let cookie):
                return writer.answer(.goesOn(cookie: cookie), ticket: ticket, cookies: [used], door)
            case .posted(.answer(let answer, let session), _, let look):
                writer.show(look)
                return writer.returns(answer, cookies: session.map(door.cookies.setting) ?? [])
            case .posted(let outcome, let ticket, let look):
                writer.show(look)
                return writer.answer(outcome, ticket: ticket, cookies: [used], door)
            case .failed(let refusal, let ticket, let look):
                writer.show(look)
                return writer.refusal(refusal, again: writer.address(FlowRoute.path(place, ticket)))
            case .signedOut(let back?, let look):
                writer.show(look)
                return writer.goesOn(to: back, cookies: [used])
            case .signedOut(nil, let look):
                writer.show(look)
                return .page(writer.html(.notice(NoticePage(.signedOut))), cookies: [used])
            }
        } catch BrowserProblem.ended(let end) {
            return writer.ended(end)
        } catch is BrowserProblem {
            return writer.error(.link, .notFound, code: "flow_not_found")
        } catch let refusal as Refusal {
            return writer.refusal(refusal)
        }
    }

    /// Repeats a posted response (`response_mode=form_post`) as a GET request, which includes the cookies.
    private func again(_ form: Form) async throws -> Response {
        let pairs = ["state", "code", "iss", "error"].compactMap { name in form[name].map { (name: name, value: $0) } }
        return .seeOther("\(place.root)\(Self.path)?\(Form.encoded(pairs))")
    }
}
