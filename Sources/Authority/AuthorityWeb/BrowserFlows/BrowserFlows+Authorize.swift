public import Authority
import AuthorityStore
import FlowModel
import Flows
import Foundation
import Logging
import Moments
public import OAuth
public import Policies
import Systemd

/// The outcome of an authorization request.
public enum Authorization: Sendable {
    case answer(AuthorizationAnswer)
    /// The user must be prompted on the pages at the URL that contains `ticket`.
    case pages(ticket: Secret, cookie: Secret)
    /// The user continues at an external provider, and then returns to the pages at the URL that contains `ticket`.
    case leaves(LeavingBrowser, ticket: Secret, cookie: Secret)
}

extension BrowserFlows {
    /// Responds to an authorization request, or starts a flow that will respond to it.
    ///
    /// `form` contains the parameters as returned by `AuthorizationRequests.parameters`.
    ///
    /// - Throws: `AuthorizationRefusal.page` for an error that the client must not see, or `Refusal` for an unknown
    ///   policy.
    public func authorize(_ form: Form, policy: PolicyID, _ browser: Browser) async throws -> Authorization {
        let request: AuthorizationRequest
        do {
            request = try await authority.requests.request(form, policy: policy)
        } catch AuthorizationRefusal.answer(let reply, let error) {
            return .answer(refusal(error, reply, browser))
        }
        do {
            return try await begin(request, browser)
        } catch let refusal as Refusal {
            return .answer(self.refusal(OAuthError(refusal, from: .authorizationEndpoint), request.reply, browser))
        } catch let error as OAuthError {
            return .answer(refusal(error, request.reply, browser))
        }
    }

    private func begin(_ request: AuthorizationRequest, _ browser: Browser) async throws -> Authorization {
        let owner = browser.owner ?? Browser.fresh
        let caller = browser.caller(owner)
        let decision = try await authority.decide(
            request.resolved,
            for: request.who,
            prompt: request.prompt,
            asksConsent: request.prompts.contains(.consent),
            isAssured: (try? RedirectURI(request.reply.redirectURI))?.isOfAnyProgram == false,
            caller
        )
        switch decision {
        case .satisfied(let session, _):
            let code = try await authority.issueCode(
                request.resolved,
                session: session,
                request.terms,
                caller
            )
            return .answer(request.reply.granting(code: code))
        case .lacking(let requirement, let pending):
            guard request.prompt != .none else { throw Self.silence(requirement) }
            // Unless the flow continues a session, its owner is new, so that the browser's earlier session cookie gives
            // no access to the flow.
            let owner = requirement.session == nil ? Browser.fresh : owner
            let pending = pending.owned(by: owner)
            var asker = browser.caller(owner)
            asker.presentation = Presentation(language: request.language, steps: asker.presentation.steps)
            let flow = try await begin(
                FlowRequest(
                    caller: asker,
                    client: request.resolved.client,
                    policy: request.resolved.policy,
                    requirement: requirement,
                    want: Flow.Want(
                        scopes: request.resolved.scopes,
                        acrValues: request.resolved.acrValues,
                        maxAge: request.resolved.maxAge
                    ),
                    pending: pending,
                    leavesSession: keepsSessions,
                    device: keepsSessions ? browser.hash(device(of: browser, pending.id)) : nil
                ),
                browser
            )
            let body = Ticket.Body(flow: flow, end: .client(request, pending: pending.id))
            let (ticket, cookie) = try await tickets.open(body, owner: owner, browser)
            let policy = authority.policy(request.resolved.policy)
            if let provider = policy.flatMap({ redirects.provider(of: $0, domainHint: request.domainHint) }),
                let leaving = try await redirects.go(to: provider, by: ticket, browser)
            {
                return .leaves(leaving, ticket: ticket, cookie: cookie)
            }
            return .pages(ticket: ticket, cookie: cookie)
        }
    }

    /// Returns the error for a client that does not allow a necessary prompt (OpenID Connect Core §3.1.2.6).
    private static func silence(_ requirement: Requirement) -> OAuthError {
        guard requirement.session != nil else {
            return .b2c(.loginRequired, 90077, "no signed-in user satisfies the request, and prompt is none")
        }
        guard requirement.checks.isEmpty, requirement.consent != nil else {
            return .b2c(.interactionRequired, 90077, "additional verification is required, and prompt is none")
        }
        return .b2c(.consentRequired, 90077, "consent is required, and prompt is none")
    }

    /// Returns the error response, with the correlation id and the time for finding the error in the log.
    func refusal(_ error: OAuthError, _ reply: AuthorizationReply, _ browser: Browser) -> AuthorizationAnswer {
        if let detail = error.detail {
            refusals.refused(
                "authorization refused",
                of: browser.origin.logText,
                metadata: [
                    "error": "\(error.code.rawValue)", "detail": "\(detail)",
                    "correlationId": "\(browser.correlationID)",
                ]
            )
        }
        let time = Date(timeIntervalSince1970: Double(clock.now.wall / 1000)).formatted(.iso8601)
        return reply.refusing(error, note: " Correlation ID: \(browser.correlationID) Timestamp: \(time)")
    }
}

extension PendingRequest {
    fileprivate func owned(by owner: Owner) -> PendingRequest {
        PendingRequest(id: id, owner: owner, client: client, policy: policy, body: body, expires: expires)
    }
}

extension AuthorizationRequest {
    fileprivate var language: LanguageTag? {
        locales?.split(separator: " ").lazy.compactMap { LanguageTag(rawValue: String($0)) }.first
    }
}
