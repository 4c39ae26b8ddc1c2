public import Foundation

/// Encodes and decodes base64url without padding (RFC 4648 §5, RFC 7515 §2).
///
/// Each byte sequence has only one accepted encoding, so that no other spelling of a token bypasses a denylist.
public enum Base64URL {
    /// Encodes `bytes` as base64url without padding.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        append(bytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the base64url encoding of `bytes` to `text`.
    public static func append(_ bytes: some Collection<UInt8>, to text: inout [UInt8]) {
        let done: Void? = bytes.withContiguousStorageIfAvailable { append(buffer: $0, to: &text) }
        if done == nil { Array(bytes).withUnsafeBufferPointer { append(buffer: $0, to: &text) } }
    }

    /// Decodes base64url, or returns `nil` for a wrong length, padding, other characters or nonzero unused bits.
    public static func decode(_ text: String) -> Data? {
        var text = text
        return text.withUTF8 { decode($0) }.map { Data($0) }
    }

    /// Decodes base64url text in ASCII bytes, or returns `nil` in the same cases as ``decode(_:)-(String)``.
    public static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        let rest = text.count % 4
        guard rest != 1 else { return nil }
        let count = text.count / 4 * 3 + (rest == 0 ? 0 : rest - 1)
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { bytes, written in
            written = values.withUnsafeBufferPointer { decode(text, into: bytes, values: $0) ? count : 0 }
        }
        return bytes.count == count ? bytes : nil
    }

    private static func decode(
        _ text: UnsafeBufferPointer<UInt8>,
        into bytes: UnsafeMutableBufferPointer<UInt8>,
        values: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        var seen: UInt8 = 0
        var group: UInt32 = 0
        var out = 0
        for index in 0..<text.count {
            let value = values[Int(text[index])]
            seen |= value
            group = group << 6 | UInt32(value & 63)
            guard index % 4 == 3 else { continue }
            bytes[out] = UInt8(truncatingIfNeeded: group >> 16)
            bytes[out + 1] = UInt8(truncatingIfNeeded: group >> 8)
            bytes[out + 2] = UInt8(truncatingIfNeeded: group)
            out += 3
            group = 0
        }
        switch text.count % 4 {
        case 2:
            guard group & 0xF == 0 else { return false }
            bytes[out] = UInt8(truncatingIfNeeded: group >> 4)
        case 3:
            guard group & 0x3 == 0 else { return false }
            bytes[out] = UInt8(truncatingIfNeeded: group >> 10)
            bytes[out + 1] = UInt8(truncatingIfNeeded: group >> 2)
        default: break
        }
        return seen & foreign == 0
    }

    private static func append(buffer: UnsafeBufferPointer<UInt8>, to text: inout [UInt8]) {
        let start = text.count
        text.append(contentsOf: repeatElement(0, count: (buffer.count * 4 + 2) / 3))
        text.withUnsafeMutableBufferPointer { text in
            alphabet.withUnsafeBufferPointer { write(buffer, into: text, at: start, alphabet: $0) }
        }
    }

    private static func write(
        _ bytes: UnsafeBufferPointer<UInt8>,
        into text: UnsafeMutableBufferPointer<UInt8>,
        at start: Int,
        alphabet: UnsafeBufferPointer<UInt8>
    ) {
        var out = start
        for index in stride(from: 0, to: bytes.count, by: 3) {
            let left = bytes.count - index
            let first = UInt32(bytes[index])
            let second = left > 1 ? UInt32(bytes[index + 1]) : 0
            let third = left > 2 ? UInt32(bytes[index + 2]) : 0
            let group = first << 16 | second << 8 | third
            text[out] = alphabet[Int(group >> 18)]
            text[out + 1] = alphabet[Int(group >> 12 & 63)]
            if left > 1 { text[out + 2] = alphabet[Int(group >> 6 & 63)] }
            if left > 2 { text[out + 3] = alphabet[Int(group & 63)] }
            out += 4
        }
    }

    /// The element of ``values`` for each byte that is not in the base64url alphabet.
    private static let foreign: UInt8 = 0x80

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static let values: [UInt8] = {
        var values = [UInt8](repeating: foreign, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()
}
