import Crypto
public import Foundation
public import OAuth
public import Storage

/// A column with encrypted values, and the text column that is its table's primary key.
public struct SealedColumn: Hashable, Sendable {
    /// The name of the table.
    public let table: String
    /// The name of the primary key column, which is of type TEXT.
    public let key: String
    /// The name of the encrypted column.
    public let column: String

    /// Creates the description of an encrypted column.
    public init(_ table: String, key: String = "id", _ column: String) {
        self.table = table
        self.key = key
        self.column = column
    }
}

/// An encrypted value that cannot be decrypted with the store's key.
public struct DamagedRow: Error, Hashable, Sendable {
    /// The column that contains the value.
    public let column: SealedColumn
    /// The primary key of the row.
    public let row: String
}

/// Encrypts values with AES-256-GCM, each bound to its table, row and column as authenticated data.
public struct Sealing: Sendable {
    /// An id of the key, which reveals nothing about the key itself.
    public let keyID: String

    private let root: SymmetricKey
    private let key: SymmetricKey
    private let prefix: Data
    private let opened = OpenedValues()

    /// Derives encryption keys, which are different for each `purpose`, from a 32-byte key.
    ///
    /// - Throws: `missingKey` if `key` is not 32 bytes long.
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

    /// The common prefix of all values that are encrypted with this key.
    public var mark: Data { prefix }

    /// Whether the value begins with this key's prefix, although its rest may be damaged.
    public func claims(_ sealed: Data) -> Bool { sealed.prefix(prefix.count) == prefix }

    /// Derives a secret for the purpose `use` from the root key.
    public func derived(_ use: String) -> Secret {
        Secret(bytes: Self.derive(root, use).withUnsafeBytes { Data($0) })
    }

    /// Encrypts a value for one column and row.
    public func seal(_ value: Data, _ column: SealedColumn, row: String) throws -> Data {
        let box = try AES.GCM.seal(value, using: key, authenticating: Self.place(column, row))
        guard let combined = box.combined else { throw DamagedRow(column: column, row: row) }
        return prefix + combined
    }

    /// Decrypts a value that was encrypted for this column and row.
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

    /// Decrypts a value that was encrypted as JSON.
    ///
    /// - Throws: `DamagedRow` if the value cannot be decrypted, or `corrupt` if the JSON does not match the type. In
    ///   the latter case, the row is not set aside.
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
            throw StoreError(
                .corrupt,
                "\(column.column) of a row of \(column.table) has the wrong type after decryption"
            )
        }
    }

    /// Encrypts a value as JSON, faster than with `Encodable`, for values that are written often.
    public func write(_ value: some JSONConvertible, as column: SealedColumn, row: String) throws -> Data {
        try seal(Data(value.json.bytes), column, row: row)
    }

    /// Decrypts a JSON value, faster than with `Decodable`, for values that are read often.
    public func read<T: JSONConvertible>(
        _ type: T.Type,
        _ sealed: Data,
        as column: SealedColumn,
        row: String
    ) throws -> T {
        let bytes = try open(sealed, column, row: row)
        guard let json = try? StrictJSON.parse(bytes, integers: .orFloating), let value = T(json: json) else {
            throw StoreError(
                .corrupt,
                "\(column.column) of a row of \(column.table) has the wrong type after decryption"
            )
        }
        return value
    }

    /// Decrypts a value, or returns it from the cache if the value has not changed.
    public func recall<T: JSONConvertible & Sendable>(
        _ type: T.Type,
        _ sealed: Data,
        as column: SealedColumn,
        row: String
    ) throws -> T {
        try opened.value(sealed, column, row: row) { try read(type, sealed, as: column, row: row) }
    }

    /// Returns the id of the key that encrypted this value, or `nil` if the value is not encrypted.
    static func keyID(of sealed: Data) -> String? {
        guard sealed.count > 1 + keyIDSize, sealed.first == version else { return nil }
        return sealed.dropFirst().prefix(keyIDSize).map { String(format: "%02x", $0) }.joined()
    }

    private static let version: UInt8 = 1
    /// The size of a key id, in bytes.
    private static let keyIDSize = 8

    private static func derive(_ key: SymmetricKey, _ use: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Data(use.utf8), outputByteCount: 32)
    }

    /// Returns the table, row and column as bytes, which is faster than building a string.
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
