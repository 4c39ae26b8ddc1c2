import Synchronization

/// Bytes of answers in memory: written, and not yet taken by the peer they are for.
///
/// Each connection has one within that of its uid. Calls reserve room from their tasks, before an answer is kept, so that
/// a peer that asks for much and reads nothing takes a bounded part of the memory.
final class AnswerMemory: Sendable {
    private let limit: Int
    private let whole: AnswerMemory?
    private let bytes = Atomic(0)

    /// Room for `limit` bytes, which also count in `whole`.
    init(limit: Int, within whole: AnswerMemory? = nil) {
        self.limit = limit
        self.whole = whole
    }

    /// Bytes in memory now.
    var held: Int { bytes.load(ordering: .relaxed) }

    /// Whether not even the smallest answer has room.
    var isFull: Bool { held >= limit || whole?.isFull == true }

    /// Takes room for an answer.
    ///
    /// - Returns: Whether there is room; if not, nothing is taken.
    func reserve(_ count: Int) -> Bool {
        guard bytes.add(count, ordering: .relaxed).newValue <= limit else {
            bytes.subtract(count, ordering: .relaxed)
            return false
        }
        guard whole?.reserve(count) ?? true else {
            bytes.subtract(count, ordering: .relaxed)
            return false
        }
        return true
    }

    /// Counts bytes that are kept in any case, such as the error that says that there is no room.
    func add(_ count: Int) {
        bytes.add(count, ordering: .relaxed)
        whole?.add(count)
    }

    /// Gives back the room of what was taken by the peer, or is kept no more.
    func release(_ count: Int) { add(-count) }
}
