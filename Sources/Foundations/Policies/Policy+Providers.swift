public import FlowModel

extension Policy {
    /// The name in ``identityProviders`` that stands for this authority itself.
    public static let local = "local"

    /// Whether users can sign in locally, with a password or a code.
    public var isLocal: Bool { identityProviders.contains(Self.local) }

    /// The names of the external providers that users can sign in with.
    public var providers: [String] { identityProviders.filter { $0 != Self.local } }

    /// Returns the provider with this name, ignoring case, or `nil` if the policy does not use it.
    public func provider(named name: String) -> String? {
        providers.first { ProviderName.usual($0) == ProviderName.usual(name) }
    }

    /// Whether a new user of an external provider needs an e-mail address.
    ///
    /// This is the case if the policy requires the `email` attribute, unless the attribute is the sign-in name of the
    /// accounts that the policy creates.
    public var needsAddress: Bool {
        guard attribute("email")?.required == true else { return false }
        return !(kind.namesAccounts && signInName.attributes.contains("email"))
    }

    /// The rule for the e-mail address that users must enter and verify if their provider supplies no verified address.
    public var addressToVerify: AttributeRule {
        AttributeRule(name: "email", required: true, verify: true, label: attribute("email")?.label ?? [:])
    }

    /// Whether `proof` counts as passing `check`.
    ///
    /// A proof counts if it has the check's credential or is a sign-in with a provider that replaces the check.
    public func accepts(_ proof: Proof, for check: Check) -> Bool {
        let isIdentifying = isIdentifying(check)
        if proof.credential == .federated { return isIdentifying && identityProviders.contains(proof.check) }
        // If users can sign in only with external providers, local sign-ins do not count.
        return proof.credential == check.credential && (isLocal || !isIdentifying)
    }

    /// Whether a sign-in with an external provider replaces `check`.
    private func isIdentifying(_ check: Check) -> Bool {
        !check.type.isEnrolled && signInChecks.first == check.name
    }
}
