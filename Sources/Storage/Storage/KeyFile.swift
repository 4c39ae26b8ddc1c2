import Crypto
import Foundation
public import OAuth

/// A file that contains a store's 32-byte key and that no other user can read.
public enum KeyFile {
    /// The size of a key, in bytes.
    public static let size = 32

    /// Reads a key file, or returns `nil` if the file is missing and `make` is `false`.
    ///
    /// The file contains 32 raw bytes or 43 base64url characters. If it is missing and `make` is `true`, it is created
    /// with a new key. Set `make` to `true` only if the store does not exist yet.
    ///
    /// - Throws: `missingKey` if the content is not a valid key, or another error if the file cannot be read.
    public static func load(_ name: String, in directory: StateDirectory, make: Bool) throws(StoreError) -> Secret? {
        if let bytes = try directory.readPrivateFile(name) { return try parse(bytes, path: directory.path(name)) }
        guard make else { return nil }
        let key = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
        do {
            try directory.makePrivateFile(name, Data((Base64URL.encode(key) + "\n").utf8))
        } catch  where error.code == .conflict {
            // If another process created the key first, both processes use that key.
        }
        guard let bytes = try directory.readPrivateFile(name) else { return nil }
        return try parse(bytes, path: directory.path(name))
    }

    /// Reads a key from the content of a file or credential.
    ///
    /// - Throws: `missingKey`, with `path` in its message, if the bytes are not a valid key.
    public static func parse(_ bytes: some Collection<UInt8>, path: String) throws(StoreError) -> Secret {
        if bytes.count == size { return Secret(bytes: bytes) }
        let line = Array(bytes).last == 0x0A ? bytes.dropLast() : bytes[...]
        if let addition = SecretAddition(in: line) { throw StoreError(.missingKey, .alteredKey(path, addition)) }
        if let key = Base64URL.decode(String(decoding: line, as: UTF8.self)), key.count == size {
            return Secret(bytes: key)
        }
        throw StoreError(.missingKey, .noKey(path))
    }
}
