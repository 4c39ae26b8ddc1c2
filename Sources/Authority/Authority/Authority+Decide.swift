import AuthorityStore
public import FlowModel
import Moments
import OAuth
public import Policies
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

    /// The people who have a live session of the owner, each once, the newest session first.
    public func signedIn(_ owner: Owner) async throws -> [SignedIn] {
        try await Self.rows.storing {
            var seen: Set<UserID> = []
            var people: [SignedIn] = []
            for session in try await store.sessions.live(owner: owner) where seen.insert(session.user).inserted {
                guard let user = try await store.users.get(session.user), user.enabled else { continue }
                people.append(SignedIn(user: NamedUser(user), policy: session.policy))
            }
            return people
        }
    }

    /// The people whom the owner has a session of, and those who are remembered there, each once.
    public func signedInOrRemembered(_ owner: Owner) async throws -> [NamedUser] {
        try await Self.rows.storing {
            var people = try await signedIn(owner).map(\.user)
            for proof in try await store.remembered.live(owner: owner)
            where !people.contains(where: { $0.id == proof.user }) {
                if let user = try await store.users.get(proof.user) { people.append(NamedUser(user)) }
            }
            return people
        }
    }

    /// True if a policy asks for no second factor, or one is proved and still counts.
    public func hasSecondFactor(_ proofs: [Proof], of policy: PolicyID) -> Bool {
        let catalogue = catalogue()
        guard let policy = catalogue[policy] else { return false }
        return ProofRule(policy: policy, catalogue: catalogue).secondFactorHolds(proofs, at: clock.now)
    }

    /// The object id of the user with a sign-in name; nil if there is none.
    public func user(signInName: String) async throws -> UserID? {
        try await Self.rows.storing { try await store.users.find(signInName: signInName)?.id }
    }
}
