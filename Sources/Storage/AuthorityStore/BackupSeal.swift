import Crypto
import DurableSQLite
import Foundation
import Glibc
import OAuth
import Storage

/// The last line of a backup: `tokenbroker-backup 1 KEY MAC`, where 1 is the format version and KEY is the key's id.
///
/// The MAC is an HMAC-SHA-256 over every preceding byte, with a key derived from the authority key.
struct BackupSeal {
    /// The size of the seal, in bytes.
    static let length = beginning.utf8.count + 1 + 1 + keyLength + 1 + macLength + 1

    private static let beginning = "tokenbroker-backup "
    private static let version: Character = "1"
    private static let keyLength = 16
    private static let macLength = 64
    /// The number of bytes to read at a time.
    private static let piece = 1 << 20

    private let sealing: Sealing
    private let key: SymmetricKey

    init(_ options: AuthorityStore.Options) throws(StoreError) {
        self.init(try Sealing(key: options.key, purpose: AuthorityStore.purpose))
    }

    init(_ sealing: Sealing) {
        self.sealing = sealing
        key = SymmetricKey(data: sealing.derived("backup seal").revealBytes())
    }

    /// Appends the seal to a file, and waits until the file is on disk.
    func seal(_ path: String) throws(StoreError) {
        try Self.opening(path) { file in
            let length = try file.seekToEnd()
            let head = "\(Self.beginning)\(Self.version) \(sealing.keyID) "
            let code = try mac(file, length, head)
            let digits = Data(code).map { String(format: "%02x", $0) }.joined()
            try file.seek(toOffset: length)
            try file.write(contentsOf: Data((head + digits + "\n").utf8))
            try file.synchronize()
        }
    }

    /// Verifies a file's seal and removes it, or returns `false` if the file has no seal.
    ///
    /// - Throws: `wrongKey`, `newerSchema` for a newer format, or `corrupt` if the file changed after it was sealed.
    func unseal(_ path: String) throws(StoreError) -> Bool {
        try Self.opening(path) { file in
            let whole = try file.seekToEnd()
            guard whole > UInt64(Self.length) else { return false }
            let length = whole - UInt64(Self.length)
            try file.seek(toOffset: length)
            let line = String(decoding: try file.read(upToCount: Self.length) ?? Data(), as: UTF8.self)
            guard line.hasPrefix(Self.beginning), line.hasSuffix("\n") else { return false }
            let words = line.dropLast().split(separator: " ", omittingEmptySubsequences: false)
            guard words.count == 4, words[1] == String(Self.version) else {
                throw StoreError(.newerSchema, .newerBackup(path))
            }
            guard words[2] == sealing.keyID else {
                throw StoreError.wrongKey(path: path, expected: String(words[2]), found: sealing.keyID)
            }
            let head = words.dropLast().joined(separator: " ") + " "
            guard let given = Self.bytes(words[3]), try mac(file, length, head) == given else {
                throw StoreError(.corrupt, .changedBackup(path))
            }
            try file.truncate(atOffset: length)
            return true
        }
    }

    private func mac(_ file: FileHandle, _ length: UInt64, _ head: String) throws -> HMAC<SHA256>.MAC {
        var hmac = HMAC<SHA256>(key: key)
        try file.seek(toOffset: 0)
        var rest = length
        while rest > 0 {
            let count = Int(min(rest, UInt64(Self.piece)))
            guard let bytes = try file.read(upToCount: count), !bytes.isEmpty else { throw POSIXError(.EIO) }
            hmac.update(data: bytes)
            rest -= UInt64(bytes.count)
        }
        hmac.update(data: Data(head.utf8))
        return hmac.finalize()
    }

    private static func bytes(_ hex: Substring) -> Data? {
        let digits = Array(hex.utf8)
        guard digits.count == macLength else { return nil }
        var bytes = Data()
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index...(index + 1)], as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(byte)
        }
        return bytes
    }

    private static func opening<Result>(
        _ path: String,
        _ body: (FileHandle) throws -> Result
    ) throws(StoreError) -> Result {
        let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw .fromErrno(errno) { .cannotOpen(path, why: $0) } }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            return try body(file)
        } catch let error as StoreError {
            throw error
        } catch {
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            throw .fromErrno(CInt((cause ?? error as NSError).code)) { .cannotReadOrWrite(path, why: $0) }
        }
    }
}
