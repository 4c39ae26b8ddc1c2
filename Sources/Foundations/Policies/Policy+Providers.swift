public import FlowModel

extension Policy {
    /// The word for this authority itself among ``identityProviders``.
    public static let local = "local"

    /// True if people sign in here with a password or a code.
    public var isLocal: Bool { identityProviders.contains(Self.local) }

    /// The providers outside that people may sign in with.
    public var providers: [String] { identityProviders.filter { $0 != Self.local } }

    /// The provider of a name, which has no case; nil if people do not sign in with it.
    public func provider(named name: String) -> String? {
        providers.first { ProviderName.usual($0) == ProviderName.usual(name) }
    }

    /// Whether a new user whom a provider has authenticated needs an address: the policy requires `email`, and not only as the
    /// sign-in name of local accounts.
    public var needsAddress: Bool {
        guard attribute("email")?.required == true else { return false }
        return !(kind.namesAccounts && signInName.attributes.contains("email"))
    }

    /// The attribute `email`, as it is asked of a user whose provider vouched for none: required, and proved by a code.
    public var addressToVerify: AttributeRule {
        AttributeRule(name: "email", required: true, verify: true, label: attribute("email")?.label ?? [:])
    }

    /// True if a proof counts for a check: one over its credential, or a provider's in place of the check that says first
    /// who somebody is.
    public func accepts(_ proof: Proof, for check: Check) -> Bool {
        let isIdentifying = isIdentifying(check)
        if proof.credential == .federated { return isIdentifying && identityProviders.contains(proof.check) }
        // Where only providers sign in, this authority's own sign-in is none.
        return proof.credential == check.credential && (isLocal || !isIdentifying)
    }

    /// True for the check that a provider's word replaces.
    private func isIdentifying(_ check: Check) -> Bool {
        !check.type.isEnrolled && signInChecks.first == check.name
    }
}
