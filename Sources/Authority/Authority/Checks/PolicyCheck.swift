import FlowModel
import Policies

/// Checks that a policy exists and can run.
///
/// If a request names no policy, the default policy is checked.
enum PolicyCheck {
    static func policy(
        _ name: String?,
        settings: AuthoritySettings,
        catalogue: PolicyCatalogue
    ) throws(Refusal) -> Policy {
        try policy(name ?? settings.defaultPolicy.description, in: catalogue)
    }

    static func policy(_ name: String, in catalogue: PolicyCatalogue) throws(Refusal) -> Policy {
        let id: PolicyID
        do {
            id = try PolicyID(name)
        } catch {
            throw Refusal(.unknownPolicy, Text("refusal.policyMisnamed", ["rule": PolicyID.Invalid().text]))
        }
        if let policy = catalogue[id] { return policy }
        if let unavailable = catalogue.unavailable[id] {
            throw Refusal(.unknownPolicy, unavailable.missing).with(.missing, unavailable.message)
        }
        throw Refusal(.unknownPolicy, Text("refusal.noSuchPolicy", ["policy": id.description]))
    }

    /// Returns the policy with this name, which must have an issuer.
    ///
    /// - Throws: `unknown_policy` if the policy does not exist, cannot run or is a step-up policy, which has no issuer.
    static func issuer(_ name: String, in catalogue: PolicyCatalogue) throws(Refusal) -> Policy {
        let policy = try policy(name, in: catalogue)
        guard !policy.kind.stepsUp else {
            throw Refusal(.unknownPolicy, Text("refusal.policyOnlyStepsUp", ["policy": policy.id.description]))
        }
        return policy
    }

    /// Returns the policy that issues the tokens when a client requests `policy`.
    ///
    /// If `policy` is a step-up policy, the policy that the user signed in with issues the tokens.
    ///
    /// - Throws: `interaction_required` if `policy` is a step-up policy and no user is signed in.
    static func issuing(
        for policy: Policy,
        _ request: TokenRequest,
        in catalogue: PolicyCatalogue
    ) throws(Refusal) -> Policy {
        guard policy.kind.stepsUp else { return policy }
        let nobody = Refusal(
            .interactionRequired,
            Text("refusal.policyStepsUpNobody", ["policy": policy.id.description])
        )
        guard let name = request.sessionPolicy else { throw nobody }
        let issuing = try self.policy(name, in: catalogue)
        guard !issuing.kind.stepsUp else { throw nobody }
        return issuing
    }
}
