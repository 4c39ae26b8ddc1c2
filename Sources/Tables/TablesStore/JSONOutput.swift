// This buffer manages its own memory, because an array would check on each append whether its storage is shared.
import Tables

/// A growable buffer for JSON output (RFC 8259).
struct JSONOutput: ~Copyable {
    private static let hexadecimal = Array("0123456789abcdef".utf8)

    private var memory: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0

    /// Creates an empty buffer with memory for `capacity` bytes, which must be at least 1.
    init(capacity: Int) {
        memory = .allocate(capacity: capacity)
    }

    deinit { memory.deallocate() }

    var bytes: [UInt8] { Array(memory[..<count]) }

    // MARK: Bytes

    mutating func append(_ byte: UInt8) {
        if count == memory.count { grow(1) }
        memory[count] = byte
        count += 1
    }

    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress else { return }
        if count + bytes.count > memory.count { grow(bytes.count) }
        memory.baseAddress?.advanced(by: count).update(from: source, count: bytes.count)
        count += bytes.count
    }

    mutating func append(_ text: StaticString) {
        append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func replace(at index: Int, with byte: UInt8) {
        precondition(index < count)
        memory[index] = byte
    }

    mutating func truncate(to end: Int) {
        precondition(end <= count)
        count = end
    }

    @inline(never)
    private mutating func grow(_ more: Int) {
        let larger = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(memory.count * 2, count + more))
        if let source = memory.baseAddress { larger.baseAddress?.update(from: source, count: count) }
        memory.deallocate()
        memory = larger
    }

    /// Reserves `size` bytes for `write`, which returns the number of bytes that it used.
    private mutating func append(atMost size: Int, _ write: (UnsafeMutableBufferPointer<UInt8>) -> Int) {
        if count + size > memory.count { grow(size) }
        count += write(UnsafeMutableBufferPointer(rebasing: memory[count...]))
    }

    // MARK: Values

    /// Appends a string in quotation marks, with only the escapes that JSON requires.
    mutating func append(text: UnsafeBufferPointer<UInt8>) {
        append(UInt8(ascii: "\""))
        var start = 0
        for (index, byte) in text.enumerated() where byte < 0x20 || byte == 0x22 || byte == 0x5C {
            append(UnsafeBufferPointer(rebasing: text[start..<index]))
            appendEscape(byte)
            start = index + 1
        }
        append(UnsafeBufferPointer(rebasing: text[start...]))
        append(UInt8(ascii: "\""))
    }

    mutating func append(text: String) {
        var text = text
        text.withUTF8 { append(text: $0) }
    }

    /// Appends a number, without a fraction if it is whole, and as `null` if it is not finite.
    mutating func append(number: Double) {
        if let whole = Int64(exactly: number) {
            append(number: whole)
        } else if number.isFinite {
            var text = number.description
            text.withUTF8 { append($0) }
        } else {
            append("null")
        }
    }

    mutating func append(number: Int64) {
        if (0..<10).contains(number) {
            append(UInt8(ascii: "0") + UInt8(number))
        } else {
            var text = String(number)
            text.withUTF8 { append($0) }
        }
    }

    mutating func append(truth: Bool) {
        append(truth ? "true" : "false")
    }

    mutating func append(date milliseconds: Int64) {
        append(UInt8(ascii: "\""))
        append(atMost: TableDate.maxLength) { TableDate.write(milliseconds, to: $0) }
        append(UInt8(ascii: "\""))
    }

    mutating func append(version updatedAt: Int64) {
        append(UInt8(ascii: "\""))
        append(atMost: RowVersion.length) { RowVersion.write(updatedAt: updatedAt, to: $0) }
        append(UInt8(ascii: "\""))
    }

    private mutating func appendEscape(_ byte: UInt8) {
        switch byte {
        case 0x22: append("\\\"")
        case 0x5C: append("\\\\")
        case 0x0A: append("\\n")
        case 0x0D: append("\\r")
        case 0x09: append("\\t")
        default:
            append("\\u00")
            append(Self.hexadecimal[Int(byte >> 4)])
            append(Self.hexadecimal[Int(byte & 15)])
        }
    }
}
