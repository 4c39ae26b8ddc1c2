import Moments
import Synchronization

/// Deliveries that wait in a store: takes what is due with a lease, delivers it within a width, and records what came of it.
///
/// Nothing is held while a recipient answers. What was taken and not recorded is due again when its lease has ended.
struct DeliveryLoop<Item: Sendable>: Sendable {
    /// The greatest number of deliveries under way at once.
    let width: Int
    /// The number of slots that must be free before more is taken: with one, a delivery that waits for its answer delays no
    /// other; with all, the next batch follows the end of the last.
    let slotsToTake: Int
    /// The time after which the store is looked at even if nobody said that something waits.
    let pollInterval: Duration
    /// Leases at most so many items that are due; none if the store cannot say.
    let take: @Sendable (_ limit: Int) async -> [Item]
    /// Delivers an item and records the result; true if it was delivered.
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

    /// Signals that something waits.
    func kick() { kicked.yield() }

    /// Delivers what is due, again at every kick and after every ``pollInterval``, until the task is cancelled.
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
                    // Freeing the slot that is lacking kicks.
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

    /// Delivers what is due now.
    ///
    /// - Returns: For each item that was taken, whether it was delivered.
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

/// The pauses between the tries of one delivery, each twice as long as the one before.
struct DeliveryPauses {
    let first: Duration
    let longest: Duration

    /// The time until the next try is due.
    ///
    /// - Parameters:
    ///   - tries: The tries so far, one at least.
    ///   - now: The current time.
    /// - Returns: The time.
    func next(after tries: Int, at now: Moment) -> Deadline {
        Deadline(min(longest, first * (1 << min(max(tries - 1, 0), 10))), after: now)
    }
}

/// A limit on the deliveries under way.
private final class DeliverySlots: Sendable {
    private let left: Mutex<Int>

    init(_ count: Int) { left = Mutex(count) }

    var free: Int { left.withLock { $0 } }

    func enter() { left.withLock { $0 -= 1 } }

    /// Frees a slot, and returns the number that are free then.
    func leave() -> Int {
        left.withLock { left in
            left += 1
            return left
        }
    }
}
