import Testing

@testable import OAuth

@Suite(.timeLimit(.minutes(2)))
struct StrictJSONTests {
    private func parse(_ text: String, maxDepth: Int = 32) throws(StrictJSON.Failure) -> JSONValue {
        try StrictJSON.parse(Array(text.utf8), maxDepth: maxDepth)
    }

    @Test(
        "valid values are parsed",
        arguments: [
            ("null", JSONValue.null), (" true ", true), ("false", false), ("0", 0), ("-0", 0), ("-12", -12),
            ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)), ("1.5", 1.5), ("1e2", 100.0),
            ("-1.25E-2", -0.0125), (#""""#, ""), (#""a\"\\\/\b\f\n\r\tb""#, "a\"\\/\u{8}\u{c}\n\r\tb"),
            (#""\u00e9\ud83d\ude00é""#, "é😀é"), ("[]", []), ("{}", [:]), ("[1,[2],{}]", [1, [2], [:]]),
            ("{ \"a\" : 1 ,\n\"b\":[ null ] }", ["a": 1, "b": [nil]]),
        ] as [(String, JSONValue)]
    )
    func values(_ text: String, _ value: JSONValue) throws {
        #expect(try parse(text) == value)
    }

    @Test(
        "invalid documents are rejected with the reason",
        arguments: [
            ("", StrictJSON.Failure.Reason.unexpectedEnd), ("[1", .unexpectedEnd), ("\"a", .unexpectedEnd),
            ("tru", .unexpectedEnd), ("-", .unexpectedEnd), ("1.", .unexpectedEnd), ("1e", .unexpectedEnd),
            ("\"\\u12", .unexpectedEnd), ("{\"a\"", .unexpectedEnd), ("\"\\", .unexpectedEnd),
            ("nul!", .unexpectedByte), ("01", .unexpectedByte), ("-01", .unexpectedByte), (".5", .unexpectedByte),
            ("+1", .unexpectedByte), ("NaN", .unexpectedByte), ("[1,]", .unexpectedByte), ("{,}", .unexpectedByte),
            ("{\"a\":1,}", .unexpectedByte), ("{a:1}", .unexpectedByte), ("'a'", .unexpectedByte),
            ("\"a\nb\"", .unexpectedByte), ("\"\\n\u{1}\"", .unexpectedByte), ("\u{FEFF}{}", .unexpectedByte),
            ("/**/1", .unexpectedByte), ("1.e1", .unexpectedByte), ("\u{A0}1", .unexpectedByte),
            ("1 2", .trailingBytes), ("{}x", .trailingBytes), ("1\0", .trailingBytes),
            (#""\x""#, .invalidEscape), (#""\ud800""#, .invalidEscape), (#""\udc00""#, .invalidEscape),
            (#""\ud800\u0041""#, .invalidEscape), (#""\u00g0""#, .invalidEscape),
            (#"{"a":1,"a":2}"#, .duplicateMember), (#"{"a":1,"\u0061":2}"#, .duplicateMember),
            (#"[{"b":{"a":1,"a":1}}]"#, .duplicateMember), ("9223372036854775808", .numberOutOfRange),
            ("-9223372036854775809", .numberOutOfRange), ("99999999999999999999999", .numberOutOfRange),
            ("1e400", .numberOutOfRange),
        ]
    )
    func refused(_ text: String, _ reason: StrictJSON.Failure.Reason) {
        let failure = #expect(throws: StrictJSON.Failure.self) { try parse(text) }
        #expect(failure?.reason == reason)
    }

    @Test(
        "an integer beyond 64 bits becomes a floating-point number if the caller allows it and no precision is lost",
        arguments: [
            ("9223372036854775807", JSONValue.int(.max)), ("9223372036854775808", .double(0x1p63)),
            ("18446744073709552000", .double(0x1p64)), ("18446744073709551616", .double(0x1p64)),
            ("-18446744073709552000", .double(-0x1p64)), ("100000000000000000000", .double(1e20)),
            ("18446744073709551617", nil), ("99999999999999999999999", nil), ("18446744073709552001", nil),
            (String(repeating: "9", count: 400), nil),
        ] as [(String, JSONValue?)]
    )
    func floating(_ text: String, _ value: JSONValue?) throws {
        guard let value else {
            let failure = #expect(throws: StrictJSON.Failure.self) {
                try StrictJSON.parse(Array(text.utf8), integers: .orFloating)
            }
            #expect(failure?.reason == .numberOutOfRange)
            return
        }
        #expect(try StrictJSON.parse(Array(text.utf8), integers: .orFloating) == value)
    }

    @Test(
        "the digits of an integer identify one floating-point number, or are rejected",
        arguments: [
            ("0", 0), ("-7", -7), ("9007199254740993", nil), ("1152921504606847000", 0x1p60),
            ("1152921504606846976", 0x1p60), ("-1152921504606847000", -0x1p60), ("1152921504606847001", nil),
            ("123456789012345680000", 1.2345678901234568e20), ("x", nil), ("", nil),
        ] as [(String, Double?)]
    )
    func wholeDigits(_ text: String, _ value: Double?) {
        #expect(Double(wholeDigits: text) == value)
    }

    @Test(
        "bytes that are not UTF-8 are rejected",
        arguments: [[0xFF], [0xC0, 0xAF], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]] as [[UInt8]]
    )
    func notUTF8(_ bytes: [UInt8]) {
        for prefix in ["\"", "\"\\n"] {
            let text = Array(prefix.utf8) + bytes + [UInt8(ascii: "\"")]
            let failure = #expect(throws: StrictJSON.Failure.self) { try StrictJSON.parse(text) }
            #expect(failure?.reason == .invalidUTF8)
        }
    }

    @Test("nesting is limited to the depth that the caller allows") func depth() throws {
        let deep = String(repeating: "[", count: 32) + String(repeating: "]", count: 32)
        #expect(throws: Never.self) { try parse(deep) }
        #expect(throws: StrictJSON.Failure(reason: .tooDeep, offset: 32)) { try parse("[" + deep + "]") }
        #expect(throws: StrictJSON.Failure(reason: .tooDeep, offset: 5, member: "a")) {
            try parse(#"{"a":[]}"#, maxDepth: 1)
        }
        let inner = #"{"a":1,"b":{"c":[1e999]}}"#
        #expect(throws: StrictJSON.Failure(reason: .numberOutOfRange, offset: 17, member: "b")) { try parse(inner) }
        #expect(try parse("[[],[],{},[]]", maxDepth: 2) == [[], [], [:], []])
        let bomb = String(repeating: "[", count: 1_000_000)
        #expect(throws: StrictJSON.Failure(reason: .tooDeep, offset: 32)) { try parse(bomb) }
    }

    @Test("collections without contiguous storage parse to the same values") func anyCollection() throws {
        #expect(try StrictJSON.parse("[1]".utf8.lazy.map { $0 }) == [1])
    }

    @Test("no damaged document is accepted as a different document") func everyPrefixIsRefused() throws {
        let text = #"{"a":[1,-2.5e1,"é\n\u00e9"],"b":{"c":null,"d":true}}"#
        _ = try parse(text)
        let bytes = Array(text.utf8)
        for count in 0..<bytes.count {
            let failure = #expect(throws: StrictJSON.Failure.self) { try StrictJSON.parse(bytes[..<count]) }
            #expect(failure?.reason == .unexpectedEnd && failure?.offset == count)
        }
    }
}
