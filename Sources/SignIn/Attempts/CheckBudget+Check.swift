public import Policies

extension CheckBudget {
    /// The budget of a check, as `checks.yaml` configures it; checks over one credential share it.
    public init(_ check: Check) {
        self.init(
            credential: check.credential,
            maxAttempts: check.maxAttempts,
            block: check.blockedStateExpiration,
            backoffFactor: check.backoffFactor,
            backoffMax: check.backoffMax,
            dailyLimit: check.dailyLimit
        )
    }
}
