import Tables

/// Appends JSON to bytes that are being written (RFC 8259).
enum JSONBytes {
    private static let hexadecimal = Array("0123456789abcdef".utf8)

    /// A text in its quotation marks; only what must be escaped is.
    static func append(text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var start = 0
        for (index, byte) in text.enumerated() where byte < 0x20 || byte == 0x22 || byte == 0x5C {
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
            appendEscape(byte, to: &bytes)
            start = index + 1
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
        bytes.append(UInt8(ascii: "\""))
    }

    /// A text in its quotation marks.
    static func append(_ text: String, to bytes: inout [UInt8]) {
        var text = text
        text.withUTF8 { append(text: $0, to: &bytes) }
    }

    /// A number; whole ones have no fraction.
    static func append(_ number: Double, to bytes: inout [UInt8]) {
        if let whole = Int64(exactly: number) {
            append(whole, to: &bytes)
        } else if number.isFinite {
            bytes.append(contentsOf: number.description.utf8)
        } else {
            bytes.append(contentsOf: "null".utf8)
        }
    }

    /// A whole number.
    static func append(_ number: Int64, to bytes: inout [UInt8]) {
        if (0..<10).contains(number) {
            bytes.append(UInt8(ascii: "0") + UInt8(number))
        } else {
            bytes.append(contentsOf: String(number).utf8)
        }
    }

    /// A truth value.
    static func append(_ value: Bool, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// A point in time.
    static func append(date milliseconds: Int64, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        TableDate.append(milliseconds, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// The version that a write at that time made.
    static func append(version updatedAt: Int64, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        RowVersion.append(updatedAt: updatedAt, to: &bytes)
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
            bytes.append(contentsOf: "\\u00".utf8)
            bytes.append(hexadecimal[Int(byte >> 4)])
            bytes.append(hexadecimal[Int(byte & 15)])
        }
    }
}
