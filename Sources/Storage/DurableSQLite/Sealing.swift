import Crypto
public import Foundation
public import OAuth
public import Storage

/// A column whose values are sealed, and the text column that its table's rows are found by.
public struct SealedColumn: Hashable, Sendable {
    /// The table.
    public let table: String
    /// The primary key: one column of text.
    public let key: String
    /// The sealed column.
    public let column: String

    /// A column whose values are sealed.
    public init(_ table: String, key: String = "id", _ column: String) {
        self.table = table
        self.key = key
        self.column = column
    }
}

/// A sealed value that does not open under the store's own key.
public struct DamagedRow: Error, Hashable, Sendable {
    /// Column of the value.
    public let column: SealedColumn
    /// The row's primary key.
    public let row: String
}

/// Encrypts values for one place each: AES-256-GCM, with table, row and column as additional data, so that nobody can
/// move a value to another row unnoticed.
public struct Sealing: Sendable {
    /// Tells keys apart; says nothing about the key.
    public let keyID: String

    private let root: SymmetricKey
    private let key: SymmetricKey
    private let prefix: Data
    private let opened = OpenedValues()

    /// Seals under keys derived from `key`.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - purpose: The purpose of the store; keys of two purposes differ even where the root is one.
    /// - Throws: `missingKey` if that is no key.
    public init(key: Secret, purpose: String) throws(StoreError) {
        guard key.count == 32 else { throw StoreError(.missingKey, "the key of \(purpose) is not 32 bytes") }
        root = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: key.revealBytes()),
            info: Data(purpose.utf8),
            outputByteCount: 32
        )
        self.key = Self.derive(root, "sealing")
        let id = Self.derive(root, "key id").withUnsafeBytes { Data($0.prefix(Self.keyIDSize)) }
        keyID = id.map { String(format: "%02x", $0) }.joined()
        prefix = Data([Self.version]) + id
    }

    /// Common beginning of all values that are sealed here, and of none of another key.
    public var mark: Data { prefix }

    /// Tells whether a value claims to be sealed here; it may be damaged.
    public func claims(_ sealed: Data) -> Bool { sealed.prefix(prefix.count) == prefix }

    /// Another secret of the same root, for another use.
    public func derived(_ use: String) -> Secret {
        Secret(bytes: Self.derive(root, use).withUnsafeBytes { Data($0) })
    }

    /// Encrypts `value` for one place.
    public func seal(_ value: Data, _ column: SealedColumn, row: String) throws -> Data {
        let box = try AES.GCM.seal(value, using: key, authenticating: Self.place(column, row))
        guard let combined = box.combined else { throw DamagedRow(column: column, row: row) }
        return prefix + combined
    }

    /// Decrypts what was sealed for this place, and nothing else.
    public func open(_ sealed: Data, _ column: SealedColumn, row: String) throws(DamagedRow) -> Data {
        guard claims(sealed), let box = try? AES.GCM.SealedBox(combined: sealed.dropFirst(prefix.count)),
            let value = try? AES.GCM.open(box, using: key, authenticating: Self.place(column, row))
        else { throw DamagedRow(column: column, row: row) }
        return value
    }

    /// Encrypts a value as JSON.
    public func seal(_ value: some Encodable, as column: SealedColumn, row: String) throws -> Data {
        try seal(JSONEncoder().encode(value), column, row: row)
    }

    /// Decrypts a value that was sealed as JSON.
    ///
    /// - Returns: The value.
    /// - Throws: `DamagedRow` if it does not open; `corrupt` if it opens and is not of its type, since this very key
    ///   sealed it: another version may read it, so its row stays.
    public func open<T: Decodable>(
        _ type: T.Type,
        _ sealed: Data,
        as column: SealedColumn,
        row: String
    ) throws -> T {
        let json = try open(sealed, column, row: row)
        do {
            return try JSONDecoder().decode(type, from: json)
        } catch {
            throw StoreError(.corrupt, "\(column.column) of a row of \(column.table) opens and is not of its type")
        }
    }

    /// Encrypts a value of a row that many requests write.
    public func write(_ value: some JSONConvertible, as column: SealedColumn, row: String) throws -> Data {
        try seal(Data(value.json.bytes), column, row: row)
    }

    /// Decrypts a value of a row that many requests read; otherwise the same as for any `Decodable`.
    public func read<T: JSONConvertible>(
        _ type: T.Type,
        _ sealed: Data,
        as column: SealedColumn,
        row: String
    ) throws -> T {
        let bytes = try open(sealed, column, row: row)
        guard let json = try? StrictJSON.parse(bytes, integers: .orFloating), let value = T(json: json) else {
            throw StoreError(.corrupt, "\(column.column) of a row of \(column.table) opens and is not of its type")
        }
        return value
    }

    /// Decrypts a value of a row that requests read again and again, once for as long as it stays as it is.
    public func recall<T: JSONConvertible & Sendable>(
        _ type: T.Type,
        _ sealed: Data,
        as column: SealedColumn,
        row: String
    ) throws -> T {
        try opened.value(sealed, column, row: row) { try read(type, sealed, as: column, row: row) }
    }

    /// The id of the key that sealed this value; nil if it is no sealed value.
    static func keyID(of sealed: Data) -> String? {
        guard sealed.count > 1 + keyIDSize, sealed.first == version else { return nil }
        return sealed.dropFirst().prefix(keyIDSize).map { String(format: "%02x", $0) }.joined()
    }

    private static let version: UInt8 = 1
    /// Bytes of a key's id.
    private static let keyIDSize = 8

    private static func derive(_ key: SymmetricKey, _ use: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Data(use.utf8), outputByteCount: 32)
    }

    /// Table, row and column with a control character between them; a long list has thousands of rows.
    private static func place(_ column: SealedColumn, _ row: String) -> [UInt8] {
        let separator: UInt8 = 0x1F
        var place: [UInt8] = []
        place.reserveCapacity(column.table.utf8.count + row.utf8.count + column.column.utf8.count + 2)
        place += column.table.utf8
        place.append(separator)
        place += row.utf8
        place.append(separator)
        place += column.column.utf8
        return place
    }
}
