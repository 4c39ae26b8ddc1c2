import FlowModel
import Flows
import Foundation
import HTTPServer
import HTTPTypes
import HostedPages
import Hummingbird
import OAuth

struct AccountRoute: AuthorityRoute {
    let place: AuthorityPaths
    let door: BrowserEndpoints

    var paths: [String] { [place.prefix + "/{tenant}/account"] }
    var methods: [HTTPRequest.Method] { [.get, .post] }
    var operation: RouteOperation? {
        RouteOperation(
            summary: "Show the user's account page, or apply a change requested on it.",
            answer: .page,
            parameters: .optional(
                PageForm.Field.csrf,
                PageForm.Field.endSession,
                PageForm.Field.endDevice,
                PageForm.Field.endConsent,
                PageForm.Field.link,
                PageForm.Field.unlink,
                PageForm.Field.signOut,
                PageForm.Field.step
            )
        )
    }

    /// The query parameter with the ticket for temporary access to the account page without a session.
    private static let visit = "visit"
    private static let changed = "changed"

    private static let edit = "edit"

    static func path(_ place: AuthorityPaths) -> String { "\(place.root)/account" }

    /// Returns the address of the account page, or of the form for `edit`, in the language that the user has chosen.
    static func address(
        _ writer: PageWriter,
        visit: String? = nil,
        changed: AccountPage.Change? = nil,
        edit: AccountEdit? = nil
    ) -> String {
        var query: [(name: String, value: String)] = []
        if let visit { query.append((Self.visit, visit)) }
        if let edit { query.append((Self.edit, edit.rawValue)) }
        if let changed { query.append((Self.changed, changed.rawValue)) }
        return writer.address(path(writer.place), query)
    }

    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try place.requireTenant(context)
        let query = try request.query()
        let visit = query[Self.visit]
        let writer = PageWriter(place: place, request: request, context: context, policy: door.defaultPolicy)
        guard query.repeated.isEmpty else { return writer.doubled() }
        let browser = door.browser(request, context)
        do {
            guard writer.fetch.opensPage else { throw BrowserProblem.forged }
            guard request.method == .post else {
                if let edit = query[Self.edit].flatMap(AccountEdit.init) {
                    return respond(
                        try await door.flows.accounts.question(edit, visit: visit, browser),
                        visit,
                        nil,
                        writer
                    )
                }
                let changed = query[Self.changed].flatMap(AccountPage.Change.init)
                return respond(try await door.flows.accounts.account(visit: visit, browser), visit, changed, writer)
            }
            let form = try await request.form(context)
            let profile = door.flows.accounts.step(.profile)
            guard form.repeated.allSatisfy({ profile?.takesSeveral($0) ?? false }) else { return writer.doubled() }
            guard writer.isSameSite else { throw BrowserProblem.forged }
            guard let change = AccountChange(form, asking: door.flows.accounts.step) else {
                throw HTTPProblem(.badRequest, code: "invalid_request", message: "the form does not contain a change")
            }
            let csrf = form[PageForm.Field.csrf] ?? ""
            let outcome: AccountOutcome
            do {
                outcome = try await door.flows.accounts.change(change, visit: visit, csrf: csrf, browser)
            } catch let refusal as Refusal where refusal.isAboutAnswer {
                guard let edit = change.edit else { throw refusal }
                let asked = try await door.flows.accounts.question(edit, visit: visit, browser)
                return respond(asked, visit, nil, writer, kept: form, refusal: refusal)
            }
            switch outcome {
            case .changed(let user), .everythingEnded(let user): await door.ended(user)
            case .page, .edit, .edited, .pages, .signedOut: break
            }
            return respond(outcome, visit, change.isDone, writer)
        } catch BrowserProblem.forged {
            return writer.forged(again: Self.address(writer, visit: visit))
        } catch let refusal as Refusal {
            return writer.refusal(refusal)
        }
    }

    private func respond(
        _ outcome: AccountOutcome,
        _ visit: String?,
        _ change: AccountPage.Change?,
        _ writer: PageWriter,
        kept: Form? = nil,
        refusal: Refusal? = nil
    ) -> Response {
        switch outcome {
        case .page(let view): page(view, visit, change, writer)
        case .edit(let view): page(view, visit, kept, refusal, writer)
        case .pages(let ticket, let cookie): FlowRoute.opening(ticket, cookie, place, door, writer)
        case .changed, .edited: .seeOther(Self.address(writer, visit: visit, changed: change))
        case .everythingEnded, .signedOut: writer.answer(.left, cookies: [door.cookies.removingSession])
        }
    }

    private func page(
        _ view: EditView,
        _ visit: String?,
        _ kept: Form?,
        _ refusal: Refusal?,
        _ writer: PageWriter
    ) -> Response {
        let form = PageForm(action: Self.address(writer, visit: visit), csrf: view.csrf, submission: "")
        var page = StepPage(view.step, policy: view.policy, form: form, now: Date())
        page.person = view.username
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

    private func page(
        _ view: AccountView,
        _ visit: String?,
        _ change: AccountPage.Change?,
        _ writer: PageWriter
    ) -> Response {
        let form = PageForm(action: Self.address(writer, visit: visit), csrf: view.csrf, submission: "")
        var page = AccountPage(form: form, displayName: view.displayName, username: view.username)
        page.sessions = view.browsers.map {
            AccountPage.Session(id: $0.id, browser: nil, began: Date($0.began), used: nil, isCurrent: $0.isCurrent)
        }
        page.devices = view.devices.map {
            AccountPage.Device(
                id: $0.id,
                name: $0.name,
                isTerminal: $0.isTerminal,
                connected: Date($0.connected)
            )
        }
        page.providers = view.providers.map {
            AccountPage.Provider(name: $0.name, displayName: $0.displayName, linked: $0.linkedAt.map { Date($0) })
        }
        page.consents = view.consents.map {
            AccountPage.Consent(client: $0.client, name: $0.name, scopes: $0.scopes, given: Date($0.given))
        }
        for edit in view.edits {
            let address = Self.address(writer, visit: visit, edit: edit)
            switch edit {
            case .password: page.passwordAddress = address
            case .profile: page.profileAddress = address
            }
        }
        // A link from another site must not make the page confirm a change that did not happen. A redirect from a
        // provider looks like such a link, so a linked account is still confirmed if it was linked just now.
        page.change = writer.fetch.isForeign && !(change == .linked && view.hasJustLinked) ? nil : change
        return .page(writer.html(.account(page)))
    }
}

extension AccountChange {
    fileprivate init?(_ form: Form, asking: (AccountEdit) -> Step?) {
        if let edit = form[PageForm.Field.step].flatMap(AccountEdit.init), let step = asking(edit) {
            self = .edit(edit, StepPage.answers(form.pairs, to: step))
        } else if let session = form[PageForm.Field.endSession] {
            self = .session(session)
        } else if let device = form[PageForm.Field.endDevice] {
            self = .device(device)
        } else if let client = form[PageForm.Field.endConsent] {
            self = .consent(client: client)
        } else if let provider = form[PageForm.Field.link] {
            self = .link(provider: provider)
        } else if let provider = form[PageForm.Field.unlink] {
            self = .unlink(provider: provider)
        } else {
            switch form[PageForm.Field.signOut] {
            case "here": self = .here
            case "everywhere": self = .everywhere
            default: return nil
            }
        }
    }

    /// The part of the account that a form with input fields changes, or `nil` if the change needs no such form.
    fileprivate var edit: AccountEdit? {
        switch self {
        case .edit(let edit, _): edit
        case .session, .device, .consent, .link, .unlink, .everywhere, .here: nil
        }
    }

    /// The confirmation that the page shows after the change, or `nil` if the page shows none.
    fileprivate var isDone: AccountPage.Change? {
        switch self {
        case .session: .sessionEnded
        case .device: .deviceEnded
        case .consent: .consentEnded
        case .edit(.password, _): .passwordChanged
        case .edit(.profile, _): .profileChanged
        case .unlink: .unlinked
        case .link, .everywhere, .here: nil
        }
    }
}

extension Date {
    fileprivate init(_ milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}
