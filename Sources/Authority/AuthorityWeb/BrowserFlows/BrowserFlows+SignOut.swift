import Authority
import AuthorityStore
import FlowModel
import Flows
import Moments
public import OAuth
public import Policies
import StoreRefusals

/// The outcome of a logout request.
public enum SignOutOutcome: Sendable {
    /// The user must confirm the sign-out in a form that contains `csrf`.
    ///
    /// After the sign-out, the browser goes to `location` if the client requested a redirect.
    case asks(person: String?, csrf: String, location: String?)
    /// The browser is signed out, and goes to `location` if the client requested a redirect.
    case done(location: String?)
    /// The browser is signed out locally, and continues at the provider that the user signed in with.
    ///
    /// When the browser returns from the provider, the outcome is ``ReturnOutcome/signedOut(location:)``.
    case leaves(LeavingBrowser)
    /// The user did not confirm the sign-out, and stays signed in.
    case stays
}

extension BrowserFlows {
    /// Signs out a browser, or prompts its user to confirm first (OpenID Connect RP-Initiated Logout §2).
    ///
    /// A request that identifies the user by an ID token needs no confirmation. Any other request could come from a
    /// malicious link. Local sessions end before the browser is redirected to a provider, so the local sign-out does
    /// not depend on the provider.
    ///
    /// - Parameters:
    ///   - form: The parameters of the logout request.
    ///   - policy: The policy whose endpoint received the request.
    ///   - decision: The form's CSRF token and the user's answer, or `nil` if the user has not been prompted yet.
    ///   - browser: The browser that sent the request.
    /// - Returns: The outcome.
    /// - Throws: An `OAuthError` to show only to the user, `BrowserProblem.forged`, or `Refusal`.
    public func signOut(
        _ form: Form,
        policy: PolicyID,
        decision: (csrf: String, allows: Bool)?,
        _ browser: Browser
    ) async throws -> SignOutOutcome {
        let request = try await authority.requests.logout(form, policy: policy)
        let done = SignOutOutcome.done(location: request.location)
        guard let owner = browser.owner else { return done }
        guard let person = try await authority.sessions.signedInOrRemembered(owner).first else { return done }
        let csrf = tickets.token(of: "sign out", owner)
        if let decision {
            guard Secret(decision.csrf) == Secret(csrf) else { throw BrowserProblem.forged }
            guard decision.allows else { return .stays }
        } else if request.user != person.id {
            return .asks(person: person.displayName, csrf: csrf, location: request.location)
        }
        let provider = try await provider(ofSessionsOf: owner)
        try await authority.sessions.endAll(browser.caller(owner))
        flows.wakeWaiters()
        guard let provider,
            let leaving = await redirects.leave(signedOutOf: provider, location: request.location, browser)
        else { return done }
        return .leaves(leaving)
    }

    /// Returns the external provider that was most recently used to sign in, or `nil` if no provider was used.
    ///
    /// Only the owner's live sessions are considered.
    private func provider(ofSessionsOf owner: Owner) async throws -> String? {
        try await Self.rows.storing {
            try await store.sessions.live(owner: owner).flatMap(\.proofs).filter { $0.credential == .federated }
                .max { $0.at < $1.at }?.check
        }
    }

    /// Whether a user is signed in or remembered in a browser.
    public func isSignedIn(_ browser: Browser) async throws -> Bool {
        guard let owner = browser.owner else { return false }
        return try await !authority.sessions.signedInOrRemembered(owner).isEmpty
    }
}
