import Authority
import AuthorityStore
public import FlowModel
import Flows
import Foundation
import Localization
import Logging
import Moments
public import OAuth
import OpenIDClient
import Policies
import StoreRefusals

/// A browser that is being redirected to an external provider.
public struct LeavingBrowser: Sendable {
    /// The URL at the provider, including the parameters of the request.
    public let address: String
    /// The provider's display name.
    public let provider: String
    /// The suffix of the name of ``cookie``, by which the cookie is found when the browser returns.
    public let mark: String
    /// The value of the cookie that the browser must send when it returns.
    public let cookie: Secret
}

/// The outcome of a redirect back from a provider.
public enum ReturnOutcome: Sendable {
    /// The flow continues on the ticket's pages, with a new `cookie` unless another answer has already changed it.
    case goesOn(ticket: String, cookie: Secret?)
    /// The flow has evaluated the response from the provider.
    case posted(PostedOutcome, ticket: String, FlowLook)
    /// The provider failed, and the step is still open on the pages at the URL that contains `ticket`.
    case failed(Refusal, ticket: String, FlowLook)
    /// The user is signed out at the provider too, and returns to the client if the client requested a redirect.
    case signedOut(SignOutReturn?, FlowLook)
}

/// The redirects to external providers and external authorities, and back.
public struct BrowserRedirects: Sendable {
    let browsers: BrowserFlows

    private var flows: FlowDirectory { browsers.flows }
    private var store: AuthorityStore { browsers.store }
    private var clock: MomentClock { browsers.clock }
    private var logger: Logger { browsers.logger }
    private var tickets: Tickets { browsers.tickets }

    private struct Body: Codable {
        let ticket: String
        let step: String
    }

    struct SignOutBody: Codable {
        let signedOutOf: String
        let back: SignOutReturn?
        let policy: PolicyID
        let locales: String?
    }

    /// Returns the suffix of the cookie name for this `state`, which keeps redirects in several windows apart.
    public static func mark(ofState state: String) -> String { String(Handle.hash(Secret(state)).prefix(8)) }

    /// Redirects a browser to the provider that was chosen in the flow's open step.
    ///
    /// Returns `nil` if no provider was chosen, or if the user must first authenticate in this browser to link an
    /// account.
    func leave(
        _ text: String,
        _ ticket: Ticket,
        loaded: LoadedFlow? = nil,
        _ browser: Browser
    ) async throws -> LeavingBrowser? {
        let departure = try await flows.visits.departure(
            ticket.body.flow,
            owner: ticket.owner,
            loaded: loaded,
            at: ticket.stranger(browser)
        )
        guard let departure else { return nil }
        return try await leave(text, by: departure, browser)
    }

    /// Redirects a ticket's browser to an external authority, or to a provider chosen before the ticket was created.
    ///
    /// The ticket must be bound to the browser. A terminal's ticket is bound to a browser that runs as the uid that
    /// started the flow, or in which the user has typed the two words shown in the terminal.
    ///
    /// Returns `nil` if a local flow has changed since the ticket was created, or if the provider does not respond. The
    /// page then shows a button for the provider.
    ///
    /// - Throws: ``BrowserProblem``, or `Refusal` if the URL at the external authority cannot be determined.
    func leave(
        _ text: String,
        _ ticket: Ticket,
        at loaded: LoadedFlow,
        _ browser: Browser
    ) async throws -> LeavingBrowser? {
        let flow = loaded.flow
        if ticket.isElsewhere {
            guard !flow.state.isTerminal else { throw browsers.pages.ended(flow, ticket, browser) }
            let departure = try await flows.outside.departure(flow.id, owner: ticket.owner)
            return try await leave(text, by: departure, browser)
        }
        guard flow.rev - flow.openings == ticket.body.revision ?? 1, flow.step?.type == .provider else { return nil }
        return try await leave(text, toChosenOf: ticket, loaded: loaded, browser)
    }

    private func leave(
        _ text: String,
        toChosenOf ticket: Ticket,
        loaded: LoadedFlow? = nil,
        _ browser: Browser
    ) async throws -> LeavingBrowser? {
        do {
            return try await leave(text, ticket, loaded: loaded, browser)
        } catch let refusal as Refusal where [.providerUnavailable, .providerProtocol].contains(refusal.reason) {
            logger.warning(
                "provider failed",
                metadata: [
                    "error": "\(refusal.detail ?? refusal.message)", "correlationId": "\(browser.correlationID)",
                ]
            )
            return nil
        }
    }

    /// Redirects a browser to a provider, and creates the cookie that the browser must send when it returns.
    func leave(_ text: String, by departure: ProviderRedirect, _ browser: Browser) async throws -> LeavingBrowser {
        try await leave(
            to: departure.address,
            of: departure.displayName,
            departure.state,
            Body(ticket: text, step: departure.step),
            browser
        )
    }

    /// Redirects a browser, already signed out locally, to a provider's end session endpoint and then to the client.
    ///
    /// Returns `nil` if the provider has no such endpoint or its metadata cannot be read.
    func leave(_ body: SignOutBody, _ browser: Browser) async -> LeavingBrowser? {
        let state = Handle.random()
        do {
            guard let way = try await flows.visits.wayOut(of: body.signedOutOf, state: state) else { return nil }
            return try await leave(to: way.address, of: way.displayName, state, body, browser)
        } catch {
            logger.warning(
                "provider session not ended",
                metadata: [
                    "provider": "\(body.signedOutOf)", "error": "\(error)",
                    "correlationId": "\(browser.correlationID)",
                ]
            )
            return nil
        }
    }

    private func leave(
        to address: String,
        of provider: String,
        _ state: Secret,
        _ body: some Codable & Sendable,
        _ browser: Browser
    ) async throws -> LeavingBrowser {
        let cookie = Handle.random()
        try await BrowserFlows.rows.storing {
            try await store.departures.insert(
                Handle.hash(state),
                browser: browser.hash(cookie),
                body: try JSONEncoder().encode(body),
                expires: Deadline(FlowLimits.browserLife, after: clock.now)
            )
        }
        return LeavingBrowser(
            address: address,
            provider: provider,
            mark: Self.mark(ofState: state.reveal()),
            cookie: cookie
        )
    }

    /// Handles a provider's response, which arrives when the provider redirects a browser back.
    ///
    /// The `state` works only once, in the browser that was redirected with it. `cookies` are the values of the cookie
    /// whose name ends with ``mark(ofState:)``.
    ///
    /// - Throws: ``BrowserProblem`` or `Refusal`.
    public func returned(_ form: Form, cookies: [Secret], _ browser: Browser) async throws -> ReturnOutcome {
        guard let state = form["state"], state.utf8.count <= 64 else { throw BrowserProblem.notHere }
        let left = try await departure(of: state, cookies, browser)
        if let signOut = try? JSONDecoder().decode(SignOutBody.self, from: left) {
            let look = FlowLook(policy: browsers.authority.policy(signOut.policy), locales: signOut.locales)
            return .signedOut(signOut.back, look)
        }
        let body = try JSONDecoder().decode(Body.self, from: left)
        let ticket = try await tickets.any(body.ticket)
        if ticket.isElsewhere { return try await returned(form, to: ticket, body.ticket, browser) }
        let submission = Handle.hash(Secret("return \(state)"))
        var answers: [String: JSONValue] = [:]
        for name in ["state", "code", "iss", "error"] { answers[name] = form[name].map { .string($0) } }
        let (result, concluded): (SubmissionResult, ConcludedTicket?)
        do {
            (result, concluded) = try await flows.submit(
                FlowSubmission(
                    flow: ticket.body.flow,
                    step: body.step,
                    submissionID: submission,
                    answers: answers
                ),
                caller: browser.caller(ticket),
                concluding: browsers.pages.conclusion(of: ticket, keepsSignedIn: false, browser)
            )
        } catch let refusal as Refusal {
            switch refusal.reason {
            case .staleStep, .expiredStep, .submissionInProgress:
                return .goesOn(ticket: body.ticket, cookie: try await admit(ticket, submission, browser))
            case .wrongUser, .flowFinished:
                throw browsers.pages.ended(try await flows.get(ticket.body.flow, owner: ticket.owner), ticket, browser)
            case .providerUnavailable, .providerProtocol:
                let flow = try await flows.get(ticket.body.flow, owner: ticket.owner)
                return .failed(refusal, ticket: body.ticket, browsers.look(of: flow, ticket))
            default: throw refusal
            }
        }
        guard result.flow.state != .challenge else {
            return .goesOn(ticket: body.ticket, cookie: try await admit(ticket, submission, browser))
        }
        let outcome = try await browsers.pages.outcome(
            of: result,
            concluded: concluded,
            ticket,
            keepsSignedIn: false,
            browser
        )
        return .posted(outcome, ticket: body.ticket, browsers.look(of: result.flow, ticket))
    }

    private func departure(of state: String, _ cookies: [Secret], _ browser: Browser) async throws -> Data {
        let hash = Handle.hash(Secret(state))
        for cookie in cookies {
            let body = try await BrowserFlows.rows.storing {
                try await store.departures.take(hash, browser: browser.hash(cookie))
            }
            if let body { return body }
        }
        throw BrowserProblem.notHere
    }

    private func admit(_ ticket: Ticket, _ submission: String, _ browser: Browser) async throws -> Secret? {
        try await tickets.handOver(ticket, for: submission, browser, returned: clock.now.wall)
    }

    /// Returns the provider that `domainHint` names or the policy's only one, or `nil` if the user must choose.
    func provider(of policy: Policy, domainHint: String?) -> String? {
        if let domainHint {
            // `facebook.com` means the provider `facebook`, as in B2C.
            let name = domainHint.lowercased().hasSuffix(".com") ? String(domainHint.dropLast(4)) : domainHint
            if let provider = policy.provider(named: domainHint) ?? policy.provider(named: name) { return provider }
        }
        return policy.isLocal || policy.providers.count > 1 ? nil : policy.providers.first
    }

    /// Chooses `provider` in the new flow of a ticket, and redirects the browser to this provider.
    ///
    /// Returns `nil` if the open step offers no choice of a provider, or if `provider` does not respond.
    func go(to provider: String, by text: Secret, _ browser: Browser) async throws -> LeavingBrowser? {
        let ticket = try await tickets.any(text.reveal())
        let loaded = try await flows.load(ticket.body.flow, owner: ticket.owner)
        let flow = loaded.flow
        guard let step = flow.step, step.actions.contains(where: { $0.name == .choose }) else { return nil }
        let action = FlowAction(
            flow: flow.id,
            step: step.id,
            action: Action.Name.choose.rawValue,
            submissionID: Handle.random().reveal(),
            value: provider
        )
        _ = try await flows.act(action, loaded: loaded, caller: browser.caller(ticket.owner))
        return try await leave(text.reveal(), toChosenOf: ticket, browser)
    }

    /// Handles an external authority's response, which arrives when that authority redirects a browser back.
    ///
    /// The caller must already have compared the `state` with the cookie that binds the ticket to this browser.
    private func returned(
        _ form: Form,
        to ticket: Ticket,
        _ text: String,
        _ browser: Browser
    ) async throws -> ReturnOutcome {
        let answer = ProviderAnswer(
            code: form["code"].map { Secret($0) },
            issuer: form["iss"],
            error: form["error"]
        )
        let flow = try await flows.outside.returned(ticket.body.flow, owner: ticket.owner, answer)
        guard flow.state == .succeeded else { throw browsers.pages.ended(flow, ticket, browser) }
        return .posted(.backToTerminal, ticket: text, browsers.look(of: flow, ticket))
    }
}
