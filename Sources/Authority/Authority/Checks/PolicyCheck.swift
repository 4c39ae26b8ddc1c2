import FlowModel
import Policies

/// The policy must exist and be runnable; a request that names none is for the default.
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

    /// The policy, which must have an issuer of its own.
    ///
    /// - Throws: `unknown_policy` for one that only steps up, too.
    static func issuer(_ name: String, in catalogue: PolicyCatalogue) throws(Refusal) -> Policy {
        let policy = try policy(name, in: catalogue)
        guard !policy.kind.stepsUp else {
            throw Refusal(.unknownPolicy, Text("refusal.policyOnlyStepsUp", ["policy": policy.id.description]))
        }
        return policy
    }

    /// The policy that issues for a request that names `policy`: one that steps up issues nothing itself, and the policy
    /// does that the person is signed in with.
    ///
    /// - Throws: `interaction_required` if it steps up and no user is signed in.
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
