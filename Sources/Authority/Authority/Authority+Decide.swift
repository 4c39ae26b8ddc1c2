import AuthorityStore
public import FlowModel
import StoreRefusals

extension Authority {
    /// Decides if a live session of the owner answers the request, or what is lacking.
    ///
    /// - Parameters:
    ///   - request: The result of ``resolve(_:)``.
    ///   - who: The person it must be for; a hint and nil mean anybody.
    ///   - person: The person whose sessions count if `who` may be anybody.
    ///   - prompt: The way in which a person may or must be asked.
    ///   - asksConsent: True if a consent that was given before does not count.
    ///   - isAssured: False if an answer may come to a program that only says it is the client; it then takes a press of
    ///     the person (RFC 8252 §8.6), unless the client proves who it is.
    ///   - caller: The caller.
    /// - Returns: The session, or the requirement with the request that a flow's end is bound to.
    /// - Throws: `blocked` if the person who would have to be asked has no attempts left.
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

    /// The object id of the user with a sign-in name; nil if there is none.
    public func user(signInName: String) async throws -> UserID? {
        try await Self.rows.storing { try await store.users.find(signInName: signInName)?.id }
    }
}
