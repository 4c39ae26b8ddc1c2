import Authority
import FlowModel
import Foundation
import HTTPServer
import HTTPTypes
import HostedPages
import Hummingbird
import OAuth

struct FlowRoute: AuthorityRoute {
    let place: AuthorityPaths
    let door: BrowserEndpoints

    var paths: [String] { [place.prefix + "/{tenant}/flow/{ticket}"] }
    var methods: [HTTPRequest.Method] { [.get, .post] }
    var operation: RouteOperation? {
        RouteOperation(
            summary: "Show a page of a flow, or submit its form.",
            answer: .page,
            parameters: .optional(
                PageForm.Field.csrf,
                PageForm.Field.step,
                PageForm.Field.submission,
                PageForm.Field.action,
                PageForm.Field.decision,
                PageForm.Field.words,
                PageForm.Field.sentAtOnce,
                PageForm.Field.keepMeSignedIn
            )
        )
    }

    static func path(_ place: AuthorityPaths, _ ticket: String) -> String { "\(place.root)/flow/\(ticket)" }

    /// Redirects a browser to the pages of the flow that a ticket belongs to.
    static func opening(
        _ ticket: Secret,
        _ cookie: Secret?,
        _ place: AuthorityPaths,
        _ door: BrowserEndpoints,
        _ writer: PageWriter? = nil
    ) -> Response {
        let path = path(place, ticket.reveal())
        return .seeOther(
            writer?.address(path) ?? path,
            cookies: cookie.map { [door.cookies.settingFlow($0, path: path)] } ?? []
        )
    }

    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try place.requireTenant(context)
        var visit = Visit(
            ticket: try context.segment("ticket"),
            browser: door.browser(request, context),
            writer: PageWriter(place: place, request: request, context: context, policy: nil)
        )
        do {
            guard request.method == .post else { return try await open(&visit) }
            return try await post(try await request.form(context), &visit)
        } catch BrowserProblem.unclaimed {
            return try await arrive(&visit)
        } catch BrowserProblem.ended(let end) {
            return visit.writer.ended(end)
        } catch BrowserProblem.notHere {
            return visit.writer.error(.link, .notFound, code: "flow_not_found")
        } catch BrowserProblem.forged {
            return visit.writer.forged(again: visit.path(place))
        } catch let refusal as Refusal {
            return visit.writer.refusal(refusal)
        }
    }

    /// Shows the flow's open step, unless a page on another site caused the request.
    ///
    /// Otherwise, a link could make a user continue an attacker's flow. Redirects to a new flow are accepted.
    private func open(_ visit: inout Visit) async throws -> Response {
        let fetch = visit.writer.fetch
        guard fetch.opensPage else { throw BrowserProblem.forged }
        let opened = try await door.flows.pages.open(visit.ticket, visit.browser)
        visit.writer.show(opened.look)
        switch try await door.flows.pages.visit(opened, visit.browser) {
        case .redirect(let leaving):
            return visit.writer.answer(.leaves(leaving), ticket: visit.ticket, cookies: [], door)
        case .ended(let outcome): return visit.writer.answer(outcome, ticket: visit.ticket, cookies: [], door)
        case .page(let shown):
            guard !fetch.isForeign || shown.isArriving else { throw BrowserProblem.forged }
            return visit.page(shown, place)
        }
    }

    private func arrive(_ visit: inout Visit) async throws -> Response {
        do {
            switch try await door.flows.terminals.arrive(at: visit.ticket, visit.browser) {
            case .admitted(let cookie): return Self.opening(Secret(visit.ticket), cookie, place, door, visit.writer)
            case .asks(let terminal, let look, let csrf, let cookie):
                visit.writer.show(look)
                let path = Self.path(place, visit.ticket)
                return visit.words(terminal, csrf, place, cookies: [door.cookies.settingFlow(cookie, path: path)])
            }
        } catch BrowserProblem.ended(let end) {
            return visit.writer.ended(end)
        } catch let refusal as Refusal {
            return visit.writer.refusal(refusal)
        } catch is BrowserProblem {
            return visit.writer.error(.link, .notFound, code: "flow_not_found")
        }
    }

    private func post(_ form: Form, _ visit: inout Visit) async throws -> Response {
        guard visit.writer.isSameSite else { throw BrowserProblem.forged }
        let submission = form[PageForm.Field.submission] ?? ""
        if let decision = form[PageForm.Field.decision] {
            guard form.repeated.isEmpty else { return visit.writer.doubled() }
            let csrf = form[PageForm.Field.csrf] ?? ""
            let typed = decision == "allow" ? form[PageForm.Field.words] ?? "" : nil
            switch try await door.flows.terminals.decide(visit.ticket, csrf: csrf, typed: typed, visit.browser) {
            case .admitted: return .seeOther(visit.path(place))
            case .turnedAway(let look):
                visit.writer.show(look)
                return visit.writer.answer(.refused)
            case .asksAgain(let terminal, let look, let problem):
                visit.writer.show(look)
                return visit.words(terminal, csrf, place, problem)
            }
        }
        let choosesToKeep = form[PageForm.Field.keepMeSignedIn] == "true"
        let opened = try await door.flows.pages.open(visit.ticket, for: submission, visit.browser)
        visit.writer.show(opened.look)
        let step = opened.step
        guard form.repeated.allSatisfy({ name in step?.takesSeveral(name) ?? false }) else {
            return visit.writer.doubled()
        }
        if let step, visit.hasJustSentCode(door), StepPage.isUntouched(form.pairs, of: step) {
            return .seeOther(visit.path(place))
        }
        let posted = PostedStep(
            csrf: form[PageForm.Field.csrf] ?? "",
            step: form[PageForm.Field.step] ?? "",
            submission: submission,
            action: form[PageForm.Field.action],
            provider: form[PageForm.Field.provider],
            choice: form[PageForm.Field.choice],
            answers: step.map { StepPage.answers(form.pairs, to: $0) } ?? [:],
            keepsSignedIn: choosesToKeep
                || door.cookies.values(of: door.cookies.keep, in: visit.writer.request).contains(Secret(visit.ticket))
        )
        do {
            let outcome = try await door.flows.pages.post(posted, to: opened, visit.browser)
            var cookies = choosesToKeep ? [door.cookies.settingKeep(visit.ticket)] : []
            if form[PageForm.Field.sentAtOnce] == "true" {
                cookies.append(door.cookies.settingAtOnce(visit.ticket, path: FlowRoute.path(place, visit.ticket)))
            }
            return visit.writer.answer(outcome, ticket: visit.ticket, cookies: cookies, door)
        } catch let refusal as Refusal where refusal.isAboutAnswer {
            let shown = try await door.flows.pages.page(opened, visit.browser)
            return visit.page(shown, place, refusal: refusal, kept: form)
        }
    }
}

extension Step {
    func takesSeveral(_ name: String) -> Bool {
        nodes.contains { $0.name == name && $0.kind == .multiselect }
    }
}

private struct Visit {
    let ticket: String
    let browser: Browser
    var writer: PageWriter

    func path(_ place: AuthorityPaths) -> String { writer.address(FlowRoute.path(place, ticket)) }

    /// Whether the browser submitted a code at its last digit a moment ago, after which users often press Enter.
    func hasJustSentCode(_ door: BrowserEndpoints) -> Bool {
        door.cookies.values(of: door.cookies.atOnce, in: writer.request).contains(Secret(ticket))
    }

    /// Returns the page on which the user types the terminal's two words, which the page does not contain.
    func words(
        _ terminal: TerminalRequest,
        _ csrf: String,
        _ place: AuthorityPaths,
        _ problem: WordsProblem? = nil,
        cookies: [String] = []
    ) -> Response {
        var request = WordsPage.Request(
            program: terminal.client,
            user: terminal.user,
            uid: terminal.uid,
            machine: terminal.machine,
            asked: Date(timeIntervalSince1970: Double(terminal.asked) / 1000)
        )
        request.links = terminal.links == true
        let form = PageForm(action: path(place), csrf: csrf, submission: "")
        var page = WordsPage(request, form: form, now: Date())
        page.problem = problem.map { problem in
            switch problem {
            case .missing: .missing
            case .wrong(let left): .wrong(left: left)
            }
        }
        return .page(
            writer.html(.words(page)),
            status: problem == nil ? .ok : .unprocessableContent,
            cookies: cookies
        )
    }

    func page(_ shown: FlowPage, _ place: AuthorityPaths, refusal: Refusal? = nil, kept: Form? = nil) -> Response {
        let form = PageForm(
            action: path(place),
            csrf: shown.csrf,
            submission: kept?[PageForm.Field.submission] ?? shown.submission
        )
        var page = StepPage(shown.step, policy: shown.policy, form: form, now: Date())
        page.client = shown.client
        page.keepsSignedIn = shown.offersToKeep ? kept?[PageForm.Field.keepMeSignedIn] == "true" : nil
        page.accountPage = AccountRoute.path(place)
        page.providers = shown.providers.map { StepPage.Provider(name: $0.name, displayName: $0.displayName) }
        page.offers = shown.offersReset ? [.forgot] : []
        page.returnsTo = shown.request.flatMap { ContentSecurityPolicy.source($0.reply.redirectURI) }
        page.previous.kept = StepPage.kept(kept?.pairs ?? [])
        if let refusal { page.show(refusal) }
        return .page(
            writer.html(.step(page)),
            status: refusal?.pageStatus ?? .ok,
            retryAfter: refusal.flatMap {
                $0.pageStatus == .tooManyRequests ? RetryAfter.seconds($0.retryAfterMs) : nil
            }
        )
    }
}
