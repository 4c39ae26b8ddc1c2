import Moments

/// The grants that a call is about, of which each may be asked for too often.
enum GrantHolder {
    /// That of the user for whom the call is made: their code, their refresh token, or their token to be exchanged.
    case caller
    /// Our own, which all users share: a service proves who it is, and nobody else (RFC 6749 §4.4).
    case service
}

extension OpenIDClient {
    /// Runs a call within its time and under the provider's circuit.
    ///
    /// A server that fails, or asks for a pause since it cannot answer (503, RFC 9110 §15.6.4), is left alone by everybody.
    /// One that says 429 means whoever asks (RFC 6585 §4): the user whose grant it is waits, and all where it is our own.
    func calling<Value: Sendable>(
        _ registration: ProviderRegistration,
        of holder: GrantHolder = .caller,
        _ work: @escaping @Sendable () async throws(ProviderError) -> Value
    ) async throws(ProviderError) -> Value {
        let name = registration.memory(registration.issuer)
        let own: String? =
            switch holder {
            case .caller: registration.caller.map { "\(name) for \($0)" }
            case .service: nil
            }
        try begin(name, own, registration)
        let outcome = await Self.within(limit, registration.name, work)
        var failure: ProviderError?
        if case .failure(let error) = outcome, error.code == .unavailable { failure = error }
        if let failure, !failure.wasAsked {
            withdraw(name, own, registration)
            throw failure
        }
        end(name, own, failure, registration)
        return try outcome.get()
    }

    private func begin(_ name: String, _ own: String?, _ registration: ProviderRegistration) throws(ProviderError) {
        let (caller, now) = (registration.caller, clock.now)
        try makeRoom(for: name)
        guard let own else {
            return try circuits[name, default: Circuit()].begin(registration.name, for: caller, at: now)
        }
        try makeRoom(for: own)
        try circuits[own, default: Circuit()].begin(registration.name, at: now)
        do throws(ProviderError) {
            try circuits[name, default: Circuit()].begin(registration.name, for: caller, at: now)
        } catch {
            circuits[own]?.withdraw(at: now)
            throw error
        }
    }

    private func withdraw(_ name: String, _ own: String?, _ registration: ProviderRegistration) {
        circuits[name]?.withdraw(for: registration.caller, at: clock.now)
        guard let own else { return }
        circuits[own]?.withdraw(at: clock.now)
        if circuits[own]?.isQuiet == true { circuits[own] = nil }
    }

    private func end(_ name: String, _ own: String?, _ failure: ProviderError?, _ registration: ProviderRegistration) {
        let (caller, now) = (registration.caller, clock.now)
        let isOwn = own != nil && failure?.isOfTooMany == true
        let (mine, all): (ProviderError?, ProviderError?) = isOwn ? (failure, nil) : (nil, failure)
        circuits[name, default: Circuit()].end(isAvailable: all == nil, pause: all?.retryAfter, for: caller, at: now)
        guard let own else { return }
        circuits[own, default: Circuit()].end(isAvailable: mine == nil, pause: mine?.retryAfter, at: now)
        if circuits[own]?.isQuiet == true { circuits[own] = nil }
    }
}
