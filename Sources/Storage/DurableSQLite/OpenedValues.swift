import Foundation
import Synchronization

/// Values that were opened before, so that a row which is read again and again is opened once.
///
/// A value is known again by its sealed bytes, which have a nonce of their own each time they are written; so one that was
/// changed, damaged or moved to another row is never taken for the one before.
final class OpenedValues: Sendable {
    /// The most values that are remembered; beyond it, all are forgotten.
    static let most = 1024

    private struct Place: Hashable {
        let column: SealedColumn
        let row: String
    }

    private struct Opened {
        let sealed: Data
        let value: any Sendable
    }

    private let known = Mutex<[Place: Opened]>([:])

    /// The value that a place held with these very bytes; what `open` makes of them, if they were not seen there before.
    func value<T: Sendable>(
        _ sealed: Data,
        _ column: SealedColumn,
        row: String,
        open: () throws -> T
    ) throws -> T {
        let place = Place(column: column, row: row)
        let last = known.withLock { $0[place] }
        if let last, last.sealed == sealed, let value = last.value as? T { return value }
        let value = try open()
        known.withLock { known in
            if known.count >= Self.most, known[place] == nil { known = [:] }
            known[place] = Opened(sealed: sealed, value: value)
        }
        return value
    }
}
