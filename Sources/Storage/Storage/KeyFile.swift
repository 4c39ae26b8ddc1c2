import Crypto
import Foundation
public import OAuth

/// The file with a store's 32-byte key.
///
/// No other user can read the file.
public enum KeyFile {
    /// The size of a key, in bytes.
    public static let size = 32

    /// Reads the key `name` of a state directory: 32 raw bytes, or 43 characters of base64url with or without a line
    /// break.
    ///
    /// - Parameters:
    ///   - name: The name of the file, for example `cache-key`.
    ///   - directory: The state directory.
    ///   - make: Whether to create a missing key. Pass `true` only if the store does not exist either.
    /// - Returns: The key, or `nil` if it is missing and was not created.
    /// - Throws: The reason why the file cannot be read, or `missingKey` if its content is not a valid key.
    public static func load(_ name: String, in directory: StateDirectory, make: Bool) throws(StoreError) -> Secret? {
        if let bytes = try directory.readPrivateFile(name) { return try parse(bytes, path: directory.path(name)) }
        guard make else { return nil }
        let key = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
        do {
            try directory.makePrivateFile(name, Data((Base64URL.encode(key) + "\n").utf8))
        } catch  where error.code == .conflict {
            // Another process created the key first. Both use that key.
        }
        guard let bytes = try directory.readPrivateFile(name) else { return nil }
        return try parse(bytes, path: directory.path(name))
    }

    /// Reads a key from bytes of any source.
    ///
    /// - Parameters:
    ///   - bytes: The content of the file or the credential.
    ///   - path: The path, for the message.
    /// - Returns: The key.
    /// - Throws: `missingKey` if the bytes are not a valid key.
    public static func parse(_ bytes: some Collection<UInt8>, path: String) throws(StoreError) -> Secret {
        if bytes.count == size { return Secret(bytes: bytes) }
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines)
        if let key = Base64URL.decode(text), key.count == size { return Secret(bytes: key) }
        throw StoreError(.missingKey, .noKey(path))
    }
}
