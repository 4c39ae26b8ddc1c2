public import OAuth

extension AcquireRequest {
    /// Returns the request for a token that has what an API's refusal asks for: a proof (RFC 9470 §3) or a scope
    /// (RFC 6750 §3.1).
    ///
    /// - Parameter challenge: The refusal.
    /// - Returns: The request; nil if no more is asked for than this one does.
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
