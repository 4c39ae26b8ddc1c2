import Authority
import BrowserFlows
import FlowModel
import Foundation
import HTTPServer
import HTTPTypes
import HostedPages
import Hummingbird
import OAuth

/// The pages of a flow, one after the other under one address.
struct FlowRoute: AuthorityRoute {
    let place: AuthorityPlace
    let door: BrowserDoor

    var paths: [String] { [place.prefix + "/{tenant}/flow/{ticket}"] }
    var methods: [HTTPRequest.Method] { [.get, .post] }
    var operation: RouteOperation? {
        RouteOperation(
            summary: "Shows the pages of a flow, and takes their forms.",
            answer: .page,
            parameters: .optional(
                PageForm.Field.csrf,
                PageForm.Field.step,
                PageForm.Field.submission,
                PageForm.Field.action,
                PageForm.Field.decision,
                PageForm.Field.keepMeSignedIn
            )
        )
    }

    /// The path of a ticket's pages.
    static func path(_ place: AuthorityPlace, _ ticket: String) -> String { "\(place.root)/flow/\(ticket)" }

    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try place.requireTenant(context)
        let visit = Visit(
            ticket: try context.segment("ticket"),
            browser: door.browser(request, context),
            writer: PageWriter(place: place, request: request, context: context, policy: nil)
        )
        do {
            guard request.method == .post else {
                return visit.page(try await door.flows.page(visit.ticket, visit.browser), place)
            }
            return try await post(try await request.form(context), visit)
        } catch BrowserProblem.unclaimed {
            return try await arrive(visit)
        } catch BrowserProblem.ended(let state, let answer, let retryAfterMs) {
            return visit.writer.ended(state, answer, retryAfterMs: retryAfterMs)
        } catch BrowserProblem.notHere {
            return visit.writer.error(.link, .notFound, code: "flow_not_found")
        } catch BrowserProblem.forged {
            return visit.writer.forged(again: Self.path(place, visit.ticket))
        } catch let refusal as Refusal {
            return visit.writer.refusal(refusal)
        }
    }

    /// Lets a browser have a flow of a terminal, or asks its person.
    private func arrive(_ visit: Visit) async throws -> Response {
        do {
            switch try await door.flows.arrive(at: visit.ticket, visit.browser) {
            case .admitted(let cookie):
                return .seeOther(Self.path(place, visit.ticket), cookies: [door.cookies.settingFlow(cookie)])
            case .asks(let terminal, let csrf, let cookie):
                return visit.question(terminal, csrf, place, cookies: [door.cookies.settingFlow(cookie)])
            }
        } catch is BrowserProblem {
            return visit.writer.error(.link, .notFound, code: "flow_not_found")
        }
    }

    private func post(_ form: Form, _ visit: Visit) async throws -> Response {
        guard visit.writer.isSameSite else { throw BrowserProblem.forged }
        if let decision = form[PageForm.Field.decision] {
            let csrf = form[PageForm.Field.csrf] ?? ""
            let isAllowed = decision == "allow"
            guard try await door.flows.decide(visit.ticket, csrf: csrf, allows: isAllowed, visit.browser) else {
                return visit.notice(.turnedAway)
            }
            return .seeOther(Self.path(place, visit.ticket))
        }
        let choosesToKeep = form[PageForm.Field.keepMeSignedIn] == "true"
        let step = try await door.flows.step(visit.ticket, visit.browser)
        let posted = PostedStep(
            csrf: form[PageForm.Field.csrf] ?? "",
            step: form[PageForm.Field.step] ?? "",
            submission: form[PageForm.Field.submission] ?? "",
            action: form[PageForm.Field.action],
            answers: step.map { StepPage.answers(form.pairs, to: $0) } ?? [:],
            keepsSignedIn: choosesToKeep
                || door.cookies.values(of: door.cookies.keep, in: visit.writer.request).contains(Secret(visit.ticket))
        )
        do {
            switch try await door.flows.post(posted, to: visit.ticket, visit.browser) {
            case .goesOn:
                let cookies = choosesToKeep ? [door.cookies.settingKeep(visit.ticket)] : []
                return .seeOther(Self.path(place, visit.ticket), cookies: cookies)
            case .deviceConnected(let client): return visit.notice(.deviceConnected(client: client))
            case .backToTerminal: return visit.notice(.backToTerminal)
            case .turnedAway: return visit.notice(.turnedAway)
            case .account(let ticket, let session):
                return .seeOther(
                    AccountRoute.path(place, visit: ticket?.reveal()),
                    cookies: session.map { [door.cookies.settingSession($0.cookie, days: $0.days)] } ?? []
                )
            case .answer(let answer, let session):
                return visit.writer.answer(
                    answer,
                    cookies: session.map { [door.cookies.settingSession($0.cookie, days: $0.days)] } ?? []
                )
            }
        } catch let refusal as Refusal {
            // The typed answers stand on the page again, with their problems.
            let shown = try await door.flows.page(visit.ticket, visit.browser)
            return visit.page(shown, place, refusal: refusal, kept: form)
        }
    }
}

/// One request for the pages of a flow.
private struct Visit {
    let ticket: String
    let browser: Browser
    let writer: PageWriter

    /// Makes the page that asks if a flow of a terminal is this person's.
    func question(_ terminal: TerminalRequest, _ csrf: String, _ place: AuthorityPlace, cookies: [String]) -> Response {
        let question = DecisionPage.Question.ticket(
            DecisionPage.TicketRequest(
                words: terminal.words,
                program: terminal.client,
                user: terminal.user,
                uid: terminal.uid,
                machine: terminal.machine,
                asked: Date(timeIntervalSince1970: Double(terminal.asked) / 1000)
            )
        )
        let form = PageForm(action: FlowRoute.path(place, ticket), csrf: csrf, submission: "")
        return .page(writer.html(.decision(DecisionPage(question, form: form, now: Date()))), cookies: cookies)
    }

    /// Makes a page that asks for nothing.
    func notice(_ notice: NoticePage.Notice) -> Response { .page(writer.html(.notice(NoticePage(notice)))) }

    /// Makes the page of the open step, with what was wrong about the last answer.
    func page(_ shown: FlowPage, _ place: AuthorityPlace, refusal: Refusal? = nil, kept: Form? = nil) -> Response {
        let form = PageForm(
            action: FlowRoute.path(place, ticket),
            csrf: shown.csrf,
            submission: kept?[PageForm.Field.submission] ?? shown.submission
        )
        var page = StepPage(shown.step, policy: shown.policy, form: form, now: Date())
        page.client = shown.client
        page.keepsSignedIn = shown.offersToKeep ? kept?[PageForm.Field.keepMeSignedIn] == "true" : nil
        page.accountPage = AccountRoute.path(place)
        page.offers = shown.offersReset ? [.forgot] : []
        page.returnsTo = shown.request.flatMap { ContentSecurityPolicy.source($0.reply.redirectURI) }
        page.kept = Dictionary(kept?.pairs ?? []) { first, _ in first }
        if let refusal {
            page.problems = refusal.nodes
            page.retryAfterMs = refusal.retryAfterMs
            if refusal.nodes.isEmpty {
                page.messages = [Message(code: "refused", level: .error, text: refusal.message)]
            }
        }
        var writer = writer
        writer.policy = shown.policy
        writer.locales = shown.request?.locales
        return .page(
            writer.html(.step(page)),
            status: refusal.map { $0.nodes.isEmpty ? .tooManyRequests : .unprocessableContent } ?? .ok,
            formsEndAt: shown.request?.reply.redirectURI
        )
    }
}
