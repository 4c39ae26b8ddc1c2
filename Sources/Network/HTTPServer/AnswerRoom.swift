import HTTPTypes
import Synchronization

/// The memory that one response occupies until its client has read it.
///
/// The kernel buffers the first ``free`` bytes, so only the remaining bytes are reserved in the ``AnswerBudget``.
public final class AnswerRoom: Sendable {
    /// The number of bytes of a response that need no reservation: 64 KiB.
    public static let free = 64 * 1024
    /// The maximum reservation of one response, and thus of one connection: 8 MiB.
    public static let most = 8 * 1024 * 1024
    /// The number of bytes that a growing response reserves at a time: 256 KiB.
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

    /// Creates a reservation whose owner is `origin()` unless a handler sets another owner.
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

    /// Sets the owner whose limit the bytes count against.
    ///
    /// Call this before reserving.
    public func belongs(to owner: String) {
        state.withLock { $0.owner = owner }
    }

    /// Reserves memory for a growing response that has `bytes` bytes so far, in multiples of ``step``.
    ///
    /// - Returns: Whether the response fits. If not, drop the response and wait with ``reserve(_:)``.
    public func fits(_ bytes: Int) -> Bool {
        let needed = bytes - Self.free
        guard needed > 0 else { return true }
        guard needed <= Self.most else { return false }
        let isReserved = state.withLock { !$0.isClosed && needed <= $0.reserved }
        return isReserved || raise(to: (needed + Self.step - 1) / Self.step * Self.step)
    }

    /// Waits until a response of `bytes` bytes fits.
    ///
    /// - Throws: `HTTPProblem` 503 with `Retry-After` if no memory becomes available in time.
    public func reserve(_ bytes: Int) async throws(HTTPProblem) {
        release()
        guard await budget.wait(self, for: bytes, owner: owner()) else { throw refusal() }
        state.withLock { $0.reserved = bytes }
    }

    /// Returns the error for a response that does not fit, after logging and counting the refusal.
    func refusal() -> HTTPProblem {
        budget.refuse(owner())
        return HTTPProblem(
            .serviceUnavailable,
            code: "temporarily_unavailable",
            message: "Too many unread response bytes. Read the responses, then try again.",
            headers: [.retryAfter: "5"]
        )
    }

    /// Sets the reservation to `bytes`, the length of the response, and returns whether the response fits.
    func settle(_ bytes: Int) -> Bool {
        let needed = max(0, bytes - Self.free)
        guard needed <= Self.most else { return false }
        guard needed < state.withLock({ $0.reserved }) else { return needed == 0 || raise(to: needed) }
        budget.lower(self, to: needed)
        state.withLock { $0.reserved = needed }
        return true
    }

    /// Closes the connection, because an error response would wrongly imply that the request changed nothing.
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
