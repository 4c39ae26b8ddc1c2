import OAuth

/// A requirement that a user authenticate again with a provider (OpenID Connect Core §3.1.2.1).
public struct FreshProof: Hashable, Sendable, Codable {
    /// The maximum age of the user's authentication at the request, in seconds, or `nil` to require only a prompt.
    public let maxAge: Int64?
    /// The time of the request, in seconds since 1970 UTC.
    public let since: Int64

    /// Creates a requirement for a new authentication.
    public init(maxAge: Int64?, since: Int64) {
        self.maxAge = maxAge
        self.since = since
    }

    func parameters(at registration: ProviderRegistration) -> [String: String] {
        switch registration.reauthentication {
        case .standard:
            var parameters = ["prompt": "login"]
            parameters["max_age"] = maxAge.map(String.init)
            return parameters
        case .parameters(let parameters): return parameters
        }
    }

    /// Throws an error if a maximum age is required and the provider does not report when a user signed in.
    func require(_ registration: ProviderRegistration) throws(ProviderError) {
        switch registration.reauthentication {
        case .standard: break
        case .parameters:
            guard maxAge == nil else {
                throw ProviderError(
                    .protocolViolation,
                    "\(registration.name) does not report when a user signed in, and a maximum age is required"
                )
            }
        }
    }

    /// Returns the fault in an ID token's `auth_time`, or `nil` if there is none (OpenID Connect Core §2, §3.1.3.7).
    ///
    /// Without a maximum age, the time can be missing or 0, but must not be that of an earlier sign-in.
    func fault(of authTime: JSONValue?, leeway: Int64, at now: Int64) -> String? {
        guard let authTime, authTime.int != 0 else { return maxAge == nil ? nil : "auth_time is missing" }
        guard let time = authTime.int, time > 0 else { return "auth_time is not a time" }
        if time - leeway > now { return "auth_time is in the future" }
        return since - time - leeway > maxAge ?? 0 ? "auth_time is that of an earlier sign-in" : nil
    }
}
