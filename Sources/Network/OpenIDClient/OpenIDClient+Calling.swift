import Moments

extension OpenIDClient {
    /// Runs a call with a deadline, if the provider's circuit breaker admits the call.
    ///
    /// Repeated failures or a 503 (RFC 9110 §15.6.4) pause all calls. A 429 (RFC 6585 §4) pauses only the calls of the
    /// user who owns the grant, or all calls if the client owns the grant.
    func calling<Value: Sendable>(
        _ registration: ProviderRegistration,
        of holder: GrantHolder = .caller,
        _ work: @escaping @Sendable () async throws(ProviderError) -> Value
    ) async throws(ProviderError) -> Value {
        let call = Circuits.Call(registration, of: holder)
        try circuits.begin(call, at: clock.now)
        let outcome = await within(registration.name, work)
        var failure: ProviderError?
        if case .failure(let error) = outcome, error.code == .unavailable { failure = error }
        if let failure, !failure.wasAsked {
            circuits.withdraw(call, at: clock.now)
            throw failure
        }
        circuits.end(call, failure, at: clock.now)
        return try outcome.get()
    }

    private func within<Value: Sendable>(
        _ name: String,
        _ work: @escaping @Sendable () async throws(ProviderError) -> Value
    ) async -> Result<Value, ProviderError> {
        let late = ProviderError(.unavailable, "\(name) took longer than \(Self.deadline)")
        return await withTaskGroup(of: Result<Value, ProviderError>.self) { tasks in
            tasks.addTask {
                do throws(ProviderError) { return .success(try await work()) } catch { return .failure(error) }
            }
            tasks.addTask { [deadlines] in
                try? await deadlines.sleep(for: Self.deadline)
                return .failure(late)
            }
            defer { tasks.cancelAll() }
            return await tasks.next() ?? .failure(late)
        }
    }
}
