import OAuth

/// Gives tokens to requests, and gets a new one when one was refused: once, however many requests it was refused to.
///
/// An actor because it owns memory that requests share: the renewal under way and its outcome. Requests that begin
/// while one runs wait for it. One that is cancelled leaves at once; with the last one the renewal is cancelled, and
/// that one waits for its end.
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

    /// The token for a request that was not sent yet.
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

    /// The token in the place of one that was refused.
    func token(insteadOf old: Secret) async throws -> Secret {
        while true {
            if renewal == nil {
                if let newest, newest != old, refused == old { return newest }
                renewal = Task { await renew(old) }
            }
            if let token = try await renewed() { return token }
        }
    }

    /// The number of requests that wait for the renewal under way.
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

    /// The token of the renewal under way; nil if that was given up before this request came to it.
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
