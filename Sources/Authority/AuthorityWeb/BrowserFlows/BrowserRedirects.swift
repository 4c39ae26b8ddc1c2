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

/// A browser that goes to a provider outside.
public struct LeavingBrowser: Sendable {
    /// The address of the provider, with the request.
    public let address: String
    /// The provider's name for people.
    public let provider: String
    /// The name by which the browser's cookie is found again when it returns.
    public let mark: String
    /// The cookie that the browser must bring back.
    public let cookie: Secret
}

/// A browser that a provider has sent back.
public enum ReturnOutcome: Sendable {
    /// The flow goes on at the pages of its ticket, with a new cookie if the answer was the first of its kind.
    case goesOn(ticket: String, cookie: Secret?)
    /// The answer was evaluated.
    case posted(PostedOutcome, ticket: String)
    /// The provider failed; its step is still open at the pages of the ticket.
    case failed(Refusal, ticket: String)
    /// The person is signed out there, too, and goes to the client's address if one was asked for.
    case signedOut(location: String?)
}

/// The ways of browsers to providers outside and to outside authorities, and back.
public struct BrowserRedirects: Sendable {
    let browsers: BrowserFlows

    private var flows: FlowDirectory { browsers.flows }
    private var store: AuthorityStore { browsers.store }
    private var clock: MomentClock { browsers.clock }
    private var logger: Logger { browsers.logger }
    private var tickets: Tickets { browsers.tickets }

    /// The sealed part of a departure.
    private struct Body: Codable {
        let ticket: String
        let step: String
    }

    /// The sealed part of a departure to the place at which the provider's own session ends.
    private struct SignOutBody: Codable {
        /// The provider.
        let signedOutOf: String
        /// The client's address to go to afterwards.
        let location: String?
    }

    /// The mark of the cookie that belongs to a state: eight characters of its hash, so that several windows of one
    /// browser may be on their way at once.
    public static func mark(ofState state: String) -> String { String(Handle.hash(Secret(state)).prefix(8)) }

    /// Sends a browser to the provider that the open step of a ticket's flow has chosen.
    ///
    /// - Returns: Nil if the step has chosen none.
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

    /// Sends the browser of a ticket to the place at which its flow is answered: an outside authority, or the provider that it
    /// had when the ticket was made.
    ///
    /// Only the browser that the ticket belongs to gets to an outside authority: one of the uid that began the flow, or of a
    /// person who has typed the two words of the terminal.
    ///
    /// - Parameters:
    ///   - text: The ticket.
    ///   - ticket: Its row.
    ///   - loaded: Its flow, as it was loaded just now.
    ///   - browser: The browser.
    /// - Returns: Nil for a flow that is answered here, once anything has happened since the ticket was made, and if the
    ///   provider does not answer: the page then offers the way.
    /// - Throws: ``BrowserProblem``; `Refusal` if the authority's address cannot be found out.
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
            logger.warning("a provider failed", metadata: ["error": "\(refusal.detail ?? refusal.message)"])
            return nil
        }
    }

    /// Sends a browser away, with a cookie that it must bring back with the state.
    func leave(_ text: String, by departure: ProviderRedirect, _ browser: Browser) async throws -> LeavingBrowser {
        try await leave(
            to: departure.address,
            of: departure.displayName,
            departure.state,
            Body(ticket: text, step: departure.step),
            browser
        )
    }

    /// Sends a browser to the place at which its person's session at a provider ends; it comes back for `location`.
    ///
    /// - Returns: Nil if the provider has no such place, or does not say where it is: our own sign-out is done by then.
    func leave(signedOutOf provider: String, location: String?, _ browser: Browser) async -> LeavingBrowser? {
        let state = Handle.random()
        do {
            guard let way = try await flows.visits.wayOut(of: provider, state: state) else { return nil }
            let body = SignOutBody(signedOutOf: provider, location: location)
            return try await leave(to: way.address, of: way.displayName, state, body, browser)
        } catch {
            let facts: Logger.Metadata = ["provider": "\(provider)", "error": "\(error)"]
            logger.warning("a provider's session was not ended", metadata: facts)
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

    /// Takes what a provider sent a browser back with.
    ///
    /// The state is good once, for the browser that left with it; the answer is evaluated by the flow that it left.
    ///
    /// - Parameters:
    ///   - form: The parameters of the answer.
    ///   - cookies: The values of the cookie with the state's mark.
    ///   - browser: The browser.
    /// - Returns: What follows.
    /// - Throws: ``BrowserProblem``; `Refusal`.
    public func returned(_ form: Form, cookies: [Secret], _ browser: Browser) async throws -> ReturnOutcome {
        guard let state = form["state"], state.utf8.count <= 64 else { throw BrowserProblem.notHere }
        let left = try await departure(of: state, cookies, browser)
        if let signOut = try? JSONDecoder().decode(SignOutBody.self, from: left) {
            return .signedOut(location: signOut.location)
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
            case .providerUnavailable, .providerProtocol: return .failed(refusal, ticket: body.ticket)
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
        return .posted(outcome, ticket: body.ticket)
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

    /// Lets the browser in again, which a provider and not our page sends to the pages of its ticket.
    private func admit(_ ticket: Ticket, _ submission: String, _ browser: Browser) async throws -> Secret? {
        try await tickets.handOver(ticket, for: submission, browser, returned: clock.now.wall)
    }

    /// The provider that a person is sent to without a question: the hinted one, or the only way of the policy.
    func provider(of policy: Policy, domainHint: String?) -> String? {
        if let domainHint {
            // `facebook.com` means the provider `facebook`, as clients of B2C say it.
            let name = domainHint.lowercased().hasSuffix(".com") ? String(domainHint.dropLast(4)) : domainHint
            if let provider = policy.provider(named: domainHint) ?? policy.provider(named: name) { return provider }
        }
        return policy.isLocal || policy.providers.count > 1 ? nil : policy.providers.first
    }

    /// Chooses a provider for the new flow of a ticket; nil if the person has to choose, or the provider does not answer,
    /// which the page then says.
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

    /// Takes what an outside authority sent a browser back with.
    ///
    /// The state has been compared with the browser's cookie, so it is the browser that the ticket belongs to.
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
        return .posted(.backToTerminal, ticket: text)
    }
}
