import AuthorityStore
public import FlowModel
import StoreRefusals

extension Authority {
    /// Returns a live session of the caller that satisfies the request, or the requirement that a flow must meet.
    ///
    /// - Parameters:
    ///   - request: The result of ``resolve(_:)``.
    ///   - who: The user who must authenticate, or a hint or `nil` to allow any user.
    ///   - person: The user whose sessions are considered if `who` allows any user, or `nil` to consider the caller's
    ///     sessions only if all of them belong to the same user.
    ///   - prompt: Whether a flow prompts the user, and for what.
    ///   - asksConsent: Whether to request consent even if the user has already given consent.
    ///   - isAssured: Whether only the client can receive the response (RFC 8252 §8.6). If not, the user of a public
    ///     client must confirm the request.
    ///   - caller: The caller.
    /// - Returns: The session, or the requirement with the pending request that the flow is bound to.
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

    /// Returns the object id of the user with this sign-in name, or `nil` if there is no such user.
    public func user(signInName: String) async throws -> UserID? {
        try await Self.rows.storing { try await store.users.find(signInName: signInName)?.id }
    }
}
