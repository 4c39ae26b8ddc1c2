import AuthorityStore
public import FlowModel
import Foundation
import Moments
import OAuth
import Policies
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
    ///   - caller: The caller.
    /// - Returns: The session, or the requirement with the request that a flow's end is bound to.
    /// - Throws: `blocked` if the person who would have to be asked has no attempts left.
    public func decide(
        _ request: ResolvedRequest,
        for who: RequiredUser?,
        session person: UserID? = nil,
        prompt: Prompt,
        asksConsent: Bool = false,
        _ caller: Caller
    ) async throws -> Decision {
        try await Self.rows.storing {
            let snapshot = try await memory.snapshot()
            let catalogue = catalogue()
            let policy = try PolicyCheck.policy(
                request.policy.description,
                settings: settings(),
                catalogue: catalogue
            )
            let client = try ClientCheck.client(request.client, clients: snapshot.clients)
            let user = try await known(who)
            var base: SessionRow?
            if !prompt.passesOverSessions {
                let basis = RequestBasis(request: request, policy: policy, catalogue: catalogue)
                let sessions = try await sessions(of: user, who, person, caller.owner)
                let met = sessions.first { self.meets($0, basis, AuthorizationEndpoint.sessionChecks) }
                if let met, try await hasConsent(met.user, client, request, asksAgain: asksConsent) {
                    return .satisfied(session: met.id, user: met.user)
                }
                // Checks that are proved already are not asked again: the flow goes on from this session.
                base =
                    met
                    ?? sessions.first { self.meets($0, basis, [SessionScopeCheck(), SignInProofCheck(), AgeCheck()]) }
            }
            try await refuseIfBlocked(
                catalogue.ordered(policy.baseChecks + request.checks),
                policy: policy.id,
                client: client.id,
                who: who,
                user: user,
                caller
            )
            return .lacking(
                requirement(request, policy, client, who: who, session: base, prompt: prompt, asksConsent: asksConsent),
                try pending(request, caller)
            )
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

    /// The object id of the user with a sign-in name; nil if there is none.
    public func user(signInName: String) async throws -> UserID? {
        try await Self.rows.storing { try await store.users.find(signInName: signInName)?.id }
    }

    /// The time for which a request waits for a flow's end: longer than any flow lasts.
    private static let pendingLifetime: Duration = .seconds(1200)

    private func known(_ who: RequiredUser?) async throws -> UserID? {
        switch who {
        case .user(let id): id
        case .signInName(let name): try await store.users.find(signInName: name)?.id
        case .hint, nil: nil
        }
    }

    /// The sessions that may answer: of the required user, or, if anybody may be, of the only one there is.
    private func sessions(
        of user: UserID?,
        _ who: RequiredUser?,
        _ person: UserID?,
        _ owner: Owner
    ) async throws -> [SessionRow] {
        switch who {
        case .user, .signInName:
            guard let user else { return [] }
            return try await store.sessions.live(owner: owner, user: user)
        case .hint, nil:
            if let person { return try await store.sessions.live(owner: owner, user: person) }
            let all = try await store.sessions.live(owner: owner)
            return Set(all.map(\.user)).count == 1 ? all : []
        }
    }

    private func meets(_ session: SessionRow, _ basis: RequestBasis, _ checks: [any SessionCheck]) -> Bool {
        AuthorizationEndpoint.isMet(checks, by: ProvedSession(session), basis, at: clock.now)
    }

    private func hasConsent(
        _ user: UserID,
        _ client: OAuthClient,
        _ request: ResolvedRequest,
        asksAgain: Bool
    ) async throws -> Bool {
        if client.isFirstParty { return true }
        if asksAgain { return false }
        return try await store.consents.has(user: user, client: client.id, scopes: request.grantedScopes)
    }

    private func requirement(
        _ request: ResolvedRequest,
        _ policy: Policy,
        _ client: OAuthClient,
        who: RequiredUser?,
        session: SessionRow?,
        prompt: Prompt,
        asksConsent: Bool
    ) -> Requirement {
        let asked = request.widened
        let rule = ProofRule(policy: policy, catalogue: catalogue())
        let checks = asked.checks.filter { check in
            session.map { !rule.holds(check, by: $0.proofs, at: clock.now) } ?? true
        }
        return Requirement(
            checks: checks,
            acrValues: request.acrValues,
            maxAge: request.maxAge,
            user: session.map { .user($0.user) } ?? who,
            consent: client.isFirstParty ? nil : consent(asked, client, asksAgain: asksConsent),
            entrance: prompt.entrance,
            session: session?.id
        )
    }

    private func consent(_ request: ResolvedRequest, _ client: OAuthClient, asksAgain: Bool) -> ConsentRequest {
        let api = request.api.flatMap { settings().apis[$0] }
        let scopes = zip(request.scopes, request.grantedScopes).map { short, full in
            ConsentScope(scope: full, description: api?.scopes[short] ?? "Know who you are")
        }
        return ConsentRequest(
            client: client.id,
            clientName: client.summary.name,
            scopes: scopes,
            asksAgain: asksAgain
        )
    }

    private func pending(_ request: ResolvedRequest, _ caller: Caller) throws -> PendingRequest {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return PendingRequest(
            id: Base64URL.encode(RefreshToken.random(16)),
            owner: caller.owner,
            client: request.client,
            policy: request.policy.description,
            body: try encoder.encode(request.widened),
            expires: Deadline(Self.pendingLifetime, after: clock.now)
        )
    }
}
