import FlowModel
import Policies

/// Checks that the requested policy, or otherwise the default policy, exists and can run.
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

    /// Returns the named policy, or throws `unknown_policy` if it is missing, cannot run or is a step-up policy.
    static func issuer(_ name: String, in catalogue: PolicyCatalogue) throws(Refusal) -> Policy {
        let policy = try policy(name, in: catalogue)
        guard !policy.kind.stepsUp else {
            throw Refusal(.unknownPolicy, Text("refusal.policyOnlyStepsUp", ["policy": policy.id.description]))
        }
        return policy
    }

    /// Returns the issuing policy: `policy`, or the policy that the user signed in with if `policy` is for step-up.
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
