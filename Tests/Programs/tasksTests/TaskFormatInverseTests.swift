import Foundation
import Tables
import TablesClient
import TestSupport
import Testing

@testable import TasksCommands

/// Tests with arbitrary tasks that reading is the inverse of writing, for every format.
@Suite(.timeLimit(.minutes(2)))
struct TaskFormatInverseTests {
    /// Texts that have a meaning in one of the formats, and characters that are easily lost.
    private static let parts = [
        "x", "x ", "(A)", "(D) ", "2026-12-24", "due:2026-12-24", "due:tomorrow", "pri:B", "priority:2", "text:",
        "text:a", "notes:", "notes:b", "tags:\"\"", "taskid:1", "id:1", "rec:1m", "http://a.b", "//", "://", "+p", "@c",
        "\"", "\"\"", "'", ",", ";", ":", "\\", "%", "%41", "%zz", "null", "true", "{", "[", " ", "  ", "\t", "\n",
        "\r\n", "\r", "\u{0}", "\u{1B}", "\u{85}", "\u{A0}", "\u{2028}", "\u{2029}", "\u{FEFF}", "\u{AD}", "\u{200D}",
        "\u{202E}", "\u{301}", "e\u{301}", "é", "ß", "日本", "😀", "\u{1F468}\u{200D}\u{1F469}", "\u{10FFFF}",
        "Buy milk", "a", "Ω",
    ]

    private static func text(_ random: inout SeededGenerator, atLeast least: Int = 0) -> String {
        (0..<least + random.below(6)).map { _ in
            if random.below(8) > 0 { return random.pick(parts) }
            return Unicode.Scalar(UInt32(random.below(0x11_0000))).map { String($0) } ?? "?"
        }.joined()
    }

    private static func item(_ random: inout SeededGenerator) throws -> TodoItem {
        var values: [String: TableValue] = ["text": .string(text(&random)), "complete": .boolean(random.below(2) == 0)]
        for column in ["notes", "tags"] where random.below(2) == 0 { values[column] = .string(text(&random)) }
        if random.below(2) == 0 { values["priority"] = .number(random.pick([1, 2, 3, 0, 4, 27, -1, 1.5])) }
        if random.below(2) == 0 {
            values["duration"] = .number(random.pick([0, 0.1, -3, 1e300, 2.5e-300, 1e18, 1e19]))
        }
        if random.below(2) == 0 {
            let days = Int64(random.below(3_000_000)) - 700_000
            values["due"] = .date(days * 86_400_000 + random.pick([0, 1, 43_200_000, 86_399_999]))
        }
        let id = RowID(text(&random, atLeast: 1)) ?? .random()
        return TodoItem(row: RemoteRow(id: id, values: values))
    }

    @Test("every exported task is imported unchanged", arguments: TaskFormat.allCases)
    func inverse(_ format: TaskFormat) throws {
        for seed in 0..<400 {
            var random = SeededGenerator(seed: UInt64(seed))
            let items = try (0...random.below(3)).map { _ in try Self.item(&random) }
            let written = format.text(items)
            let tasks = try format.tasks(TaskFormat.decoded(Data((written + "\n").utf8)))
            try #require(tasks.count == items.count, "seed \(seed): \(written.debugDescription)")
            for (task, item) in zip(tasks, items) {
                var values = task.values
                if values["complete"] == nil { values["complete"] = false }
                // Strings are compared by their bytes, because `==` also accepts equivalent characters.
                #expect(bytes(task.id?.text) == bytes(item.id), "seed \(seed): \(written.debugDescription)")
                #expect(values.keys.sorted() == item.row.values.keys.sorted(), "seed \(seed): \(written)")
                for (column, value) in item.row.values {
                    let isSame = values[column] == value && bytes(values[column]?.string) == bytes(value.string)
                    #expect(isSame, "seed \(seed), \(column): \(written.debugDescription)")
                }
            }
        }
    }

    @Test("an export without tasks is imported", arguments: TaskFormat.allCases) func empty(_ format: TaskFormat) throws
    {
        #expect(try format.tasks(TaskFormat.decoded(Data(format.text([]).utf8))).isEmpty)
    }

    @Test("a task without values for its other columns is imported without them", arguments: TaskFormat.allCases)
    func nothing(_ format: TaskFormat) throws {
        let row = RemoteRow(id: .random(), values: ["text": "a", "notes": .null, "due": .null, "complete": false])
        let values = try #require(try format.tasks(format.text([TodoItem(row: row)])).first).values
        #expect(values.filter { $0.key != "complete" } == ["text": "a"])
    }

    private func bytes(_ text: String?) -> [UInt8]? { text.map { Array($0.utf8) } }
}
