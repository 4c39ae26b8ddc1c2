import Foundation
import Synchronization

/// A cache of decrypted values.
///
/// A value is found only if its column, row and encrypted bytes are the same as before, so the cache never hides a
/// changed, damaged or moved value.
final class OpenedValues: Sendable {
    /// The number of values at which the cache is emptied.
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
