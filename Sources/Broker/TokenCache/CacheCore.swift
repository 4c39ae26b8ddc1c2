import Crypto
import DurableSQLite
import Foundation
import GRDB
import Moments
import OAuth
import Storage

struct CacheCore: Sendable {
    let database: DurableDatabase
    let sealing: Sealing
    let clock: MomentClock
    let memory = Memory()
    let vaults = VaultStates()
    private let accountKey: SymmetricKey

    init(database: DurableDatabase, sealing: Sealing, clock: MomentClock) {
        self.database = database
        self.sealing = sealing
        self.clock = clock
        accountKey = SymmetricKey(data: sealing.derived("accounts").revealBytes())
    }

    // MARK: Ids

    /// Returns the id that identifies a user in the accounts of all uids.
    func personID(authority: String, subject: String) -> String { opaque("person\u{1F}\(authority)\u{1F}\(subject)") }

    /// Returns a keyed hash of `text`, which does not reveal the text.
    func opaque(_ text: String) -> String {
        let mac = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: accountKey)
        return Base64URL.encode(Data(mac.prefix(16)))
    }

    static func rowID(_ parts: [String]) -> String {
        Base64URL.encode(Data(SHA256.hash(data: Data(parts.joined(separator: "\u{1F}").utf8)).prefix(16)))
    }

    // MARK: Keys

    static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// Returns the keys of a uid's rows; call it after reading the rows, because the uid can be locked meanwhile.
    func sealing(of uid: UInt32) throws(StoreError) -> RowSealing {
        switch vaults.state(uid) {
        case .none: RowSealing(own: sealing)
        case .open(_, let own): RowSealing(own: own, former: sealing)
        case .locked: throw Self.locked
        }
    }

    static let locked = StoreError(.locked, "this uid's cache is locked")

    // MARK: Rows that cannot be decrypted

    /// Decrypts rows with `open`, but skips undecryptable rows, which the next write moves to the `damaged` table.
    func opened<T>(_ rows: [Row], _ open: (Row) throws -> T) throws -> [T] {
        try rows.compactMap { row in
            do {
                return try open(row)
            } catch let damage as DamagedRow {
                memory.remember(damage)
                return nil
            }
        }
    }

    /// Returns the uid's rows that `find` selects, decrypted with `open`, or throws `locked` if the uid is locked.
    func rows<T>(
        of uid: UInt32,
        _ open: (Row) throws -> T,
        _ find: (Database) throws -> [Row]
    ) throws(StoreError) -> [T] {
        _ = try sealing(of: uid)
        return try database.readInline { db in try opened(find(db), open) }
    }

    /// Moves rows that could not be decrypted to the `damaged` table, as required before each write.
    func setDamagedAside() async throws(StoreError) {
        for damage in memory.takeDamaged() where isDamaged(damage) { try await database.setAside(damage) }
    }

    /// Whether decrypting a row still fails, or `false` if the uid is locked and this cannot be checked.
    private func isDamaged(_ damage: DamagedRow) -> Bool {
        let column = damage.column
        let opens = try? database.readInline { db in
            guard
                let row = try db.row(
                    "SELECT uid, \(column.column) FROM \(column.table) WHERE \(column.key) = :row",
                    ["row": damage.row]
                )
            else { return true }
            let sealed: Data = try row.get(column.column)
            if column == TokenCache.SignOuts.targets {
                return (try? sealing.open(sealed, column, row: damage.row)) != nil
            }
            guard let own = try? sealing(of: try row.get("uid")) else { return true }
            return (try? own.open(sealed, column, row: damage.row)) != nil
        }
        return opens == false
    }
}
