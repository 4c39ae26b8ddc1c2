public import Foundation
public import OAuth

/// One lock of one vault of a uid; nothing handed out before a lock opens anything after it.
public struct VaultMark: Hashable, Sendable {
    /// The id of the vault: made at the first lock, removed when everybody of the uid is signed out.
    public let id: String
    /// Number of times it has been locked.
    public let locks: Int64

    /// Characters of an id.
    static let idLength = 22
}

/// The facts about a locked vault that are needed to try a passphrase.
public struct VaultHeader: Hashable, Sendable {
    /// The uid that is locked.
    public let uid: UInt32
    /// The vault and its lock.
    public let mark: VaultMark
    /// The way of deriving the wrapping key from the passphrase, as given to ``TokenCache/Vaults/lock(uid:recipe:wrapping:)``.
    public let recipe: Data
}

/// The key that a uid's rows are sealed by, bound to one lock of one vault.
public struct VaultKey: Hashable, Sendable {
    /// The uid whose rows it opens.
    public let uid: UInt32
    /// The vault that it opens, until that is locked again.
    public let mark: VaultMark
    /// 32 bytes.
    let key: Secret

    init(uid: UInt32, mark: VaultMark, key: Secret) {
        self.uid = uid
        self.mark = mark
        self.key = key
    }

    /// Reads the form that ``serialized`` gives; nil for any other.
    public init?(serialized: Secret) {
        let bytes = [UInt8](serialized.revealBytes())
        guard bytes.count == Self.length, bytes.starts(with: Self.magic) else { return nil }
        var rest = bytes.dropFirst(Self.magic.count)
        func number(_ size: Int) -> UInt64 {
            defer { rest = rest.dropFirst(size) }
            return rest.prefix(size).reduce(0) { $0 << 8 | UInt64($1) }
        }
        uid = UInt32(number(4))
        let locks = Int64(bitPattern: number(8))
        mark = VaultMark(id: String(decoding: rest.prefix(VaultMark.idLength), as: UTF8.self), locks: locks)
        key = Secret(bytes: rest.dropFirst(VaultMark.idLength))
    }

    /// The key with everything that it is bound to, for the one place that keeps it over a restart.
    public var serialized: Secret {
        func bytes(_ number: UInt64, _ size: Int) -> [UInt8] {
            (0..<size).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (size - 1 - $0))) }
        }
        return Secret(
            bytes: Self.magic + bytes(UInt64(uid), 4) + bytes(UInt64(bitPattern: mark.locks), 8) + Array(mark.id.utf8)
                + [UInt8](key.revealBytes())
        )
    }

    /// The length of ``serialized`` in bytes.
    public static let length = magic.count + 4 + 8 + VaultMark.idLength + 32

    /// The first bytes: a name and the version of the form.
    private static let magic = Array("tokenbroker vault 1\n".utf8)
}

/// The sealed part of a vault.
struct VaultBody: Codable {
    /// The way of deriving the wrapping key from the passphrase.
    let recipe: Data
    /// The vault key, sealed by the wrapping key.
    let wrapped: Data
    /// The id of the vault key's sealing, which distinguishes it from other keys.
    let keyID: String
    /// Number of times the vault has been locked.
    let locks: Int64
}
