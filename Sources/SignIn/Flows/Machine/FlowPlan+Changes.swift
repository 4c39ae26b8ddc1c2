import AuthorityStore
import FlowModel
import Moments
import Policies

extension FlowPlan {
    func changes(at now: Moment) -> [AccountChange] {
        guard let user = person else { return [] }
        let inHand = record.inHand
        var changes: [AccountChange] = []
        if known.path == .signUp, let draft = inHand.draft {
            changes.append(.createUser(draft.user(user, at: now), needsInvitation: machine.signUp == .invited))
            if let identity = draft.identity { changes.append(.link(identity.row, isOnlyOne: false)) }
        }
        for kind in CredentialKinds.all {
            guard let secret = inHand.secrets[kind.credential] else { continue }
            changes.append(kind.change(setting: secret, of: user, record, at: now))
        }
        if case .remove(let credential)? = order.requirement.change { changes.append(.remove(credential)) }
        if let edited = inHand.edited { changes.append(.editProfile(edited)) }
        if let identity = inHand.newIdentity {
            changes.append(.link(identity.row, isOnlyOne: Linking.isOpen(record)))
        }
        if case .unlink(let provider)? = order.requirement.change {
            let ways = machine.catalogue.signInMethods { machine.providerName($0) != nil }
            changes.append(.unlink(provider: provider, ways: ways))
        }
        if provesDevice, let device = order.device {
            changes.append(.rememberDevice(KnownDevice(name: device, life: SecondFactor.deviceLife)))
        }
        return changes
    }

    /// The changes that record which authentications are remembered for the user and which are forgotten.
    var remembered: [AccountChange] {
        let remembered = known.proofs.filter { $0.isRemembered == true }.compactMap { proof in
            machine.catalogue[check: proof.check].map { (proof: proof, life: $0.rememberMe) }
        }
        let forgotten = Set(known.proofs.map(\.credential)).subtracting(remembered.map(\.proof.credential))
        return forgotten.sorted { $0.rawValue < $1.rawValue }.map { .forget($0) }
            + remembered.map { .remember($0.proof, life: $0.life) }
    }
}

extension [AccountChange] {
    /// The part of the account that the changes affect, or `nil` if they affect neither the password nor the profile.
    var edit: AccountEdit? {
        if setsPassword { return .password }
        return contains { if case .editProfile = $0 { true } else { false } } ? .profile : nil
    }

    /// The change that invalidates issued tokens, or `nil` if there is none.
    var withdrawn: AccountEdit? {
        edit ?? (contains { if case .unlink = $0 { true } else { false } } ? .profile : nil)
    }
}

extension PolicyCatalogue {
    func signInMethods(_ isConfigured: (String) -> Bool) -> SignInMethods {
        let realms = checks.values.filter { $0.people != nil }.map(\.name)
        let byCode = policies.values.contains { policy in
            policy.kind.signsIn && policy.signInChecks.first.flatMap { self[check: $0] }?.type == .emailCode
        }
        return SignInMethods(providers: Set(linkableProviders(isConfigured) + realms), byCode: byCode)
    }

    /// Returns the names of the configured providers that at least one policy uses for sign-in, sorted.
    func linkableProviders(_ isConfigured: (String) -> Bool) -> [String] {
        Set(policies.values.filter(\.kind.signsIn).flatMap(\.providers)).filter(isConfigured).sorted()
    }
}
