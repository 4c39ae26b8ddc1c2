import Moments
import Synchronization

/// Delivers items that are queued in a store: leases items that are due, delivers a limited number concurrently, and
/// records the results.
///
/// No lock or transaction stays open while waiting for a recipient's response. An item without a recorded result is due
/// again when its lease has expired.
struct DeliveryLoop<Item: Sendable>: Sendable {
    /// The maximum number of concurrent deliveries.
    let width: Int
    /// The number of slots that must be free before more items are leased.
    ///
    /// With 1, a slow delivery does not delay the others. With ``width``, each batch starts only after the previous
    /// batch has ended.
    let slotsToTake: Int
    /// How often the store is checked if ``kick()`` is not called.
    let pollInterval: Duration
    /// Leases at most `limit` items that are due.
    ///
    /// Returns an empty array if the store fails.
    let take: @Sendable (_ limit: Int) async -> [Item]
    /// Delivers an item and records the result.
    ///
    /// Returns whether it was delivered.
    let deliver: @Sendable (Item) async -> Bool

    private let kicks: AsyncStream<Void>
    private let kicked: AsyncStream<Void>.Continuation

    init(
        width: Int,
        slotsToTake: Int,
        pollInterval: Duration,
        take: @escaping @Sendable (_ limit: Int) async -> [Item],
        deliver: @escaping @Sendable (Item) async -> Bool
    ) {
        self.width = width
        self.slotsToTake = slotsToTake
        self.pollInterval = pollInterval
        self.take = take
        self.deliver = deliver
        (kicks, kicked) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Signals that an item was queued.
    func kick() { kicked.yield() }

    /// Delivers items that are due, immediately, after every ``kick()`` and after every ``pollInterval``, until the
    /// task is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                while (try? await Task.sleep(for: pollInterval)) != nil { kick() }
            }
            group.addTask {
                kick()
                await deliverAtKicks()
            }
            await group.next()
            group.cancelAll()
        }
    }

    private func deliverAtKicks() async {
        let slots = DeliverySlots(width)
        await withDiscardingTaskGroup { group in
            for await _ in kicks {
                var isEmpty = false
                while !isEmpty, !Task.isCancelled {
                    let free = slots.free
                    // Each freed slot signals the loop, so the loop continues when enough slots are free.
                    if free < slotsToTake { break }
                    let due = await take(free)
                    isEmpty = due.count < free
                    for item in due {
                        slots.enter()
                        group.addTask {
                            _ = await deliver(item)
                            if slots.leave() == slotsToTake { kick() }
                        }
                    }
                }
            }
        }
    }

    /// Delivers the items that are due now.
    ///
    /// - Returns: Whether each leased item was delivered.
    func deliverDue() async -> [Bool] {
        await withTaskGroup(of: Bool.self) { group in
            var results: [Bool] = []
            var free = width
            while true {
                let due = Task.isCancelled || free < slotsToTake ? [] : await take(free)
                for item in due { group.addTask { await deliver(item) } }
                free -= due.count
                guard let isDelivered = await group.next() else { break }
                free += 1
                results.append(isDelivered)
            }
            return results
        }
    }
}

/// The delays between attempts to deliver one item.
///
/// Each delay is twice as long as the previous one.
struct DeliveryPauses {
    let first: Duration
    let longest: Duration

    /// Returns when the next attempt is due.
    ///
    /// - Parameters:
    ///   - tries: The number of attempts so far, at least 1.
    ///   - now: The current time.
    /// - Returns: The time of the next attempt.
    func next(after tries: Int, at now: Moment) -> Deadline {
        Deadline(min(longest, first * (1 << min(max(tries - 1, 0), 10))), after: now)
    }
}

/// Limits the number of concurrent deliveries.
private final class DeliverySlots: Sendable {
    private let left: Mutex<Int>

    init(_ count: Int) { left = Mutex(count) }

    var free: Int { left.withLock { $0 } }

    func enter() { left.withLock { $0 -= 1 } }

    /// Frees a slot and returns how many are free.
    func leave() -> Int {
        left.withLock { left in
            left += 1
            return left
        }
    }
}
