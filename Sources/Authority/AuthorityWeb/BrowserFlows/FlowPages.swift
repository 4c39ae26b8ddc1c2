public import Authority
import AuthorityStore
import FlowModel
import Flows
import Foundation
import Moments
public import OAuth
import Policies
import StoreRefusals

/// A form that a browser posted from a flow's page.
public struct PostedStep: Sendable {
    /// The action of a person who forgot the password, which no step has.
    public static let forgot = "forgot"

    /// The token against forged requests.
    public let csrf: String
    /// The step that is answered.
    public let step: String
    /// The name of the answer; the same one is evaluated once.
    public let submission: String
    /// The action that is done instead of answering.
    public let action: String?
    /// The provider that is chosen instead of answering.
    public let provider: String?
    /// The second factor that is chosen instead of answering.
    public let choice: String?
    /// The answers by node; they may hold secrets.
    public let answers: [String: JSONValue]
    /// True if the person chose that the browser stays signed in.
    public let keepsSignedIn: Bool
}

/// The outcome of a posted step.
public enum PostedOutcome: Sendable {
    /// The flow goes on; its page is to be loaded again, with a new cookie if an answer was accepted.
    case goesOn(cookie: Secret?)
    /// A terminal goes on, and the browser is done.
    case backToTerminal
    /// A device may go on.
    case deviceConnected
    /// A terminal is told that the person ended it.
    case turnedAway
    /// The person goes on to their own page, by the ticket of a visit or by a new session.
    case account(AccountEntry)
    /// The client is answered, and the browser may stay signed in by a new session cookie.
    case answer(AuthorizationAnswer, session: NewSession?)
    /// The person goes on at a provider outside.
    case leaves(LeavingBrowser)
}

/// A session cookie that a sign-in leaves.
public struct NewSession: Sendable {
    /// The cookie.
    public let cookie: Secret
    /// The seconds that it stays; nil if it goes when the browser is closed.
    public let seconds: Int?
    /// The device cookie, where second factors are asked for at new devices.
    public let device: Secret?

    /// The life of the device cookie, in seconds.
    public static var deviceLife: Int { Int(SecondFactor.deviceLife.components.seconds) }
}

/// The pages of a flow, one after the other under the address of its ticket.
public struct FlowPages: Sendable {
    let browsers: BrowserFlows

    private var authority: Authority { browsers.authority }
    private var flows: FlowDirectory { browsers.flows }
    private var tickets: Tickets { browsers.tickets }

    /// Opens the address of a ticket: the ticket and its flow are read once.
    ///
    /// A browser whose flow is at a provider, chosen before the ticket was made, or at an outside authority is sent there; a
    /// flow in which nothing was left to ask has no page.
    ///
    /// - Throws: ``BrowserProblem``; `Refusal` of the flow.
    public func visit(_ text: String, _ browser: Browser) async throws -> FlowVisit {
        let ticket = try await tickets.ticket(text, browser)
        let loaded = try await flows.load(ticket.body.flow, owner: ticket.owner)
        if let leaving = try await browsers.redirects.leave(text, ticket, at: loaded, browser) {
            return .redirect(leaving)
        }
        if loaded.flow.state == .succeeded, tickets.isArriving(ticket), let finished = flows.finishedAtOnce(loaded) {
            return .ended(try await finish(ticket, finished, concluded: nil, keepsSignedIn: false, browser))
        }
        let flow = try await settled(ticket, loaded.flow)
        return .page(try await page(ticket, flow, loaded: flow == loaded.flow ? loaded : nil, browser))
    }

    /// The page of the open step, with what was wrong about an answer.
    private func page(
        _ ticket: Ticket,
        _ flow: Flow,
        loaded: LoadedFlow? = nil,
        _ browser: Browser
    ) async throws -> FlowPage {
        var flow = flow
        if let stranger = ticket.stranger(browser) {
            let caller = browser.caller(ticket)
            flow = try await flows.requireProof(flow.id, loaded: loaded, at: stranger, caller: caller)
        }
        guard !flow.state.isTerminal, let step = flow.step else { throw ended(flow, ticket, browser) }
        guard let id = try? PolicyID(flow.policy), let policy = authority.policy(id) else {
            throw try await overruled(ticket, browser)
        }
        var client: OAuthClient?
        if let id = ticket.client {
            client = try await authority.client(id)
            guard client != nil else { throw try await overruled(ticket, browser) }
        }
        return FlowPage(
            ticket: ticket,
            flow: flow,
            step: step,
            policy: policy,
            client: client?.summary.name,
            providers: flows.visits.providers(of: flow),
            offersToKeep: browsers.keepsSessions && ticket.request != nil && step.type == .password
                && policy.session.keepMeSignedInDays > 0,
            offersReset: ticket.request != nil && step.type == .password && !flows.resetsPasswords,
            isArriving: tickets.isArriving(ticket),
            csrf: tickets.token(ticket, step.id),
            submission: Handle.random().reveal()
        )
    }

    /// Opens the address of a ticket for the answer with this name: the ticket and its flow are read once.
    ///
    /// - Throws: ``BrowserProblem``; `Refusal` of the flow.
    public func open(_ text: String, for submission: String, _ browser: Browser) async throws -> OpenedFlow {
        let ticket = try await tickets.ticket(text, browser, repeating: submission)
        let flow = try await flows.load(ticket.body.flow, owner: ticket.owner)
        return OpenedFlow(text: text, ticket: ticket, flow: flow)
    }

    /// The page of the open step after an answer that was not taken: for the browser that has the ticket, and no cookie from
    /// before.
    ///
    /// - Throws: ``BrowserProblem``; `Refusal` of the flow.
    public func page(_ opened: OpenedFlow, _ browser: Browser) async throws -> FlowPage {
        guard browser.holds(opened.ticket.browser) else { throw BrowserProblem.notHere }
        return try await page(opened.ticket, try await settled(opened.ticket), browser)
    }

    /// Takes what a browser posted.
    ///
    /// - Throws: ``BrowserProblem``; `Refusal` of an answer that was not taken.
    public func post(_ posted: PostedStep, to opened: OpenedFlow, _ browser: Browser) async throws -> PostedOutcome {
        let ticket = opened.ticket
        guard Secret(posted.csrf) == Secret(tickets.token(ticket, posted.step)) else { throw BrowserProblem.forged }
        if posted.action == PostedStep.forgot, let outcome = try await forgot(posted, opened, browser) {
            return outcome
        }
        if let provider = posted.provider { return try await choose(provider, posted, opened, browser) }
        let (result, concluded): (SubmissionResult, ConcludedTicket?)
        do {
            (result, concluded) = try await evaluated(posted, opened, browser)
        } catch let refusal as Refusal {
            switch refusal.reason {
            case .staleStep, .expiredStep: return .goesOn(cookie: nil)
            case .wrongUser: throw ended(.failed(.wrongUser), ticket, browser)
            case .flowFinished:
                throw ended(try await flows.get(ticket.body.flow, owner: ticket.owner), ticket, browser)
            default: throw refusal
            }
        }
        if result.flow.state == .challenge, result.verdict == .next, posted.action == nil, posted.choice == nil {
            return .goesOn(cookie: try await tickets.handOver(ticket, for: posted.submission, browser))
        }
        return try await outcome(
            of: result,
            concluded: concluded,
            ticket,
            keepsSignedIn: posted.keepsSignedIn,
            browser
        )
    }

    /// The outcome of an answer that was evaluated.
    func outcome(
        of result: SubmissionResult,
        concluded: ConcludedTicket?,
        _ ticket: Ticket,
        keepsSignedIn: Bool,
        _ browser: Browser
    ) async throws -> PostedOutcome {
        switch result.flow.state {
        case .challenge, .pending: return .goesOn(cookie: nil)
        case .succeeded where result.verdict == .accepted:
            return try await finish(
                ticket,
                result.finished,
                concluded: concluded,
                keepsSignedIn: keepsSignedIn,
                browser
            )
        case .cancelled where result.verdict == .accepted: return refused(Self.cancelled, ticket, browser)
        case .failed(.denied) where result.flow.message == nil:
            return refused(Self.usedUp(result.flow.usedUp) ?? Self.denied, ticket, browser)
        case .succeeded, .cancelled, .failed, .expired: throw ended(result.flow, ticket, browser)
        }
    }

    /// Ends the flow of a person who forgot the password where no policy sets a new one, and tells the client, which sends
    /// the person to a policy of its own (AADB2C90118).
    ///
    /// - Returns: What follows; nil if the flow itself goes on to a new password.
    private func forgot(_ posted: PostedStep, _ opened: OpenedFlow, _ browser: Browser) async throws -> PostedOutcome? {
        let ticket = opened.ticket
        if let step = opened.step, step.type != .password || step.id != posted.step { return .goesOn(cookie: nil) }
        if flows.resetsPasswords { return nil }
        guard ticket.request != nil else { throw BrowserProblem.forged }
        let ended = try await flows.cancel(
            ticket.body.flow,
            loaded: opened.flow,
            caller: browser.caller(ticket.owner),
            reason: "password forgotten"
        )
        guard ended.state == .cancelled else { throw self.ended(ended, ticket, browser) }
        return refused(Self.forgotten, ticket, browser)
    }

    /// Chooses a provider, and sends the browser there.
    private func choose(
        _ provider: String,
        _ posted: PostedStep,
        _ opened: OpenedFlow,
        _ browser: Browser
    ) async throws -> PostedOutcome {
        let ticket = opened.ticket
        let action = FlowAction(
            flow: ticket.body.flow,
            step: posted.step,
            action: Action.Name.choose.rawValue,
            submissionID: posted.submission,
            value: provider
        )
        do {
            _ = try await flows.act(action, loaded: opened.flow, caller: browser.caller(ticket.owner))
        } catch let refusal as Refusal where [.staleStep, .expiredStep].contains(refusal.reason) {
            return .goesOn(cookie: nil)
        }
        guard let leaving = try await browsers.redirects.leave(opened.text, ticket, browser) else {
            return .goesOn(cookie: nil)
        }
        return .leaves(leaving)
    }

    /// Evaluates an answer; one that is being evaluated already, as after a double click, is waited for.
    private func evaluated(
        _ posted: PostedStep,
        _ opened: OpenedFlow,
        _ browser: Browser
    ) async throws -> (SubmissionResult, ConcludedTicket?) {
        let ticket = opened.ticket
        let caller = browser.caller(ticket)
        var loaded: LoadedFlow? = opened.flow
        for _ in 0..<Self.mostWaits {
            do {
                if let action = posted.choice == nil ? posted.action : Action.Name.choose.rawValue {
                    let action = FlowAction(
                        flow: ticket.body.flow,
                        step: posted.step,
                        action: action,
                        submissionID: posted.submission,
                        value: posted.choice
                    )
                    return (try await flows.act(action, loaded: loaded, caller: caller), nil)
                }
                let submission = FlowSubmission(
                    flow: ticket.body.flow,
                    step: posted.step,
                    submissionID: posted.submission,
                    answers: posted.answers
                )
                return try await flows.submit(
                    submission,
                    loaded: loaded,
                    caller: caller,
                    concluding: conclusion(of: ticket, keepsSignedIn: posted.keepsSignedIn, browser)
                )
            } catch let refusal as Refusal where refusal.reason == .submissionInProgress {
                _ = try await settled(ticket)
                loaded = nil
            }
        }
        throw Refusal(.submissionInProgress, Text("refusal.answerInProgress"))
    }

    /// The times that an evaluation under way is waited for.
    private static let mostWaits = 3
    /// The longest wait for an evaluation under way: it has a deadline of its own.
    private static let longestWait: Duration = .seconds(25)

    /// The flow, as soon as no answer is being evaluated.
    func settled(_ ticket: Ticket) async throws -> Flow {
        try await settled(ticket, try await flows.get(ticket.body.flow, owner: ticket.owner))
    }

    /// The flow that was read just now, as soon as no answer is being evaluated.
    private func settled(_ ticket: Ticket, _ flow: Flow) async throws -> Flow {
        guard flow.state == .pending || (flow.step == nil && !flow.state.isTerminal) else { return flow }
        return try await flows.wait(
            ticket.body.flow,
            owner: ticket.owner,
            sinceRev: flow.rev,
            timeout: Self.longestWait
        )
    }

    private func refused(_ error: OAuthError, _ ticket: Ticket, _ browser: Browser) -> PostedOutcome {
        if case .link(let visit) = ticket.body.end { return .account(.back(visit: visit, isLinked: false)) }
        guard let request = ticket.request else { return .turnedAway }
        return .answer(browsers.refusal(error, request.reply, browser), session: nil)
    }

    /// Ends a flow whose policy or client is not configured any more; it stays ended if that comes back.
    private func overruled(_ ticket: Ticket, _ browser: Browser) async throws -> BrowserProblem {
        let reason = "its policy or client is not configured"
        _ = try await flows.cancel(ticket.body.flow, caller: browser.caller(ticket), reason: reason)
        return ended(.failed(.policyChanged), ticket, browser)
    }

    func ended(_ flow: Flow, _ ticket: Ticket, _ browser: Browser) -> BrowserProblem {
        ended(
            flow.state,
            usedUp: flow.usedUp,
            retryAfterMs: flow.retryAfterMs,
            message: flow.message,
            ticket,
            browser
        )
    }

    private func ended(
        _ state: FlowState,
        usedUp: Flow.Tries? = nil,
        retryAfterMs: Int64? = nil,
        message: String? = nil,
        _ ticket: Ticket,
        _ browser: Browser
    ) -> BrowserProblem {
        let error: OAuthError? =
            switch state {
            case .failed(.blocked): Self.usedUp(usedUp ?? .proof)
            case .failed(.providerFailed): .b2c(.accessDenied, 90273, "the provider signed nobody in")
            case .failed, .expired: Self.usedUp(usedUp) ?? .accessDenied("the sign-in ended without success")
            case .cancelled, .succeeded, .challenge, .pending: nil
            }
        let answer = error.flatMap { error in ticket.request.map { browsers.refusal(error, $0.reply, browser) } }
        return .ended(state, answer, retryAfterMs: retryAfterMs, message: message)
    }

    /// The error of a flow whose tries are used up, by B2C's numbers; nil if they are not.
    private static func usedUp(_ tries: Flow.Tries?) -> OAuthError? {
        switch tries {
        case .proof?: .b2c(.accessDenied, 90114, "too many wrong answers")
        case .secondProof?: .b2c(.accessDenied, 90151, "too many wrong answers to a second proof")
        case .step?: .b2c(.accessDenied, 90157, "too many answers that cannot be taken")
        case nil: nil
        }
    }

    private static let forgotten = OAuthError.b2c(.accessDenied, 90118, "The user has forgotten their password.")
    private static let cancelled = OAuthError.b2c(.accessDenied, 90091, "The user has cancelled.")
    private static let denied = OAuthError.accessDenied("The user did not allow it.")
}
