import Crypto
import Foundation
public import OAuth

/// The key of a store, 32 bytes, as a file that nobody else can read.
public enum KeyFile {
    /// Size of a key in bytes.
    public static let size = 32

    /// Reads the key `name` of a state directory: 32 raw bytes, or 43 characters of base64url with or without a line end.
    ///
    /// - Parameters:
    ///   - name: The file, for example `cache-key`.
    ///   - directory: The state directory.
    ///   - make: Whether a key may be made if there is none: only where the store does not exist either.
    /// - Returns: The key; nil if there is none and none was made.
    /// - Throws: What kept the key from being read, or `missingKey` if that is no key.
    public static func load(_ name: String, in directory: StateDirectory, make: Bool) throws(StoreError) -> Secret? {
        if let bytes = try directory.readPrivateFile(name) { return try parse(bytes, path: directory.path(name)) }
        guard make else { return nil }
        let key = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
        do {
            try directory.makePrivateFile(name, Data((Base64URL.encode(key) + "\n").utf8))
        } catch  where error.code == .conflict {
            // Another start was faster; both use what it wrote.
        }
        guard let bytes = try directory.readPrivateFile(name) else { return nil }
        return try parse(bytes, path: directory.path(name))
    }

    /// Reads a key wherever it came from.
    ///
    /// - Parameters:
    ///   - bytes: What the file or the credential holds.
    ///   - path: Where it stands, for the message.
    /// - Returns: The key.
    /// - Throws: `missingKey` if that is no key.
    public static func parse(_ bytes: some Collection<UInt8>, path: String) throws(StoreError) -> Secret {
        if bytes.count == size { return Secret(bytes: bytes) }
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines)
        if let key = Base64URL.decode(text), key.count == size { return Secret(bytes: key) }
        throw StoreError(.missingKey, .noKey(path))
    }
}
