import Moments
import Synchronization

/// Leases due items, delivers a limited number of them concurrently, and records the results.
///
/// The loop holds no lock or transaction during a delivery. An item without a result is due again after its lease.
struct DeliveryLoop<Item: Sendable>: Sendable {
    let width: Int
    /// The number of delivery slots that must be free before the loop leases more items.
    ///
    /// With 1, a slow delivery does not delay other items. With ``width``, each batch waits for the previous batch.
    let slotsToTake: Int
    let pollInterval: Duration
    /// Leases at most `limit` due items, or returns an empty array if the store fails.
    let take: @Sendable (_ limit: Int) async -> [Item]
    /// Delivers an item, records the result, and returns whether the item was delivered.
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

    func kick() { kicked.yield() }

    /// Delivers due items at the start, after every ``kick()`` and once per ``pollInterval``, until cancelled.
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
                    // When a finished delivery has freed enough slots, it calls `kick()`, and this loop continues.
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

    /// Delivers the items that are due now, and returns, for each item, whether it was delivered.
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

/// The delays between attempts to deliver an item.
struct DeliveryPauses {
    let first: Duration
    let longest: Duration

    /// Returns when the next attempt is due after `tries` previous attempts, at least 1.
    func next(after tries: Int, at now: Moment) -> Deadline {
        Deadline(min(longest, first * (1 << min(max(tries - 1, 0), 10))), after: now)
    }
}

private final class DeliverySlots: Sendable {
    private let left: Mutex<Int>

    init(_ count: Int) { left = Mutex(count) }

    var free: Int { left.withLock { $0 } }

    func enter() { left.withLock { $0 -= 1 } }

    func leave() -> Int {
        left.withLock { left in
            left += 1
            return left
        }
    }
}
