import Authority
import FlowModel
import Moments
public import OAuth
public import Policies
import StoreRefusals

/// The outcome of a request to sign out.
public enum SignOutOutcome: Sendable {
    /// The person has to confirm it, by a form with this token.
    case asks(person: String?, csrf: String)
    /// The browser is signed out, and goes to the client's address if one was asked for.
    case done(location: String?)
    /// The person stays signed in.
    case stays
}

extension BrowserFlows {
    /// Signs a browser out, or asks its person first (OpenID Connect RP-Initiated Logout §2).
    ///
    /// A request that names the person by an ID token needs no confirmation; any other could be a link of somebody else's.
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
        let request = try await authority.logoutRequest(form, policy: policy)
        let done = SignOutOutcome.done(location: request.location)
        guard let owner = browser.owner else { return done }
        let people = try await authority.signedIn(owner)
        guard let person = people.first else { return done }
        let csrf = token(of: "sign out", owner)
        if let decision {
            guard Secret(decision.csrf) == Secret(csrf) else { throw BrowserProblem.forged }
            guard decision.allows else { return .stays }
        } else if request.user != person.user.id {
            return .asks(person: person.user.displayName, csrf: csrf)
        }
        try await authority.endSessions(browser.caller(owner))
        return done
    }
}
