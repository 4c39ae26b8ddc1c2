import DurableSQLite
import Foundation
import OAuth
import Storage

/// What the sealed columns of a store hold: JSON, sealed or plain.
struct SealedValues: Sendable {
    let sealing: Sealing?

    /// The error of contents that are not what they should be.
    static var corrupt: StoreError { StoreError(.corrupt, .valueDamaged) }

    /// The bytes as the database keeps them.
    func sealed(_ bytes: [UInt8], _ column: SealedColumn, _ row: String) throws -> Data {
        guard let sealing else { return Data(bytes) }
        return try sealing.seal(Data(bytes), column, row: row)
    }

    /// The JSON that the database keeps.
    ///
    /// - Throws: `DamagedRow` or `StoreError` for what does not open, or is no JSON.
    func json(_ bytes: Data, _ column: SealedColumn, _ row: String) throws -> JSONValue {
        let bytes = try sealing?.open(bytes, column, row: row) ?? bytes
        do throws(StrictJSON.Failure) {
            return try StrictJSON.parse(bytes, integers: .orFloating)
        } catch {
            throw Self.corrupt
        }
    }
}
