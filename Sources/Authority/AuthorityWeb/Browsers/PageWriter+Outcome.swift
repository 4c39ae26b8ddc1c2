import Authority
import HTTPTypes
import HostedPages
import Hummingbird
import OAuth

extension PageWriter {
    /// Answers with what followed an answer to a step.
    ///
    /// - Parameters:
    ///   - outcome: What followed.
    ///   - ticket: The ticket of the flow.
    ///   - cookies: More `Set-Cookie` fields for a flow that goes on.
    ///   - door: The door for browsers.
    /// - Returns: A page, or the way to the next one.
    func answer(_ outcome: PostedOutcome, ticket: String, cookies: [String], _ door: BrowserEndpoints) -> Response {
        let path = FlowRoute.path(place, ticket)
        switch outcome {
        case .goesOn(let cookie):
            let own = cookie.map { [door.cookies.settingFlow($0, path: path)] } ?? []
            return .seeOther(address(path), cookies: own + cookies)
        case .deviceConnected: return self.answer(.connected)
        case .backToTerminal: return self.answer(.answered)
        case .turnedAway: return self.answer(.refused)
        case .account(.session(let session)):
            return .seeOther(AccountRoute.address(self), cookies: door.cookies.setting(session))
        case .account(.visit(let ticket, let cookie)):
            return .seeOther(
                AccountRoute.address(self, visit: ticket.reveal()),
                cookies: [door.cookies.settingFlow(cookie, path: AccountRoute.path(place))]
            )
        case .account(.back(let visit, let isLinked)):
            return .seeOther(
                AccountRoute.address(self, visit: visit, changed: isLinked ? .linked : nil),
                cookies: cookies
            )
        case .answer(let answer, let session):
            return self.answer(answer, cookies: session.map(door.cookies.setting) ?? [])
        case .leaves(let leaving):
            let cookies = cookies + [ProviderRoute.away(leaving, place, door)]
            return leaves(leaving, .leaving(provider: leaving.provider), cookies: cookies)
        }
    }

    /// Sends a browser to a provider, by a page that says so.
    func leaves(_ leaving: LeavingBrowser, _ notice: NoticePage.Notice, cookies: [String]) -> Response {
        goesOn(to: NoticePage.Link(address: leaving.address, name: leaving.provider), notice, cookies: cookies)
    }

    /// Brings an answer to its client from the address that a provider has sent the browser to.
    func returns(_ answer: AuthorizationAnswer, cookies: [String]) -> Response {
        guard let location = answer.location else { return self.answer(answer, cookies: cookies) }
        let link = NoticePage.Link(address: location, name: answer.client)
        return goesOn(to: link, .returning(client: answer.client), cookies: cookies)
    }

    /// Sends a browser on by a page that says so, which ends the navigation before.
    ///
    /// What answers a form may redirect only to where its page says (CSP `form-action`, which Chromium holds against every
    /// redirect that follows): our pages do not name what a provider redirects to, nor a provider's where we redirect to.
    func goesOn(to link: NoticePage.Link, _ notice: NoticePage.Notice, cookies: [String]) -> Response {
        var response = Response.page(html(.notice(NoticePage(notice, back: link))), cookies: cookies)
        if let refresh = HTTPField.Name("Refresh") { response.headers[refresh] = "0; url=\(link.address)" }
        return response
    }
}
