import DurableSQLite
import Foundation
import OAuth
import Storage

/// Encodes and decodes the columns of a store that contain JSON.
///
/// If the store has a key, the JSON is encrypted.
struct SealedValues: Sendable {
    let sealing: Sealing?

    /// The error for a value that is not in the expected form.
    static var corrupt: StoreError { StoreError(.corrupt, .valueDamaged) }

    /// Returns the bytes to store: encrypted, or unchanged if the store has no key.
    func sealed(_ bytes: [UInt8], _ column: SealedColumn, _ row: String) throws -> Data {
        guard let sealing else { return Data(bytes) }
        return try sealing.seal(Data(bytes), column, row: row)
    }

    /// Returns the JSON of a stored value.
    ///
    /// - Throws: `DamagedRow` or `StoreError` if the value cannot be decrypted or is not JSON.
    func json(_ bytes: Data, _ column: SealedColumn, _ row: String) throws -> JSONValue {
        let bytes = try sealing?.open(bytes, column, row: row) ?? bytes
        do throws(StrictJSON.Failure) {
            return try StrictJSON.parse(bytes, integers: .orFloating)
        } catch {
            throw Self.corrupt
        }
    }
}
