import Synchronization

/// A counter of the bytes of answers that are written and not yet taken by their peer.
///
/// Each connection has one within that of its uid, and each uid within that of all. Calls reserve room from their tasks,
/// before an answer is stored, so that a peer that sends many requests and reads nothing uses a limited part of the memory.
final class AnswerMemory: Sendable {
    private let limit: Int
    private let guaranteed: Int
    private let whole: AnswerMemory?
    private let bytes = Atomic(0)

    /// Limits the bytes to `limit`; they also count in `whole`, which never refuses the first `guaranteed` of them.
    init(limit: Int, within whole: AnswerMemory? = nil, guaranteed: Int = 0) {
        self.limit = limit
        self.guaranteed = guaranteed
        self.whole = whole
    }

    /// Bytes counted now.
    var held: Int { bytes.load(ordering: .relaxed) }

    /// True if not even the smallest answer has room.
    var isFull: Bool { held >= limit || held >= guaranteed && whole?.isFull == true }

    /// Reserves room for an answer.
    ///
    /// - Returns: True if there was room; otherwise nothing is reserved.
    func reserve(_ count: Int) -> Bool {
        let held = bytes.add(count, ordering: .relaxed).newValue
        guard held <= limit else {
            bytes.subtract(count, ordering: .relaxed)
            return false
        }
        if held <= guaranteed {
            whole?.add(count)
            return true
        }
        guard whole?.reserve(count) ?? true else {
            bytes.subtract(count, ordering: .relaxed)
            return false
        }
        return true
    }

    /// Counts bytes that are kept in any case, such as the error for a lack of room.
    func add(_ count: Int) {
        bytes.add(count, ordering: .relaxed)
        whole?.add(count)
    }

    /// Releases the room of bytes that the peer has taken, or that are dropped.
    func release(_ count: Int) { add(-count) }
}
