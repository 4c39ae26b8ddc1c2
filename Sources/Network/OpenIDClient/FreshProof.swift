import OAuth

/// The demand that a person prove anew at a provider who they are (OpenID Connect Core §3.1.2.1).
public struct FreshProof: Hashable, Sendable, Codable {
    /// The greatest age that the proof may have had when it was asked for, in seconds; nil if the person only has to be asked.
    public let maxAge: Int64?
    /// The time at which it was asked for, in seconds since 1970 UTC.
    public let since: Int64

    /// A demand of a proof.
    ///
    /// - Parameters:
    ///   - maxAge: Its greatest age when it is asked for, in seconds; nil if the person only has to be asked.
    ///   - since: The time at which it is asked for, in seconds since 1970 UTC.
    public init(maxAge: Int64?, since: Int64) {
        self.maxAge = maxAge
        self.since = since
    }

    /// The parameters of the authorization request that ask for it.
    func parameters(at registration: ProviderRegistration) -> [String: String] {
        switch registration.reauthentication {
        case .standard:
            var parameters = ["prompt": "login"]
            parameters["max_age"] = maxAge.map(String.init)
            return parameters
        case .parameters(let parameters): return parameters
        }
    }

    /// Refuses a provider that cannot say when a person signed in there, if that has to be known.
    func require(_ registration: ProviderRegistration) throws(ProviderError) {
        switch registration.reauthentication {
        case .standard: break
        case .parameters:
            guard maxAge == nil else {
                throw ProviderError(
                    .protocolViolation,
                    "\(registration.name) does not say when a person signed in there, and a maximum age was asked for"
                )
            }
        }
    }

    /// The fault of an ID token's `auth_time` (OpenID Connect Core §2, §3.1.3.7); nil for none.
    ///
    /// It must be there if an age was asked for. Where the provider was only to ask again it may be left out, but not be of
    /// an earlier sign-in. Some providers write 0 where they do not know it, which is the same as nothing.
    func fault(of authTime: JSONValue?, leeway: Int64, at now: Int64) -> String? {
        guard let authTime, authTime.int != 0 else { return maxAge == nil ? nil : "auth_time is missing" }
        guard let time = authTime.int, time > 0 else { return "auth_time is no time" }
        if time - leeway > now { return "auth_time lies in the future" }
        return since - time - leeway > maxAge ?? 0 ? "auth_time is of an earlier sign-in" : nil
    }
}
