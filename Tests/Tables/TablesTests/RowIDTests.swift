import Foundation
import Tables
import Testing

@Suite(.timeLimit(.minutes(2)))
struct RowIDTests {
    @Test(
        "ids that clients use are accepted unchanged",
        arguments: ["a", " .", "...", "'id'", "{0F8FAD5B}", "日本語", "a b ", String(repeating: "x", count: 255)]
    )
    func taken(_ text: String) {
        #expect(RowID(text)?.text == text)
    }

    @Test("ids and texts that are only canonically equivalent differ, as they do in the store")
    func normalization() throws {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        #expect(composed == decomposed)
        let ids = try [#require(RowID(composed)), #require(RowID(decomposed))]
        #expect(ids[0] != ids[1] && Set(ids).count == 2 && RowID(composed) == ids[0])
        let values: [TableValue] = [.string(composed), .string(decomposed)]
        #expect(values[0] != values[1] && Set(values).count == 2 && .string(composed) == values[0])
    }

    @Test(
        "ids that no URL can contain are rejected",
        arguments: [
            "", " ", ".", "..", "a/b", "a?b", "a+b", "a\"b", "a\\b", "a`b", "a\u{1}b", "a\u{9F}b",
            String(repeating: "x", count: 256),
        ]
    )
    func refused(_ text: String) {
        #expect(RowID(text) == nil)
    }

    @Test(
        "row ids are UUIDs of version 7 in the order of time",
        arguments: [0, 1, 0xFFFF, 1_780_000_000_000, 253_402_300_799_999]
    )
    func made(_ time: Int64) throws {
        let (first, twin, next) = (RowID.made(at: time), RowID.made(at: time), RowID.made(at: time + 1))
        #expect(first != twin)
        #expect(first < next && twin < next)
        let uuid = try #require(UUID(uuidString: first.text))
        #expect(uuid.uuidString.lowercased() == first.text)
        #expect(uuid.uuid.6 >> 4 == 7 && uuid.uuid.8 >> 6 == 0b10)
        #expect(Int64(first.text.replacing("-", with: "").prefix(12), radix: 16) == time)
    }

    @Test("a time before 1970 also has an id")
    func early() {
        #expect(RowID.made(at: -1).text.hasPrefix("00000000-0000-7"))
    }
}
