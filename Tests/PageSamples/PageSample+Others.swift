import FlowModel
import Foundation
import HostedPages
import OAuth
import Policies

/// Samples of pages that do not show a step of a flow.
extension PageSample {
    static let correlation = CorrelationID("7c9e6679-7425-40de-944b-e07fc1f90ae7") ?? .random()

    static func others(_ policy: Policy) -> [PageSample] {
        let frame = PageFrame.sample(policy)
        let error = ErrorPage(
            .over,
            code: "flow_finished",
            correlation: correlation,
            time: now,
            again: "/contoso/account"
        )
        let client = ErrorPage(
            .client,
            code: "invalid_request",
            detail: Text(exactly: "redirect_uri is not registered for this client"),
            correlation: correlation,
            time: now
        )
        let pages: [(String, HostedPage)] = [
            ("device", .deviceCode(DeviceCodePage(form: form))),
            ("device-unknown", .deviceCode(DeviceCodePage(form: form, userCode: "BCDF-GHJK", isUnknown: true))),
            ("device-confirm", .decision(DecisionPage(.device(device), form: form, now: now))),
            ("ticket", .words(WordsPage(ticket, form: form, now: now))),
            ("ticket-missing", .words(ticket(.missing))), ("ticket-wrong", .words(ticket(.wrong(left: 2)))),
            ("ticket-link", .words(ticket(nil, links: true))),
            ("sign-out", .decision(DecisionPage(.signOut(person: "ada@example.org"), form: form, now: now))),
            (
                "signed-out",
                .notice(
                    NoticePage(.signedOut, again: "/", back: .init(address: "https://a.example/", name: "a.example"))
                )
            ),
            ("device-connected", .notice(NoticePage(.deviceConnected))),
            ("back-to-terminal", .notice(NoticePage(.backToTerminal))),
            ("turned-away", .notice(NoticePage(.turnedAway))),
            (
                "leaving",
                .notice(
                    NoticePage(
                        .leaving(provider: "Google"),
                        back: .init(address: "https://accounts.google.com/x", name: "Google")
                    )
                )
            ),
            (
                "returning",
                .notice(
                    NoticePage(
                        .returning(client: "Web Planner"),
                        back: .init(address: "https://a.example/callback?code=SplxlOBe", name: "Web Planner")
                    )
                )
            ),
            (
                "signing-out",
                .notice(
                    NoticePage(
                        .signingOut(provider: "Google"),
                        back: .init(address: "https://accounts.google.com/x", name: "Google")
                    )
                )
            ),
            ("blocked", .notice(NoticePage(.blocked(seconds: 60), again: "/"))),
            (
                "answer",
                .answer(
                    AnswerPage(
                        target: "https://a.example/callback",
                        parameters: [("code", "SplxlOBe"), ("state", "xyz")],
                        client: "Web Planner"
                    )
                )
            ),
            ("error", .error(error)), ("error-client", .error(client)), ("account", .account(account(full: true))),
            ("account-empty", .account(account(full: false))),
        ]
        return pages.map { PageSample($0.0, $0.1, in: frame) }
    }

    private static let device = DecisionPage.DeviceRequest(
        client: "Tasks for the TV",
        userCode: "BCDF-GHJK",
        scopes: ["Read your tasks", "Change your tasks"],
        address: "203.0.113.7",
        asked: now.addingTimeInterval(-40)
    )

    private static let ticket = WordsPage.Request(
        program: "tasks",
        user: "ada",
        uid: 1000,
        machine: "atlas",
        asked: now.addingTimeInterval(-12)
    )

    private static func ticket(_ problem: WordsPage.Problem?, links: Bool = false) -> WordsPage {
        var request = ticket
        request.links = links
        var page = WordsPage(request, form: form, now: now)
        page.problem = problem
        return page
    }

    private static func account(full: Bool) -> AccountPage {
        var page = AccountPage(form: form, displayName: "Ada Lovelace", username: "ada@example.org")
        page.profileAddress = "/profile"
        page.passwordAddress = "/password"
        page.sessions = [
            .init(id: "s1", browser: "Firefox on Debian", began: now, used: nil, isCurrent: true)
        ]
        guard full else { return page }
        page.providers = [
            .init(name: "partner", displayName: "Partner", linked: now),
            .init(name: "github", displayName: "GitHub", linked: nil),
        ]
        let earlier = now.addingTimeInterval(-3 * 86_400)
        page.sessions.append(
            .init(id: "s2", browser: "Safari on iPhone", began: earlier, used: now, isCurrent: false)
        )
        page.devices = [
            .init(id: "d1", name: "ada on atlas", isTerminal: true, connected: earlier),
            .init(id: "d2", name: "Tasks for the TV", isTerminal: false, connected: earlier),
        ]
        page.consents = [
            .init(
                client: "web1",
                name: "Web Planner",
                scopes: ["Read your tasks", "Change your tasks"],
                given: earlier
            )
        ]
        page.change = .passwordChanged
        return page
    }
}
