import HTTPTypes
import Synchronization

/// The memory that one answer takes until its client has taken it.
///
/// The first ``free`` bytes need no reservation: the kernel buffers that much of each connection. A handler that makes a
/// longer answer reserves its bytes while it makes it; see ``AnswerBudget``.
public final class AnswerRoom: Sendable {
    /// The bytes of an answer that need no reservation: 64 KiB.
    public static let free = 64 * 1024
    /// The most bytes of one answer that may be reserved, and so of one connection: 8 MiB.
    public static let most = 8 * 1024 * 1024
    /// The bytes that a growing answer reserves at a time: 256 KiB.
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

    /// Creates the room of one answer.
    ///
    /// - Parameters:
    ///   - budget: The budget that it belongs to.
    ///   - origin: Returns the owner of an answer that no handler has named one for; called for long answers only.
    ///   - close: Closes the connection.
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

    /// Names the owner whose bytes the answer's are; to be called before anything is reserved.
    public func belongs(to owner: String) {
        state.withLock { $0.owner = owner }
    }

    /// Reserves the memory of an answer that has `bytes` now, and of a little more.
    ///
    /// - Returns: Whether the answer has room; if not, it is dropped, and the handler waits by ``reserve(_:)``.
    public func fits(_ bytes: Int) -> Bool {
        let needed = bytes - Self.free
        guard needed > 0 else { return true }
        guard needed <= Self.most else { return false }
        let isReserved = state.withLock { !$0.isClosed && needed <= $0.reserved }
        return isReserved || raise(to: (needed + Self.step - 1) / Self.step * Self.step)
    }

    /// Waits until an answer of `bytes` has room.
    ///
    /// - Throws: `HTTPProblem` 503 with `Retry-After` if it has none in time.
    public func reserve(_ bytes: Int) async throws(HTTPProblem) {
        release()
        guard await budget.wait(self, for: bytes, owner: owner()) else { throw refusal() }
        state.withLock { $0.reserved = bytes }
    }

    /// The refusal of an answer that has no room; it is logged and counted.
    func refusal() -> HTTPProblem {
        budget.refuse(owner())
        return HTTPProblem(
            .serviceUnavailable,
            code: "temporarily_unavailable",
            message: "Too many bytes of answers wait to be read. Read your answers, then ask again.",
            headers: [.retryAfter: "5"]
        )
    }

    /// Sets the reservation to the answer's length.
    ///
    /// - Returns: Whether the answer has room.
    func settle(_ bytes: Int) -> Bool {
        let needed = max(0, bytes - Self.free)
        guard needed <= Self.most else { return false }
        guard needed < state.withLock({ $0.reserved }) else { return needed == 0 || raise(to: needed) }
        budget.lower(self, to: needed)
        state.withLock { $0.reserved = needed }
        return true
    }

    /// Closes the connection, because its answer has no room and tells of a change that was made.
    func drop() {
        budget.refuse(owner())
        close()
    }

    /// Gives the reservation back.
    func release() {
        let reserved = state.withLock { state in
            defer { state.reserved = 0 }
            return state.reserved
        }
        if reserved > 0 { budget.lower(self, to: 0) }
    }

    /// Closes the connection in favour of another client's.
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
