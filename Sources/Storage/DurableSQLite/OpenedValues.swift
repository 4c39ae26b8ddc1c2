import Foundation
import Synchronization

/// A cache of decrypted values, so a row that is read repeatedly is decrypted once.
///
/// A value is identified by its encrypted bytes, which get a new nonce with every write. A value that was changed,
/// damaged or moved to another row is therefore never found in the cache.
final class OpenedValues: Sendable {
    /// The maximum number of values.
    ///
    /// When it is reached, the cache is emptied.
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

    /// Returns the cached value for a place with exactly these encrypted bytes, or else the result of `open`.
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
