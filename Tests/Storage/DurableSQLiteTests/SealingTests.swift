import Foundation
import OAuth
import Storage
import Testing

@testable import DurableSQLite

@Suite(.timeLimit(.minutes(1)))
struct SealingTests {
    private struct Word: JSONConvertible, Hashable, Sendable {
        let text: String

        init(_ text: String) { self.text = text }

        init?(json: JSONValue) {
            guard let text = json.string else { return nil }
            self.init(text)
        }

        var json: JSONValue { .string(text) }
    }

    private static let column = SealedColumn("words", "word")
    private let sealing: Sealing

    init() throws {
        sealing = try Sealing(key: Secret(bytes: [UInt8](repeating: 7, count: 32)), purpose: "test")
    }

    private func recall(_ sealed: Data, row: String = "a") throws -> Word {
        try sealing.recall(Word.self, sealed, as: Self.column, row: row)
    }

    @Test("reading a value again returns its current content") func recalled() throws {
        let first = try sealing.write(Word("one"), as: Self.column, row: "a")
        let second = try sealing.write(Word("two"), as: Self.column, row: "a")
        for _ in 0..<2 {
            #expect(try recall(first) == Word("one"))
            #expect(try recall(second) == Word("two"))
        }
    }

    @Test("a value that was read before and is now damaged, or was moved to another row, cannot be opened")
    func damaged() throws {
        let sealed = try sealing.write(Word("one"), as: Self.column, row: "a")
        #expect(try recall(sealed) == Word("one"))
        var other = sealed
        other[other.endIndex - 1] ^= 1
        let changed = other
        #expect(throws: DamagedRow(column: Self.column, row: "a")) { try recall(changed) }
        #expect(throws: DamagedRow(column: Self.column, row: "b")) { try recall(sealed, row: "b") }
        #expect(try recall(sealed) == Word("one"))
    }

    @Test("the number of cached values is limited, and all others are opened anyway") func bounded() throws {
        for number in 0...OpenedValues.most {
            let sealed = try sealing.write(Word("\(number)"), as: Self.column, row: "\(number)")
            #expect(try recall(sealed, row: "\(number)") == Word("\(number)"))
        }
        let again = try sealing.write(Word("again"), as: Self.column, row: "0")
        #expect(try recall(again, row: "0") == Word("again"))
    }
}
