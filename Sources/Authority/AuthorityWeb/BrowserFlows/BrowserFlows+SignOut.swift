import Authority
import AuthorityStore
import FlowModel
import Flows
import Moments
public import OAuth
public import Policies
import StoreRefusals

/// The client that requested a sign-out and to which the browser returns.
public struct SignOutReturn: Hashable, Sendable, Codable {
    /// The client's `post_logout_redirect_uri`, with the request's `state`.
    public let address: String
    /// The client's display name.
    public let clientName: String
}

/// The outcome of a logout request.
public enum SignOutOutcome: Sendable {
    /// The user must confirm the sign-out in a form that contains `csrf`.
    case asks(person: String?, csrf: String)
    /// The browser is signed out, and returns to the client if the client requested a redirect.
    case done(SignOutReturn?)
    /// The browser is signed out locally, and continues at the provider that the user signed in with.
    case leaves(LeavingBrowser)
    /// The user did not confirm the sign-out, and stays signed in.
    case stays
}

extension BrowserFlows {
    /// Signs out a browser, or prompts its user to confirm first (OpenID Connect RP-Initiated Logout §2).
    ///
    /// A request without an ID token needs confirmation, because a malicious link could have caused it. `decision` is
    /// `nil` before the user has been prompted. Local sessions end before a redirect to a provider.
    ///
    /// - Throws: An `OAuthError` to show only to the user, `BrowserProblem.forged`, or `Refusal`.
    public func signOut(
        _ form: Form,
        policy: PolicyID,
        decision: (csrf: String, allows: Bool)?,
        _ browser: Browser
    ) async throws -> SignOutOutcome {
        let request = try await authority.requests.logout(form, policy: policy)
        let back = request.location.flatMap { address in
            request.client.map { SignOutReturn(address: address, clientName: $0.summary.name) }
        }
        let done = SignOutOutcome.done(back)
        guard let owner = browser.owner else { return done }
        guard let person = try await authority.sessions.signedInOrRemembered(owner).first else { return done }
        let csrf = tickets.token(of: "sign out", owner)
        if let decision {
            guard Secret(decision.csrf) == Secret(csrf) else { throw BrowserProblem.forged }
            guard decision.allows else { return .stays }
        } else if request.user != person.id {
            return .asks(person: person.displayName, csrf: csrf)
        }
        let provider = try await provider(ofSessionsOf: owner)
        try await authority.sessions.endAll(browser.caller(owner))
        flows.wakeWaiters()
        guard let provider,
            let leaving = await redirects.leave(
                BrowserRedirects.SignOutBody(
                    signedOutOf: provider,
                    back: back,
                    policy: policy,
                    locales: form["ui_locales"]
                ),
                browser
            )
        else { return done }
        return .leaves(leaving)
    }

    /// Returns the external provider last used in the owner's live sessions, or `nil` if there is none.
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
