extension JSONValue: CustomStringConvertible {
    /// The value as JSON text without white space between tokens, with members sorted by name and `/` not escaped.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The UTF-8 encoding of ``text``.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)
        append(to: &bytes)
        return bytes
    }

    /// The value as JSON text.
    public var description: String { text }

    /// Appends the UTF-8 encoding of ``text`` to `bytes`, with `null` for a number that is not finite.
    public func append(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .int(let value): bytes.append(contentsOf: String(value).utf8)
        case .double(let value): bytes.append(contentsOf: (value.isFinite ? "\(value)" : "null").utf8)
        case .string(let value): Self.append(value, to: &bytes)
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                value.append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            Self.append(members: members.sorted { $0.key < $1.key }.lazy.map { ($0.key, $0.value) }, to: &bytes)
        }
    }

    /// Appends a JSON object with the given members in the given order.
    public static func append(members: some Sequence<(String, JSONValue)>, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "{"))
        var isFirst = true
        for (name, value) in members {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            append(name, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            value.append(to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    /// Appends `text` as a JSON string, escaping only the characters that RFC 8259 §7 requires to be escaped.
    public static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            var start = 0
            for (index, byte) in utf8.enumerated() where byte < 0x20 || byte == 0x22 || byte == 0x5C {
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start..<index]))
                appendEscape(byte, to: &bytes)
                start = index + 1
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start...]))
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func appendEscape(_ byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case 0x22: bytes.append(contentsOf: "\\\"".utf8)
        case 0x5C: bytes.append(contentsOf: "\\\\".utf8)
        case 0x0A: bytes.append(contentsOf: "\\n".utf8)
        case 0x0D: bytes.append(contentsOf: "\\r".utf8)
        case 0x09: bytes.append(contentsOf: "\\t".utf8)
        default:
            let digits = Array("0123456789abcdef".utf8)
            bytes.append(contentsOf: "\\u00".utf8)
            bytes.append(digits[Int(byte >> 4)])
            bytes.append(digits[Int(byte & 15)])
        }
    }
}
