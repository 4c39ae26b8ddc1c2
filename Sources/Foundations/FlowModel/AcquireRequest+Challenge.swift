public import OAuth

extension AcquireRequest {
    /// Returns a copy that meets an API's `challenge` (RFC 9470 §3, RFC 6750 §3.1), or `nil` if no change helps.
    public func meeting(_ challenge: WWWAuthenticate) -> AcquireRequest? {
        guard challenge.error == .insufficientUserAuthentication || challenge.error == .insufficientScope else {
            return nil
        }
        let missing = challenge.scopes.map(\.name).filter { !scopes.contains($0) }
        guard !missing.isEmpty || !challenge.acrValues.isEmpty || challenge.maxAge != nil else { return nil }
        var better = self
        better.scopes += missing
        better.acrValues = challenge.acrValues
        better.maxAge = challenge.maxAge
        return better
    }
}
