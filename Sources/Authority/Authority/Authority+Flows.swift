public import FlowModel
import OAuth
public import Policies
import StoreRefusals

extension Authority {
    /// `iss` of a policy's tokens.
    public func issuer(of policy: PolicyID) -> String { settings().issuer(of: policy) }

    /// Returns the policy with a name in any case if it can be run and only steps up; nil for another that can be run.
    ///
    /// - Throws: `unknown_policy`.
    public func stepUp(_ name: String) throws -> Policy? {
        let policy = try PolicyCheck.policy(name, settings: settings(), catalogue: catalogue())
        return policy.kind.stepsUp ? policy : nil
    }

    /// Returns the policy of a name in any case, if it can be run by itself.
    ///
    /// - Throws: `unknown_policy`.
    public func policy(_ name: String) throws -> PolicyID {
        try PolicyCheck.issuer(name, settings: settings(), catalogue: catalogue()).id
    }

    /// The requirement of a flow that is started without a token request.
    ///
    /// - Parameters:
    ///   - id: The policy.
    ///   - user: The person, who alone may answer; nil for anybody.
    ///   - acrValues: The contexts of which one must be reached.
    ///   - maxAge: The greatest age of the proof, in seconds.
    ///   - asksAnew: True if a provider outside has to ask the person again, though it knows them.
    ///   - caller: The caller.
    /// - Returns: The requirement.
    /// - Throws: `unmet_authentication_requirements`, `blocked`.
    public func requirement(
        policy id: PolicyID,
        user: UserID?,
        acrValues: [String],
        maxAge: Int64?,
        asksAnew: Bool = false,
        _ caller: Caller
    ) async throws -> Requirement {
        try await Self.rows.storing {
            let catalogue = catalogue()
            let settings = settings()
            let policy = try PolicyCheck.policy(id.description, settings: settings, catalogue: catalogue)
            var request = TokenRequest(scopes: [])
            request.acrValues = acrValues
            request.maxAge = maxAge
            let client = try ClientCheck.client(nil, clients: try await memory.snapshot().clients)
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
}
