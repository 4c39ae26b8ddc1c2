public import Logging
import Metrics
import Synchronization
import Systemd

/// Limits the memory that responses occupy until clients have read them, per owner and in total.
///
/// An owner is the caller or user that a response is attributed to. A response that exceeds its owner's limit waits.
/// For a response that exceeds the total limit, the oldest responses of the owner with the most reserved bytes are
/// dropped. The response waits instead if its own owner would then have at least as many bytes as the other owner.
public final class AnswerBudget: Sendable {
    /// The limits of a budget.
    public struct Limits: Hashable, Sendable {
        /// The maximum number of bytes that are reserved for one owner's responses (64 MiB by default).
        public var perOwner = 64 * 1024 * 1024
        /// The maximum number of bytes that are reserved for the responses of all owners (256 MiB by default).
        public var total = 256 * 1024 * 1024
        /// How long a response waits for memory before the response is rejected.
        public var wait: Duration = .seconds(5)

        /// Creates the default limits.
        public init() {}
    }

    private struct Share {
        let owner: String
        var bytes: Int
        let number: UInt64
        let giveWay: @Sendable () -> Void
    }

    private struct Waiter {
        let number: UInt64
        let room: ObjectIdentifier
        let share: Share
        let proceed: CheckedContinuation<Bool, Never>
        let deadline: Task<Void, Never>

        func end(hasRoom: Bool) {
            deadline.cancel()
            proceed.resume(returning: hasRoom)
        }
    }

    private struct State {
        var shares: [ObjectIdentifier: Share] = [:]
        var owners: [String: Int] = [:]
        var total = 0
        var waiting: [Waiter] = []
        var last: UInt64 = 0

        mutating func next() -> UInt64 {
            last += 1
            return last
        }

        mutating func count(_ bytes: Int, _ owner: String) {
            total += bytes
            let reserved = owners[owner, default: 0] + bytes
            owners[owner] = reserved > 0 ? reserved : nil
        }

        mutating func remove(_ room: ObjectIdentifier) {
            guard let share = shares.removeValue(forKey: room) else { return }
            count(-share.bytes, share.owner)
        }
    }

    private let limits: Limits
    private let clock: any Clock<Duration>
    private let refusals: RefusalLog
    private let state = Mutex(State())
    private let unsent = Gauge(label: "http_answers_unsent_bytes")
    private let waited = Counter(label: "http_answers_limited", dimensions: [("outcome", "waited")])
    private let refused = Counter(label: "http_answers_limited", dimensions: [("outcome", "refused")])
    private let gaveWay = Counter(label: "http_answers_limited", dimensions: [("outcome", "gave_way")])
    private let tooSlow = Counter(label: "http_answers_limited", dimensions: [("outcome", "too_slow")])

    /// Creates a budget that logs rejected responses and closed connections to `logger`.
    public init(limits: Limits = Limits(), clock: any Clock<Duration> = ContinuousClock(), logger: Logger) {
        self.limits = limits
        self.clock = clock
        refusals = RefusalLog(logger: logger, level: .warning)
    }

    /// The number of bytes that are currently reserved for all responses.
    public var reserved: Int { state.withLock { $0.total } }

    var waiting: Int { state.withLock { $0.waiting.count } }

    // MARK: Reservations

    /// Raises the reservation of `room` to at least `bytes` bytes without waiting, or returns `false` if impossible.
    func raise(_ room: AnswerRoom, to bytes: Int, for owner: String) -> Bool {
        let id = ObjectIdentifier(room)
        let (isRaised, victims, admitted) = state.withLock { state -> (Bool, [Share], [Waiter]) in
            let more = bytes - (state.shares[id]?.bytes ?? 0)
            guard more > 0 else { return (true, [], []) }
            guard state.owners[owner, default: 0] + more <= limits.perOwner,
                let ending = givingWay(in: state, for: owner, asking: more)
            else { return (false, [], []) }
            let victims = ending.compactMap { state.shares[$0] }
            for id in ending { state.remove(id) }
            Self.grow(&state, room, id, to: bytes, owner)
            let admitted = ending.isEmpty ? [] : admit(&state)
            unsent.record(state.total)
            return (true, victims, admitted)
        }
        for waiter in admitted { waiter.end(hasRoom: true) }
        for victim in victims {
            gaveWay.increment()
            refusals.refused(
                "unread response dropped for another client, connection closed",
                of: victim.owner,
                metadata: ["owner": "\(victim.owner)", "bytes": "\(victim.bytes)"]
            )
            victim.giveWay()
        }
        return isRaised
    }

    /// Waits for a first reservation of `bytes` bytes for `room`, or returns `false` after a timeout or cancellation.
    func wait(_ room: AnswerRoom, for bytes: Int, owner: String) async -> Bool {
        if raise(room, to: bytes, for: owner) { return true }
        waited.increment()
        let id = ObjectIdentifier(room)
        let number = state.withLock { $0.next() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { (proceed: CheckedContinuation<Bool, Never>) in
                let outcome = state.withLock { state -> Bool? in
                    guard !Task.isCancelled else { return false }
                    let share = Share(owner: owner, bytes: bytes, number: number, giveWay: room.giveWay)
                    if fits(share, in: state) {
                        state.shares[id] = share
                        state.count(bytes, owner)
                        unsent.record(state.total)
                        return true
                    }
                    // `give(up:)` waits for the lock, so the response is in the queue even after a very short timeout.
                    let deadline = Task { [self, limits, clock] in
                        guard (try? await clock.sleep(for: limits.wait)) != nil else { return }
                        give(up: number)
                    }
                    state.waiting.append(
                        Waiter(number: number, room: id, share: share, proceed: proceed, deadline: deadline)
                    )
                    return nil
                }
                if let outcome { proceed.resume(returning: outcome) }
            }
        } onCancel: {
            give(up: number)
        }
    }

    func lower(_ room: AnswerRoom, to bytes: Int) {
        let admitted = state.withLock { state -> [Waiter] in
            let id = ObjectIdentifier(room)
            guard let share = state.shares[id], share.bytes > bytes else { return [] }
            if bytes == 0 {
                state.remove(id)
            } else {
                state.shares[id]?.bytes = bytes
                state.count(bytes - share.bytes, share.owner)
            }
            let admitted = admit(&state)
            unsent.record(state.total)
            return admitted
        }
        for waiter in admitted { waiter.end(hasRoom: true) }
    }

    func refuse(_ owner: String) {
        refused.increment()
        refusals.refused(
            "response rejected, too many unread response bytes",
            of: owner,
            metadata: ["owner": "\(owner)"]
        )
    }

    func closedSlow(_ peer: String) {
        tooSlow.increment()
        refusals.refused(
            "client reads its responses too slowly, connection closed",
            of: peer,
            metadata: ["peer": "\(peer)"]
        )
    }

    // MARK: Implementation

    private static func grow(
        _ state: inout State,
        _ room: AnswerRoom,
        _ id: ObjectIdentifier,
        to bytes: Int,
        _ owner: String
    ) {
        let old = state.shares[id]
        state.shares[id] = Share(
            owner: owner,
            bytes: bytes,
            number: old?.number ?? state.next(),
            giveWay: room.giveWay
        )
        state.count(bytes - (old?.bytes ?? 0), owner)
    }

    private func fits(_ share: Share, in state: State) -> Bool {
        state.total + share.bytes <= limits.total
            && state.owners[share.owner, default: 0] + share.bytes <= limits.perOwner
    }

    /// Returns the responses to drop so that `owner` can reserve `bytes` more bytes, or `nil` if this is not possible.
    private func givingWay(in state: State, for owner: String, asking bytes: Int) -> [ObjectIdentifier]? {
        var (rest, ending) = (state, [ObjectIdentifier]())
        while rest.total + bytes > limits.total {
            guard let next = Self.oldest(in: rest, for: owner, asking: bytes) else { return nil }
            rest.remove(next)
            ending.append(next)
        }
        return ending
    }

    /// Returns the response to drop so that `owner` can reserve `bytes` more bytes, or `nil` if none may be dropped.
    ///
    /// It is the oldest response of the owner with the most reserved bytes. That owner must have more bytes than
    /// `owner` would have after the reservation.
    private static func oldest(in state: State, for owner: String, asking bytes: Int) -> ObjectIdentifier? {
        guard let most = state.owners.values.max(), most > state.owners[owner, default: 0] + bytes else { return nil }
        let candidates = state.shares.lazy.filter { state.owners[$0.value.owner] == most && $0.value.owner != owner }
        return candidates.min { $0.value.number < $1.value.number }?.key
    }

    private func admit(_ state: inout State) -> [Waiter] {
        guard !state.waiting.isEmpty else { return [] }
        var (admitted, rest): ([Waiter], [Waiter]) = ([], [])
        for waiter in state.waiting {
            if fits(waiter.share, in: state) {
                state.shares[waiter.room] = waiter.share
                state.count(waiter.share.bytes, waiter.share.owner)
                admitted.append(waiter)
            } else {
                rest.append(waiter)
            }
        }
        state.waiting = rest
        return admitted
    }

    private func give(up number: UInt64) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiting.firstIndex(where: { $0.number == number }) else { return nil }
            return state.waiting.remove(at: index)
        }
        waiter?.end(hasRoom: false)
    }
}
