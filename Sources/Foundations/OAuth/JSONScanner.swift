/// The parser of ``StrictJSON``, which does not copy the document, so the caller must keep the buffer alive.
struct JSONScanner {
    let bytes: UnsafeBufferPointer<UInt8>
    let maxDepth: Int
    let integers: StrictJSON.Integers
    /// The name of the member whose numbers are kept as text, or `nil` to convert all numbers.
    let verbatim: String?
    /// The numbers kept as text, by the index of their object in the outermost array (0 if the document is an object).
    private(set) var numbers: [Int: String] = [:]
    private var at = 0
    private var depth = 0
    /// The index of the current element of the outermost array.
    private var element = 0
    private var isInArray = false

    /// The initial capacity of the outermost object, which is sufficient for most documents.
    private static let usual = 8

    init(
        bytes: UnsafeBufferPointer<UInt8>,
        maxDepth: Int,
        integers: StrictJSON.Integers,
        verbatim: String? = nil
    ) {
        self.verbatim = verbatim
        self.bytes = bytes
        self.maxDepth = maxDepth
        self.integers = integers
    }

    mutating func document() throws(StrictJSON.Failure) -> JSONValue {
        skipSpace()
        isInArray = at < bytes.count && bytes[at] == UInt8(ascii: "[")
        let value = try value()
        skipSpace()
        if at < bytes.count { throw failure(.trailingBytes) }
        return value
    }

    private mutating func value() throws(StrictJSON.Failure) -> JSONValue {
        guard at < bytes.count else { throw failure(.unexpectedEnd) }
        switch bytes[at] {
        case UInt8(ascii: "\""): return .string(try text())
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: throw failure(.unexpectedByte)
        }
    }

    private mutating func object() throws(StrictJSON.Failure) -> JSONValue {
        try enter()
        let isOutermost = depth == 1
        // Reserve capacity, because each time the dictionary grows, all names are hashed again.
        var members: [String: JSONValue] = isOutermost ? Dictionary(minimumCapacity: Self.usual) : [:]
        skipSpace()
        if take(UInt8(ascii: "}")) {
            depth -= 1
            return .object(members)
        }
        while true {
            skipSpace()
            let start = at
            guard at < bytes.count else { throw failure(.unexpectedEnd) }
            guard bytes[at] == UInt8(ascii: "\"") else { throw failure(.unexpectedByte) }
            let name = try text()
            skipSpace()
            try expect(UInt8(ascii: ":"))
            skipSpace()
            let value = try isVerbatim(name) ? verbatimNumber() : member(name, isOutermost: isOutermost)
            guard members.updateValue(value, forKey: name) == nil else {
                throw StrictJSON.Failure(reason: .duplicateMember, offset: start)
            }
            skipSpace()
            if take(UInt8(ascii: ",")) { continue }
            try expect(UInt8(ascii: "}"))
            depth -= 1
            return .object(members)
        }
    }

    private mutating func member(_ name: String, isOutermost: Bool) throws(StrictJSON.Failure) -> JSONValue {
        do {
            return try value()
        } catch {
            var failure = error
            if isOutermost { failure.member = name }
            throw failure
        }
    }

    private mutating func array() throws(StrictJSON.Failure) -> JSONValue {
        try enter()
        var values: [JSONValue] = []
        skipSpace()
        if take(UInt8(ascii: "]")) {
            depth -= 1
            return .array(values)
        }
        while true {
            skipSpace()
            values.append(try value())
            if depth == 1 { element += 1 }
            skipSpace()
            if take(UInt8(ascii: ",")) { continue }
            try expect(UInt8(ascii: "]"))
            depth -= 1
            return .array(values)
        }
    }

    private mutating func enter() throws(StrictJSON.Failure) {
        depth += 1
        guard depth <= maxDepth else { throw failure(.tooDeep) }
        at += 1
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(StrictJSON.Failure) -> JSONValue {
        for index in 0..<word.utf8CodeUnitCount { try expect(word.utf8Start[index]) }
        return value
    }

    private func failure(_ reason: StrictJSON.Failure.Reason) -> StrictJSON.Failure {
        StrictJSON.Failure(reason: reason, offset: at)
    }

    private mutating func skipSpace() {
        while at < bytes.count, bytes[at] <= 0x20,
            bytes[at] == 0x20 || bytes[at] == 0x0A || bytes[at] == 0x0D || bytes[at] == 0x09
        {
            at += 1
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard at < bytes.count, bytes[at] == byte else { return false }
        at += 1
        return true
    }

    private mutating func expect(_ byte: UInt8) throws(StrictJSON.Failure) {
        guard at < bytes.count else { throw failure(.unexpectedEnd) }
        guard bytes[at] == byte else { throw failure(.unexpectedByte) }
        at += 1
    }
}

// The parsing of numbers (RFC 8259 §6).
extension JSONScanner {
    /// Whether the value of the member `name`, which is read next, is a number that must be kept as text.
    ///
    /// Only a member of the outermost object, or of an object in the outermost array, can have such a number.
    private func isVerbatim(_ name: String) -> Bool {
        guard name == verbatim, depth == (isInArray ? 2 : 1), at < bytes.count else { return false }
        return bytes[at] == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[at])
    }

    private mutating func verbatimNumber() throws(StrictJSON.Failure) -> JSONValue {
        let start = at
        _ = take(UInt8(ascii: "-"))
        let firstDigit = at
        while digit() != nil {}
        try endOfInteger(from: firstDigit)
        _ = try fractionOrExponent()
        numbers[element] = String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<at]), as: UTF8.self)
        return .null
    }

    /// Throws unless the integer that has just been read has at least one digit and no unnecessary leading zero.
    private func endOfInteger(from firstDigit: Int) throws(StrictJSON.Failure) {
        try requireDigits(since: firstDigit)
        if bytes[firstDigit] == UInt8(ascii: "0"), at - firstDigit > 1 {
            throw StrictJSON.Failure(reason: .unexpectedByte, offset: firstDigit + 1)
        }
    }

    private mutating func number() throws(StrictJSON.Failure) -> JSONValue {
        let start = at
        let isNegative = take(UInt8(ascii: "-"))
        let firstDigit = at
        var magnitude: UInt64 = 0
        var fits = true
        while let digit = digit() {
            let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
            fits = fits && !overflow && !carry
            magnitude = sum
        }
        try endOfInteger(from: firstDigit)
        let isInteger = try !fractionOrExponent()
        if isInteger, fits {
            let value = isNegative ? Int64(exactly: -Int128(magnitude)) : Int64(exactly: magnitude)
            if let value { return .int(value) }
        }
        if isInteger, integers == .exact { throw StrictJSON.Failure(reason: .numberOutOfRange, offset: start) }
        let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<at]), as: UTF8.self)
        guard let value = isInteger ? Double(wholeDigits: text) : Double(text), value.isFinite else {
            throw StrictJSON.Failure(reason: .numberOutOfRange, offset: start)
        }
        return .double(value)
    }

    private mutating func fractionOrExponent() throws(StrictJSON.Failure) -> Bool {
        var found = false
        if take(UInt8(ascii: ".")) {
            found = true
            let start = at
            while digit() != nil {}
            try requireDigits(since: start)
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            found = true
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            let start = at
            while digit() != nil {}
            try requireDigits(since: start)
        }
        return found
    }

    private mutating func digit() -> UInt8? {
        guard at < bytes.count else { return nil }
        let digit = bytes[at] &- UInt8(ascii: "0")
        guard digit < 10 else { return nil }
        at += 1
        return digit
    }

    private func requireDigits(since start: Int) throws(StrictJSON.Failure) {
        if at == start { throw failure(at < bytes.count ? .unexpectedByte : .unexpectedEnd) }
    }
}

// The parsing of strings (RFC 8259 §7).
extension JSONScanner {
    private mutating func text() throws(StrictJSON.Failure) -> String {
        at += 1
        let start = at
        var seen: UInt8 = 0
        while at < bytes.count {
            let byte = bytes[at]
            if byte == UInt8(ascii: "\"") {
                let raw = UnsafeBufferPointer(rebasing: bytes[start..<at])
                at += 1
                if seen < 0x80 { return String(decoding: raw, as: UTF8.self) }
                return try string(raw, start)
            }
            if byte == UInt8(ascii: "\\") { return try escapedText(from: start) }
            guard byte >= 0x20 else { throw failure(.unexpectedByte) }
            seen |= byte
            at += 1
        }
        throw failure(.unexpectedEnd)
    }

    private mutating func escapedText(from start: Int) throws(StrictJSON.Failure) -> String {
        var raw = Array(bytes[start..<at])
        while at < bytes.count {
            let byte = bytes[at]
            guard byte >= 0x20 else { throw failure(.unexpectedByte) }
            at += 1
            switch byte {
            case UInt8(ascii: "\""): return try string(raw, start)
            case UInt8(ascii: "\\"): try escape(into: &raw)
            default: raw.append(byte)
            }
        }
        throw failure(.unexpectedEnd)
    }

    private func string(_ raw: some Collection<UInt8>, _ start: Int) throws(StrictJSON.Failure) -> String {
        guard let text = String(utf8: Array(raw)) else {
            throw StrictJSON.Failure(reason: .invalidUTF8, offset: start)
        }
        return text
    }

    private mutating func escape(into raw: inout [UInt8]) throws(StrictJSON.Failure) {
        guard at < bytes.count else { throw failure(.unexpectedEnd) }
        let byte = bytes[at]
        at += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): raw.append(byte)
        case UInt8(ascii: "b"): raw.append(0x08)
        case UInt8(ascii: "f"): raw.append(0x0C)
        case UInt8(ascii: "n"): raw.append(0x0A)
        case UInt8(ascii: "r"): raw.append(0x0D)
        case UInt8(ascii: "t"): raw.append(0x09)
        case UInt8(ascii: "u"): raw.append(contentsOf: String(Character(try scalar())).utf8)
        default: throw StrictJSON.Failure(reason: .invalidEscape, offset: at - 1)
        }
    }

    private mutating func scalar() throws(StrictJSON.Failure) -> Unicode.Scalar {
        let start = at
        let first = UInt32(try fourDigits())
        var code = first
        if (0xD800..<0xDC00).contains(first), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) {
            let second = UInt32(try fourDigits())
            guard (0xDC00..<0xE000).contains(second) else {
                throw StrictJSON.Failure(reason: .invalidEscape, offset: start)
            }
            code = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else {
            throw StrictJSON.Failure(reason: .invalidEscape, offset: start)
        }
        return scalar
    }

    private mutating func fourDigits() throws(StrictJSON.Failure) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard at < bytes.count else { throw failure(.unexpectedEnd) }
            guard let digit = Character(Unicode.Scalar(bytes[at])).hexDigitValue else { throw failure(.invalidEscape) }
            value = value << 4 | UInt16(digit)
            at += 1
        }
        return value
    }
}

extension Double {
    /// Parses an integer in decimal digits, or returns `nil` if the conversion would lose precision.
    ///
    /// The digits must be those of the exact value, or the fewest digits that identify the value, followed by zeros
    /// (ECMA-262 §6.1.6.1.20).
    public init?(wholeDigits text: some StringProtocol) {
        guard let nearest = Double(text), nearest.isFinite else { return nil }
        let isExact = Int128(text).map { $0 == Int128(exactly: nearest) } == true
        guard isExact || nearest.filledDigits == text else { return nil }
        self = nearest
    }

    /// The fewest leading digits that uniquely identify this integer, with zeros in place of all other digits.
    private var filledDigits: String {
        let parts = description.split(separator: "e")
        guard parts.count == 2, let exponent = Int(parts[1]) else { return description.replacing(".0", with: "") }
        let sign = parts[0].hasPrefix("-") ? "-" : ""
        let digits = parts[0].filter(\.isNumber)
        return sign + digits + String(repeating: "0", count: max(0, exponent + 1 - digits.count))
    }
}

extension String {
    /// Decodes UTF-8, or returns `nil` for invalid bytes.
    ///
    /// Comparing the bytes with the encoding of the decoded text is much faster than validating the bytes first.
    public init?(utf8 bytes: [UInt8]) {
        self.init(decoding: bytes, as: UTF8.self)
        guard utf8.elementsEqual(bytes) else { return nil }
    }
}
