import Policies

extension PolicyCatalogue {
    /// A sentence for each policy that asks for a second factor more seldom than the default one: whoever asks for a token
    /// chooses the policy.
    func laxerPolicies(than name: PolicyID) -> [String] {
        guard let usual = self[name]?.secondFactor.when else { return [] }
        return policies.values.sorted { $0.id < $1.id }.compactMap { policy in
            // What steps up issues nothing itself.
            guard !policy.kind.stepsUp, policy.secondFactor.when.strictness < usual.strictness else { return nil }
            let words = policy.secondFactor.when.words
            return "policy \(policy.id) asks for \(words), and the `defaultPolicy` \(name) for \(usual.words); "
                + "a program that names \(policy.id) gets tokens with less"
        }
    }
}

extension SecondFactor.Occasion {
    /// The rank by how often it asks.
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
        case .always: "one at every sign-in"
        }
    }
}
