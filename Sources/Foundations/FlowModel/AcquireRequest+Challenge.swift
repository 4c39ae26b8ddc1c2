public import OAuth

extension AcquireRequest {
    /// Returns a copy of this request that satisfies an API's `challenge`, or `nil` if no change would help.
    ///
    /// A challenge demands a stronger or more recent authentication (RFC 9470 §3) or additional scopes (RFC 6750 §3.1).
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
