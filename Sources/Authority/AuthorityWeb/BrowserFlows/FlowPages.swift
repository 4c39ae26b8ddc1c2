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
    /// The name of the action for a forgotten password, which a step's list of actions does not contain.
    public static let forgot = "forgot"

    /// The CSRF token.
    public let csrf: String
    /// The id of the step that the form answers.
    public let step: String
    /// The id of the submission, which ensures that the answer is evaluated only once.
    public let submission: String
    /// The action to perform instead of answering the step, or `nil` if there is none.
    public let action: String?
    /// The provider to use instead of answering the step, or `nil` if the user chose none.
    public let provider: String?
    /// The second factor to use instead of answering the step, or `nil` if the user chose none.
    public let choice: String?
    /// The answers, which can contain secrets, keyed by node id.
    public let answers: [String: JSONValue]
    /// Whether the user chose to stay signed in on this browser.
    public let keepsSignedIn: Bool
}

/// The outcome of evaluating a posted form.
public enum PostedOutcome: Sendable {
    /// The flow continues, and the browser reloads the page with a new cookie, unless `cookie` is `nil`.
    case goesOn(cookie: Secret?)
    /// The flow continues in the terminal, and the browser has nothing more to do.
    case backToTerminal
    case deviceConnected
    /// The user ended the flow, and the terminal is notified.
    case turnedAway
    case account(AccountEntry)
    /// The client gets its response, and the browser gets a new session cookie unless `session` is `nil`.
    case answer(AuthorizationAnswer, session: NewSession?)
    case leaves(LeavingBrowser)
}

/// The session cookie that a sign-in created, and the device cookie if there is one.
public struct NewSession: Sendable {
    /// The value of the session cookie.
    public let cookie: Secret
    /// How long the session cookie is valid, in seconds, or `nil` if it expires when the browser is closed.
    public let seconds: Int?
    /// The value of the device cookie, or `nil` if the policy does not require second factors on new devices.
    public let device: Secret?

    /// The lifetime of the device cookie, in seconds.
    public static var deviceLife: Int { Int(SecondFactor.deviceLife.components.seconds) }
}

/// The pages of a flow, which share one URL that contains the flow's ticket.
public struct FlowPages: Sendable {
    let browsers: BrowserFlows

    private var authority: Authority { browsers.authority }
    private var flows: FlowDirectory { browsers.flows }
    private var tickets: Tickets { browsers.tickets }

    /// Returns the page at the URL that contains a ticket, or a redirect or outcome if the flow needs no prompt.
    ///
    /// - Throws: ``BrowserProblem``, or the flow's `Refusal`.
    public func visit(_ opened: OpenedFlow, _ browser: Browser) async throws -> FlowVisit {
        let (ticket, loaded) = (opened.ticket, opened.flow)
        if let leaving = try await browsers.redirects.leave(opened.text, ticket, at: loaded, browser) {
            return .redirect(leaving)
        }
        if loaded.flow.state == .succeeded, tickets.isArriving(ticket), let finished = flows.finishedAtOnce(loaded) {
            return .ended(try await finish(ticket, finished, concluded: nil, keepsSignedIn: false, browser))
        }
        let flow = try await settled(ticket, loaded.flow)
        return .page(try await page(ticket, flow, loaded: flow == loaded.flow ? loaded : nil, browser))
    }

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
        let look = browsers.look(of: flow, ticket)
        guard let policy = look.policy else { throw try await overruled(ticket, look, browser) }
        var client: OAuthClient?
        if let id = ticket.client {
            client = try await authority.client(id)
            guard client != nil else { throw try await overruled(ticket, look, browser) }
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

    /// Loads the ticket `text` from the URL and its flow.
    ///
    /// `submission` is the id of the answer that will be evaluated, or `nil` if the request contains no answer.
    ///
    /// - Throws: ``BrowserProblem``, or the flow's `Refusal`.
    public func open(_ text: String, for submission: String? = nil, _ browser: Browser) async throws -> OpenedFlow {
        let ticket = try await tickets.ticket(text, browser, repeating: submission)
        let flow = try await flows.load(ticket.body.flow, owner: ticket.owner)
        return OpenedFlow(text: text, ticket: ticket, flow: flow, look: browsers.look(of: flow.flow, ticket))
    }

    /// Returns the page of the open step after a rejected answer.
    ///
    /// - Throws: ``BrowserProblem``, for example for an outdated cookie, or the flow's `Refusal`.
    public func page(_ opened: OpenedFlow, _ browser: Browser) async throws -> FlowPage {
        guard browser.holds(opened.ticket.browser) else { throw BrowserProblem.notHere }
        return try await page(opened.ticket, try await settled(opened.ticket), browser)
    }

    /// Handles a form posted by a browser.
    ///
    /// - Throws: ``BrowserProblem``, or `Refusal` if the answer is rejected.
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
            case .wrongUser: throw ended(.failed(.wrongUser), ticket, opened.look, browser)
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

    /// Ends the flow with AADB2C90118 so that the client resets the password, or returns `nil` if a policy does so.
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

    /// Evaluates an answer, or waits for the result if the answer is already being evaluated after a double click.
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

    /// The maximum number of times to wait for an evaluation that is already in progress.
    private static let mostWaits = 3
    /// The maximum duration of each wait, regardless of the evaluation's own deadline.
    private static let longestWait: Duration = .seconds(25)

    /// Waits until no answer is being evaluated, and returns the flow.
    func settled(_ ticket: Ticket) async throws -> Flow {
        try await settled(ticket, try await flows.get(ticket.body.flow, owner: ticket.owner))
    }

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

    private func overruled(_ ticket: Ticket, _ look: FlowLook, _ browser: Browser) async throws -> BrowserProblem {
        let reason = "its policy or client is not configured"
        _ = try await flows.cancel(ticket.body.flow, caller: browser.caller(ticket), reason: reason)
        return ended(.failed(.policyChanged), ticket, look, browser)
    }

    func ended(_ flow: Flow, _ ticket: Ticket, _ browser: Browser) -> BrowserProblem {
        ended(
            flow.state,
            usedUp: flow.usedUp,
            retryAfterMs: flow.retryAfterMs,
            message: flow.message,
            ticket,
            browsers.look(of: flow, ticket),
            browser
        )
    }

    private func ended(
        _ state: FlowState,
        usedUp: Flow.Tries? = nil,
        retryAfterMs: Int64? = nil,
        message: String? = nil,
        _ ticket: Ticket,
        _ look: FlowLook,
        _ browser: Browser
    ) -> BrowserProblem {
        let error: OAuthError? =
            switch state {
            case .failed(.blocked): Self.usedUp(usedUp ?? .proof)
            case .failed(.providerFailed): .b2c(.accessDenied, 90273, "the provider did not sign the user in")
            case .failed, .expired: Self.usedUp(usedUp) ?? .accessDenied("the sign-in ended without success")
            case .cancelled, .succeeded, .challenge, .pending: nil
            }
        let answer = error.flatMap { error in ticket.request.map { browsers.refusal(error, $0.reply, browser) } }
        return .ended(
            EndedFlow(state: state, answer: answer, retryAfterMs: retryAfterMs, message: message, look: look)
        )
    }

    /// Returns the error to report if the flow has no attempts left, or `nil` if attempts remain.
    private static func usedUp(_ tries: Flow.Tries?) -> OAuthError? {
        switch tries {
        case .proof?: .b2c(.accessDenied, 90114, "too many wrong answers")
        case .secondProof?: .b2c(.accessDenied, 90151, "too many wrong answers to a second factor")
        case .step?: .b2c(.accessDenied, 90157, "too many invalid answers")
        case nil: nil
        }
    }

    private static let forgotten = OAuthError.b2c(.accessDenied, 90118, "The user has forgotten their password.")
    private static let cancelled = OAuthError.b2c(.accessDenied, 90091, "The user has cancelled.")
    private static let denied = OAuthError.accessDenied("The user denied the request.")
}
