import Authority
import AuthorityStore
import FlowModel
import Flows
import Moments
public import OAuth
public import Policies
import StoreRefusals

/// The outcome of a request to sign out.
public enum SignOutOutcome: Sendable {
    /// The person has to confirm it, by a form with this token; the browser then goes to the client's address if one was
    /// asked for.
    case asks(person: String?, csrf: String, location: String?)
    /// The browser is signed out, and goes to the client's address if one was asked for.
    case done(location: String?)
    /// The browser is signed out here, and goes on to the provider at which its session began; what is left to do
    /// follows when it comes back (``ReturnOutcome/signedOut(location:)``).
    case leaves(LeavingBrowser)
    /// The person stays signed in.
    case stays
}

extension BrowserFlows {
    /// Signs a browser out, or asks its person first (OpenID Connect RP-Initiated Logout §2).
    ///
    /// A request that names the person by an ID token needs no confirmation; any other could be a link of somebody else's.
    /// Our sessions end first, so nothing depends on a provider to which the browser then goes.
    ///
    /// - Parameters:
    ///   - form: The parameters.
    ///   - policy: The policy whose endpoint was asked.
    ///   - decision: The token of the confirming form and the answer in it; nil if nobody was asked yet.
    ///   - browser: The browser.
    /// - Returns: What follows.
    /// - Throws: `OAuthError`, which only the person may see; `BrowserProblem.forged`; `Refusal`.
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

    /// The provider that proved last who a browser's person is, by a session that is still live.
    private func provider(ofSessionsOf owner: Owner) async throws -> String? {
        try await Self.rows.storing {
            try await store.sessions.live(owner: owner).flatMap(\.proofs).filter { $0.credential == .federated }
                .max { $0.at < $1.at }?.check
        }
    }

    /// True if somebody is signed in, or remembered, in a browser.
    ///
    /// - Throws: `Refusal` if the store fails.
    public func isSignedIn(_ browser: Browser) async throws -> Bool {
        guard let owner = browser.owner else { return false }
        return try await !authority.sessions.signedInOrRemembered(owner).isEmpty
    }
}
