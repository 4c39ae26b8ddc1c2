import Authority
import HTTPTypes
import HostedPages
import Hummingbird
import OAuth

extension PageWriter {
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
            let cookies = session.map(door.cookies.setting) ?? []
            return request.method == .post ? returns(answer, cookies: cookies) : self.answer(answer, cookies: cookies)
        case .leaves(let leaving):
            let cookies = cookies + [ProviderRoute.away(leaving, place, door)]
            return leaves(leaving, .leaving(provider: leaving.provider), cookies: cookies)
        }
    }

    func leaves(_ leaving: LeavingBrowser, _ notice: NoticePage.Notice, cookies: [String]) -> Response {
        goesOn(to: NoticePage.Link(address: leaving.address, name: leaving.provider), notice, cookies: cookies)
    }

    /// Delivers an authorization response to the client after a form, either of the authority or of a provider.
    func returns(_ answer: AuthorizationAnswer, cookies: [String]) -> Response {
        guard let location = answer.location else { return self.answer(answer, cookies: cookies) }
        let link = NoticePage.Link(address: location, name: answer.clientName)
        return goesOn(to: link, .returning(client: answer.clientName), cookies: cookies)
    }

    /// Sends the browser of a user who is signed out to the client that requested the sign-out.
    func goesOn(to back: SignOutReturn, cookies: [String]) -> Response {
        goesOn(to: NoticePage.Link(address: back.address, name: back.clientName), .signedOut, cookies: cookies)
    }

    /// Sends a browser to a link through an intermediate page, so that the link starts a new navigation.
    ///
    /// Otherwise, Chromium applies the `form-action` directive (CSP) of the page with the form to all redirects that
    /// follow, including those of the client.
    func goesOn(to link: NoticePage.Link, _ notice: NoticePage.Notice, cookies: [String]) -> Response {
        var response = Response.page(html(.notice(NoticePage(notice, back: link))), cookies: cookies)
        if let refresh = HTTPField.Name("Refresh") { response.headers[refresh] = "0; url=\(link.address)" }
        return response
    }
}
