import AuthorityStore
public import FlowModel
import StoreRefusals

extension Authority {
    /// Returns one of the caller's live sessions that satisfies the request, or the requirement that a flow must still
    /// satisfy.
    ///
    /// - Parameters:
    ///   - request: The result of ``resolve(_:)``.
    ///   - who: The user that the request must be for. A hint or `nil` allows any user.
    ///   - person: The user whose sessions are considered if `who` allows any user.
    ///   - prompt: Whether a flow may or must prompt the user.
    ///   - asksConsent: Whether to request consent again, even if the user gave it before.
    ///   - isAssured: Whether the response can reach only the client itself. If not, another program could impersonate
    ///     the client. The user must therefore confirm by pressing a button, unless the client authenticates (RFC 8252
    ///     §8.6).
    ///   - caller: The caller.
    /// - Returns: The session, or the requirement that a flow must satisfy, with the pending request that the flow is
    ///   bound to.
    /// - Throws: `blocked` if the user who would be prompted has no attempts left.
    public func decide(
        _ request: ResolvedRequest,
        for who: RequiredUser?,
        session person: UserID? = nil,
        prompt: Prompt,
        asksConsent: Bool = false,
        isAssured: Bool = true,
        _ caller: Caller
    ) async throws -> Decision {
        try await Self.rows.storing {
            let question = RequestQuestion(
                who: who,
                person: person,
                prompt: prompt,
                asksConsent: asksConsent,
                isAssured: isAssured
            )
            return try await AuthorizationDecision(request, question, caller, self).decide()
        }
    }

    /// Returns the object id of the user with this sign-in name, or `nil` if no user has it.
    public func user(signInName: String) async throws -> UserID? {
        try await Self.rows.storing { try await store.users.find(signInName: signInName)?.id }
    }
}
