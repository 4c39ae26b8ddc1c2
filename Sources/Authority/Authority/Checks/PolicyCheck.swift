import FlowModel
import Policies

/// The policy must exist and be runnable; a request that names none is for the default.
enum PolicyCheck {
    static func policy(
        _ name: String?,
        settings: AuthoritySettings,
        catalogue: PolicyCatalogue
    ) throws(Refusal) -> Policy {
        let id: PolicyID
        do {
            id = try name.map { try PolicyID($0) } ?? settings.defaultPolicy
        } catch {
            throw Refusal(.unknownPolicy, "there is no such policy: \(PolicyID.Invalid())")
        }
        if let policy = catalogue[id] { return policy }
        if let unavailable = catalogue.unavailable[id] {
            throw Refusal(.unknownPolicy, unavailable.missing).with(.missing, unavailable.missing)
        }
        throw Refusal(.unknownPolicy, "there is no policy \(id)")
    }

    /// The policy, which must have an issuer of its own.
    ///
    /// - Throws: `unknown_policy` for one that only steps up, too.
    static func issuer(
        _ name: String?,
        settings: AuthoritySettings,
        catalogue: PolicyCatalogue
    ) throws(Refusal) -> Policy {
        let policy = try policy(name, settings: settings, catalogue: catalogue)
        guard !policy.kind.stepsUp else {
            throw Refusal(.unknownPolicy, "policy \(policy.id) only asks more of somebody who is signed in")
        }
        return policy
    }
}
