import AuthorityStore
public import FlowModel
import Moments
public import Policies
import StoreRefusals

extension UserChecks {
    /// Returns the requirement for a flow that is started without a token request, for any user if `user` is `nil`.
    ///
    /// `maxAge` is in seconds. `asksAnew` makes an external provider prompt a user who is already signed in there.
    ///
    /// - Throws: `blocked`, or `unmet_authentication_requirements` if no check satisfies a requested context.
    public func requirement(
        policy id: PolicyID,
        user: UserID?,
        acrValues: [String],
        maxAge: Int64?,
        asksAnew: Bool = false,
        _ caller: Caller
    ) async throws -> Requirement {
        try await Authority.rows.storing {
            let catalogue = authority.catalogue()
            let settings = authority.settings()
            let policy = try PolicyCheck.policy(id.description, settings: settings, catalogue: catalogue)
            var request = TokenRequest(scopes: [])
            request.acrValues = acrValues
            request.maxAge = maxAge
            let client = try ClientCheck.client(nil, clients: try await authority.memory.snapshot().clients)
            let terms = RequestTerms(
                request: request,
                settings: settings,
                catalogue: catalogue,
                policy: policy,
                client: client
            )
            let checks = try RequestChecks.contexts(acrValues, reachedBy: [], terms)
            let maxAge = try RequestChecks.maxAge(terms)
            try await refuseIfBlocked(
                catalogue.ordered(policy.baseChecks + checks),
                policy: id,
                client: client.id,
                who: user.map { .user($0) },
                user: user,
                caller
            )
            return Requirement(
                checks: checks,
                acrValues: acrValues,
                maxAge: maxAge,
                user: user.map { .user($0) },
                asksAnew: asksAnew
            )
        }
    }

    /// Returns the requirement for a flow that runs checks for a known user or changes one of the user's credentials.
    ///
    /// The checks are added to the policy's sign-in checks. Unless the change requires a new sign-in, the flow
    /// continues from one of the user's sessions if possible.
    ///
    /// - Throws: `blocked`, or `unmet_authentication_requirements` if no check satisfies a requested context.
    public func requirement(
        checks names: [String],
        change: CredentialChange? = nil,
        demand: AuthenticationDemand = AuthenticationDemand(acrValues: [], maxAge: nil),
        policy id: PolicyID,
        user: UserID,
        _ caller: Caller
    ) async throws -> Requirement {
        try await Authority.rows.storing {
            let catalogue = authority.catalogue()
            let policy = try PolicyCheck.policy(id.description, settings: authority.settings(), catalogue: catalogue)
            let client = try ClientCheck.client(nil, clients: try await authority.memory.snapshot().clients)
            let asked = catalogue.ordered(policy.baseChecks + names)
            guard demand.isReached(by: asked.map(\.acr)) else {
                throw Refusal(.unmetAuthenticationRequirements, Text("refusal.contextNotReached"))
            }
            try await refuseIfBlocked(
                asked,
                policy: id,
                client: client.id,
                who: .user(user),
                user: user,
                caller
            )
            let rule = ProofRule(policy: policy, catalogue: catalogue)
            let signsInAnew = change?.signsInAnew == true
            let sessions = signsInAnew ? [] : try await authority.store.sessions.live(owner: caller.owner, user: user)
            let session = sessions.first { rule.signInHolds($0.proofs, at: authority.clock.now) }
            return Requirement(
                checks: catalogue.ordered(names).map(\.name),
                acrValues: demand.acrValues,
                maxAge: demand.maxAge,
                user: .user(user),
                session: session?.id,
                change: change,
                asksAnew: true
            )
        }
    }
}
