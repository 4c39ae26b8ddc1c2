/// The byte ranges of the id, method and parameters in a line that contains a request in its simplest form.
///
/// This parser serves requests for cached tokens, because full parsing takes twenty times as long. It does not
/// validate the parameters: only compare the bytes in ``params`` with parameters that have been fully parsed.
public struct RequestOutline: Hashable, Sendable {
    /// The range of the id, which is an integer or a quoted ASCII string without escapes.
    public let id: Range<Int>
    /// The range of the method name, without the quotation marks.
    public let method: Range<Int>
    /// The range of the `params` object, including its braces.
    public let params: Range<Int>

    /// Finds the members of the request in `line`, or returns `nil` if the request is not in the simplest form.
    public init?(_ line: UnsafeRawBufferPointer) {
        var cursor = Cursor(line: line)
        var version: Range<Int>?
        var id: Range<Int>?
        var method: Range<Int>?
        var params: Range<Int>?
        guard cursor.skip(UInt8(ascii: "{")) else { return nil }
        repeat {
            guard let name = cursor.plainString(), cursor.skip(UInt8(ascii: ":")) else { return nil }
            switch name.count {
            case 2 where id == nil && cursor.equals(name, "id"): id = cursor.integer() ?? cursor.quotedString()
            case 6 where method == nil && cursor.equals(name, "method"): method = cursor.plainString()
            case 6 where params == nil && cursor.equals(name, "params"): params = cursor.object()
            case 7 where version == nil && cursor.equals(name, "jsonrpc"): version = cursor.plainString()
            default: return nil
            }
        } while cursor.skip(UInt8(ascii: ","))
        guard cursor.skip(UInt8(ascii: "}")), cursor.isAtEnd else { return nil }
        guard let version, let id, let method, let params, cursor.equals(version, "2.0") else { return nil }
        self.id = id
        self.method = method
        self.params = params
    }
}

private struct Cursor {
    let line: UnsafeRawBufferPointer
    var position = 0

    var isAtEnd: Bool {
        mutating get {
            skipBlanks()
            return position == line.count
        }
    }

    func equals(_ range: Range<Int>, _ text: StaticString) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        return line[range].elementsEqual(UnsafeRawBufferPointer(start: text.utf8Start, count: range.count))
    }

    mutating func skipBlanks() {
        while position < line.count {
            let byte = line[position]
            guard byte == 0x20 || byte == 0x09 || byte == 0x0D else { return }
            position += 1
        }
    }

    /// Skips any whitespace and then `byte`, and returns whether `byte` was found after the whitespace.
    mutating func skip(_ byte: UInt8) -> Bool {
        skipBlanks()
        guard position < line.count, line[position] == byte else { return false }
        position += 1
        return true
    }

    /// Reads a printable ASCII string without escapes, and returns its range without the quotation marks.
    mutating func plainString() -> Range<Int>? {
        guard skip(UInt8(ascii: "\"")) else { return nil }
        let start = position
        while position < line.count {
            let byte = line[position]
            if byte == UInt8(ascii: "\"") {
                position += 1
                return start..<position - 1
            }
            guard byte >= 0x20, byte < 0x7F, byte != UInt8(ascii: "\\") else { return nil }
            position += 1
        }
        return nil
    }

    /// Reads a string as ``plainString()`` does, but returns its range with the quotation marks.
    mutating func quotedString() -> Range<Int>? {
        plainString().map { $0.lowerBound - 1..<$0.upperBound + 1 }
    }

    /// Reads a non-negative integer of at most 15 digits without leading zeros, and returns the range of the digits.
    mutating func integer() -> Range<Int>? {
        skipBlanks()
        let start = position
        while position < line.count, (0x30...0x39).contains(line[position]) { position += 1 }
        let length = position - start
        guard (1...15).contains(length), length == 1 || line[start] != 0x30 else {
            position = start
            return nil
        }
        return start..<position
    }

    /// Reads an object by counting the braces outside of strings, and returns the range of the object.
    mutating func object() -> Range<Int>? {
        skipBlanks()
        let start = position
        guard position < line.count, line[position] == UInt8(ascii: "{") else { return nil }
        var depth = 0
        var isInString = false
        while position < line.count {
            let byte = line[position]
            position += 1
            if isInString {
                if byte == UInt8(ascii: "\\") { position += 1 }
                if byte == UInt8(ascii: "\"") { isInString = false }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "}"):
                depth -= 1
                if depth == 0 { return start..<position }
            default: break
            }
        }
        return nil
    }
}
