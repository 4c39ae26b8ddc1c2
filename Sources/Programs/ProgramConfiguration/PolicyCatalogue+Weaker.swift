import Policies

extension PolicyCatalogue {
    /// Returns a warning for each policy that lets callers avoid the default policy's second factor.
    func weakerPolicies(than name: PolicyID) -> [String] {
        guard let usual = self[name]?.secondFactor.when else { return [] }
        return policies.values.sorted { $0.id < $1.id }.compactMap { policy in
            // Step-up policies are skipped, because they do not issue tokens.
            guard !policy.kind.stepsUp, policy.secondFactor.when.strictness < usual.strictness else { return nil }
            let words = policy.secondFactor.when.words
            return "policy \(policy.id) requires \(words), and the `defaultPolicy` \(name) requires \(usual.words); "
                + "a program that requests \(policy.id) gets tokens with weaker authentication"
        }
    }
}

extension SecondFactor.Occasion {
    fileprivate var strictness: Int {
        switch self {
        case .never: 0
        case .newDevice: 1
        case .always: 2
        }
    }

    fileprivate var words: String {
        switch self {
        case .never: "no second factor"
        case .newDevice: "a second factor on new devices only"
        case .always: "a second factor at every sign-in"
        }
    }
}
