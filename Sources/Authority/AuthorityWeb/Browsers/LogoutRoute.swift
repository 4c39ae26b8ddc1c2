import Authority
import FlowModel
import Foundation
import HTTPServer
import HTTPTypes
import HostedPages
import Hummingbird
import OAuth

/// The end session endpoint (OpenID Connect RP-Initiated Logout §2).
struct LogoutRoute: AuthorityRoute {
    let place: AuthorityPaths
    let door: BrowserEndpoints

    var paths: [String] { place.paths(behindPolicy: AuthorityEndpoint.logout.path) }
    var methods: [HTTPRequest.Method] { [.get, .post] }
    var operation: RouteOperation? {
        RouteOperation(
            summary: "Sign the browser out (OpenID Connect RP-Initiated Logout §2).",
            answer: .page,
            parameters: .optional(
                "id_token_hint",
                "client_id",
                "post_logout_redirect_uri",
                "state",
                "ui_locales"
            )
        )
    }

    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let asked = try await BrowserRequest(request, context, at: place, door)
        let (form, page) = (asked.query, asked.page)
        guard asked.posted?.repeated.isEmpty ?? true else { return page.doubled() }
        // A posted form without a decision is a client's logout request, not the authority's confirmation form.
        let decision = asked.posted.flatMap { form in
            form[PageForm.Field.decision].map { (csrf: form[PageForm.Field.csrf] ?? "", allows: $0 == "allow") }
        }
        if let posted = asked.posted, decision == nil {
            // Browsers send no session cookie with a form from another site (SameSite=Lax, RFC 6265bis). The redirect makes
            // the browser repeat the request as GET. `p` comes from the address of the request, not from the form.
            let policy = form["p"].map { [(name: "p", value: $0)] } ?? []
            return .seeOther("\(request.uri.path)?" + Form.encoded(posted.pairs.filter { $0.name != "p" } + policy))
        }
        guard decision == nil || page.isSameSite else { return page.forged(again: request.uri.path) }
        let browser = door.browser(request, context)
        do {
            switch try await door.flows.signOut(form, policy: asked.policy, decision: decision, browser) {
            case .asks(let person, let csrf):
                let action = "\(request.uri.path)?" + Form.encoded(form.pairs)
                let question = PageForm(action: action, csrf: csrf, submission: "")
                let decision = DecisionPage(.signOut(person: person), form: question, now: Date())
                return .page(page.html(.decision(decision)))
            case .done(let back):
                // Another site's request lacks the session cookie, and must not remove it without confirmation.
                let cookies = browser.session == nil ? [] : [door.cookies.removingSession]
                guard let back else { return page.answer(.signedOut, cookies: cookies) }
                return request.method == .post
                    ? page.goesOn(to: back, cookies: cookies) : .seeOther(back.address, cookies: cookies)
            case .leaves(let leaving):
                let cookies = [door.cookies.removingSession, ProviderRoute.away(leaving, place, door)]
                return page.leaves(leaving, .signingOut(provider: leaving.provider), cookies: cookies)
            case .stays: return page.answer(.refused)
            }
        } catch let error as OAuthError {
            return page.error(
                .request,
                .badRequest,
                code: error.code.rawValue,
                detail: Text(exactly: error.description)
            )
        } catch BrowserProblem.forged {
            return page.forged(again: request.uri.path)
        } catch let refusal as Refusal {
            return page.refusal(refusal)
        }
    }
}
