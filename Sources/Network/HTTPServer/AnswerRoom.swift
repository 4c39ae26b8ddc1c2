import HTTPTypes
import Synchronization

/// The memory reservation of one response, which is held until the client has read the response.
///
/// The kernel buffers the first ``free`` bytes, so only the remaining bytes are reserved in the ``AnswerBudget``.
public final class AnswerRoom: Sendable {
    /// The number of bytes that a response may contain without a reservation (64 KiB).
    public static let free = 64 * 1024
    /// The maximum number of bytes that are reserved for one response, and thus for one connection (8 MiB).
    public static let most = 8 * 1024 * 1024
    /// The step in bytes by which the reservation for a growing response is raised (256 KiB).
    public static let step = 256 * 1024

    private struct State {
        var owner: String?
        var reserved = 0
        var isClosed = false
    }

    private let budget: AnswerBudget
    private let origin: @Sendable () -> String
    private let close: @Sendable () -> Void
    private let state = Mutex(State())

    /// Creates a reservation that belongs to the owner that `origin` returns, unless a handler sets another owner.
    init(
        budget: AnswerBudget,
        origin: @escaping @Sendable () -> String,
        close: @escaping @Sendable () -> Void
    ) {
        self.budget = budget
        self.origin = origin
        self.close = close
    }

    deinit { release() }

    /// Sets the owner whose limit the response counts against, which must happen before memory is reserved.
    public func belongs(to owner: String) {
        state.withLock { $0.owner = owner }
    }

    /// Reserves memory in multiples of ``step`` for a growing response that has `bytes` bytes so far.
    ///
    /// - Returns: `false` if the response does not fit. The caller must then drop it and call ``reserve(_:)``.
    public func fits(_ bytes: Int) -> Bool {
        let needed = bytes - Self.free
        guard needed > 0 else { return true }
        guard needed <= Self.most else { return false }
        let isReserved = state.withLock { !$0.isClosed && needed <= $0.reserved }
        return isReserved || raise(to: (needed + Self.step - 1) / Self.step * Self.step)
    }

    /// Reserves memory for a response of `bytes` bytes, and waits until the memory is available.
    ///
    /// - Throws: `HTTPProblem` with status 503 and `Retry-After` if no memory becomes available in time.
    public func reserve(_ bytes: Int) async throws(HTTPProblem) {
        release()
        guard await budget.wait(self, for: bytes, owner: owner()) else { throw refusal() }
        state.withLock { $0.reserved = bytes }
    }

    /// Logs and counts the rejection of a response that does not fit, and returns the error to send instead.
    func refusal() -> HTTPProblem {
        budget.refuse(owner())
        return HTTPProblem(
            .serviceUnavailable,
            code: "temporarily_unavailable",
            message: "Too many unread response bytes. Read the responses, then try again.",
            headers: [.retryAfter: "5"]
        )
    }

    /// Adjusts the reservation to a complete response of `bytes` bytes, and returns whether the response fits.
    func settle(_ bytes: Int) -> Bool {
        let needed = max(0, bytes - Self.free)
        guard needed <= Self.most else { return false }
        guard needed < state.withLock({ $0.reserved }) else { return needed == 0 || raise(to: needed) }
        budget.lower(self, to: needed)
        state.withLock { $0.reserved = needed }
        return true
    }

    /// Closes the connection without an error response, which would wrongly imply that the request changed nothing.
    func drop() {
        budget.refuse(owner())
        close()
    }

    func release() {
        let reserved = state.withLock { state in
            defer { state.reserved = 0 }
            return state.reserved
        }
        if reserved > 0 { budget.lower(self, to: 0) }
    }

    var giveWay: @Sendable () -> Void {
        { [weak self] in
            guard let self else { return }
            state.withLock { $0.isClosed = true }
            close()
        }
    }

    private func raise(to bytes: Int) -> Bool {
        guard state.withLock({ !$0.isClosed }), budget.raise(self, to: bytes, for: owner()) else { return false }
        state.withLock { $0.reserved = max($0.reserved, bytes) }
        return true
    }

    private func owner() -> String {
        if let owner = state.withLock({ $0.owner }) { return owner }
        let owner = origin()
        state.withLock { $0.owner = owner }
        return owner
    }
}
