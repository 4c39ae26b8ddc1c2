import DurableSQLite
import Foundation
import OAuth
import Storage

/// Encodes and decodes a store's JSON columns, which are encrypted if the store has a key.
struct SealedValues: Sendable {
    let sealing: Sealing?

    static var corrupt: StoreError { StoreError(.corrupt, .valueDamaged) }

    func sealed(_ bytes: [UInt8], _ column: SealedColumn, _ row: String) throws -> Data {
        guard let sealing else { return Data(bytes) }
        return try sealing.seal(Data(bytes), column, row: row)
    }

    /// Decrypts and parses a stored value, or throws `DamagedRow` or `StoreError` if the value is damaged.
    func json(_ bytes: Data, _ column: SealedColumn, _ row: String) throws -> JSONValue {
        let bytes = try sealing?.open(bytes, column, row: row) ?? bytes
        do throws(StrictJSON.Failure) {
            return try StrictJSON.parse(bytes, integers: .orFloating)
        } catch {
            throw Self.corrupt
        }
    }
}
