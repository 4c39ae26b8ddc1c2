public import Foundation
public import OAuth

/// The identity of a vault and the number of times that it has been locked; each lock invalidates older keys.
public struct VaultMark: Hashable, Sendable {
    /// The id of the vault, which exists from the uid's first lock until all of the uid's users are signed out.
    public let id: String
    /// The number of times that the vault has been locked.
    public let locks: Int64

    static let idLength = 22
}

/// The information that is needed to try a passphrase on a locked vault.
public struct VaultHeader: Hashable, Sendable {
    /// The uid whose rows are locked.
    public let uid: UInt32
    /// The vault's id and the number of times that the vault has been locked.
    public let mark: VaultMark
    /// The recipe for the wrapping key that was passed to ``TokenCache/Vaults/lock(uid:recipe:wrapping:)``.
    public let recipe: Data
}

/// The key that encrypts a uid's rows, valid until the uid's vault is locked again.
public struct VaultKey: Hashable, Sendable {
    /// The uid whose rows the key decrypts.
    public let uid: UInt32
    /// The vault that the key unlocks.
    public let mark: VaultMark
    /// The 32-byte key.
    let key: Secret

    init(uid: UInt32, mark: VaultMark, key: Secret) {
        self.uid = uid
        self.mark = mark
        self.key = key
    }

    /// Reads a key in the format of ``serialized``, or returns `nil` if the data has a different format.
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

    /// The key together with its uid and its vault, in a format that can be stored across a restart.
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

    private static let magic = Array("tokenbroker vault 1\n".utf8)
}

/// The encrypted content of a vault's row.
struct VaultBody: Codable {
    let recipe: Data
    /// The vault key, encrypted with the wrapping key.
    let wrapped: Data
    let keyID: String
    let locks: Int64
}
