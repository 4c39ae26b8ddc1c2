import OAuth

/// Supplies tokens to requests, and renews a rejected token once for all requests that used it.
///
/// If all requests that wait for a renewal are cancelled, the last of them waits until the renewal has stopped.
actor TokenGate {
    private let source: TablesClient.TokenSource
    private var renewal: Task<Void, Never>?
    private var isAbandoned = false
    private var waiting: [Int: CheckedContinuation<Secret?, any Error>] = [:]
    private var nextWaiter = 0
    private var refused: Secret?
    private var newest: Secret?

    init(_ source: @escaping TablesClient.TokenSource) {
        self.source = source
    }

    func token() async throws -> Secret {
        while true {
            if renewal == nil {
                let token = try await source(false)
                if renewal == nil {
                    if token == refused, let newest { return newest }
                    return token
                }
            }
            if let token = try await renewed() { return token }
        }
    }

    func token(insteadOf old: Secret) async throws -> Secret {
        while true {
            if renewal == nil {
                if let newest, newest != old, refused == old { return newest }
                renewal = Task { await renew(old) }
            }
            if let token = try await renewed() { return token }
        }
    }

    var waiters: Int { waiting.count }

    private func renew(_ old: Secret) async {
        let outcome: Result<Secret?, any Error>
        do {
            let token = try await source(true)
            refused = old
            newest = token
            outcome = .success(token)
        } catch {
            outcome = .failure(error)
        }
        renewal = nil
        isAbandoned = false
        let waiting = waiting
        self.waiting = [:]
        for waiter in waiting.values { waiter.resume(with: outcome) }
    }

    /// Waits for the renewal and returns the new token, or `nil` if the renewal was already cancelled.
    private func renewed() async throws -> Secret? {
        let number = nextWaiter
        nextWaiter += 1
        let isLate = isAbandoned
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { waiting[number] = $0 }
            } onCancel: {
                Task { await leave(number) }
            }
        } catch {
            guard isLate, !Task.isCancelled else { throw error }
            return nil
        }
    }

    private func leave(_ number: Int) {
        guard let waiter = waiting[number] else { return }
        if waiting.count == 1 {
            isAbandoned = true
            renewal?.cancel()
        } else {
            waiting[number] = nil
            waiter.resume(throwing: CancellationError())
        }
    }
}
