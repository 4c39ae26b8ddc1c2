public import Foundation
public import OAuth

/// Which vault of a uid, and the how-manieth lock of it; what was handed out before a lock opens nothing after it.
public struct VaultMark: Hashable, Sendable {
    /// The vault: made at the first lock, gone when everybody of the uid is signed out.
    public let id: String
    /// How often it has been locked.
    public let locks: Int64

    /// Characters of an id.
    static let idLength = 22
}

/// What must be known of a locked vault to try a passphrase at it.
public struct VaultDoor: Hashable, Sendable {
    /// Whose.
    public let uid: UInt32
    /// Which.
    public let mark: VaultMark
    /// How the wrapping key is made of the passphrase, as it was given to ``TokenCache/lock(uid:recipe:wrapping:)``.
    public let recipe: Data
}

/// The key that a uid's rows are sealed by, bound to one lock of one vault.
public struct VaultKey: Hashable, Sendable {
    /// Whose.
    public let uid: UInt32
    /// Which vault it opens, until the vault is locked again.
    public let mark: VaultMark
    /// 32 bytes.
    let key: Secret

    init(uid: UInt32, mark: VaultMark, key: Secret) {
        self.uid = uid
        self.mark = mark
        self.key = key
    }

    /// Reads what ``serialized`` wrote; nil for anything else.
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

    /// The key with all that it is bound to, for the one place that keeps it over a restart.
    public var serialized: Secret {
        func bytes(_ number: UInt64, _ size: Int) -> [UInt8] {
            (0..<size).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (size - 1 - $0))) }
        }
        return Secret(
            bytes: Self.magic + bytes(UInt64(uid), 4) + bytes(UInt64(bitPattern: mark.locks), 8) + Array(mark.id.utf8)
                + [UInt8](key.revealBytes())
        )
    }

    /// How many bytes ``serialized`` has.
    public static let length = magic.count + 4 + 8 + VaultMark.idLength + 32

    /// What it begins with: a name and the version of what follows.
    private static let magic = Array("tokenbroker vault 1\n".utf8)
}

/// What is sealed of a vault.
struct VaultBody: Codable {
    /// How the wrapping key is made of the passphrase.
    let recipe: Data
    /// The vault key, sealed by the wrapping key.
    let wrapped: Data
    /// The id of what the vault key seals by, so that another key is known for one.
    let keyID: String
    /// How often the vault has been locked.
    let locks: Int64
}
