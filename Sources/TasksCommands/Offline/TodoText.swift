import Foundation
import OAuth
import Tables
import TablesClient
import Terminal

/// Tasks as lines of todo.txt: `x (A) Buy milk due:2026-12-24 tags:shop id:1f0c…`.
///
/// Priorities 1 to 3 are A to C. What todo.txt has no place for stands as `name:value`, percent-encoded; words that look
/// so within a text are part of it.
enum TodoText {
    private static let letters = ["A", "B", "C"]
    private static let keys = ["due", "duration", "notes", "tags", "id"]

    /// The line of a task.
    static func line(_ item: TodoItem) -> String {
        var words: [String] = []
        if item.isComplete { words.append("x") }
        if case .number(let number)? = item.row["priority"], let place = Int(exactly: number), (1...3).contains(place) {
            words.append("(\(letters[place - 1]))")
        }
        words.append(item.text.split(whereSeparator: \.isNewline).joined(separator: " "))
        for key in keys {
            switch item.row.json[key] {
            case .string(let text)?: words.append("\(key):\(encoded(key == "due" ? String(shortest(text)) : text))")
            case nil, .null?: break
            case let value?: words.append("\(key):\(value.text)")
            }
        }
        return words.joined(separator: " ")
    }

    /// Reads lines; empty ones are passed over.
    static func tasks(_ text: String) throws(CommandFailure) -> [ImportedTask] {
        var tasks: [ImportedTask] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            if line.allSatisfy(\.isWhitespace) { continue }
            tasks.append(try task(line, TasksText.line(index + 1).text))
        }
        return tasks
    }

    private static func task(_ line: Substring, _ place: String) throws(CommandFailure) -> ImportedTask {
        var task = ImportedTask(place: place)
        var words = line.split(separator: " ")
        if words.first == "x" {
            words.removeFirst()
            try task.set("complete", "true")
        }
        if let first = words.first, let letter = letters.firstIndex(where: { first == "(\($0))" }) {
            words.removeFirst()
            try task.set("priority", "\(letter + 1)")
        }
        // Dates of completion and creation, which a task has none of.
        words = Array(words.drop { $0.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}/) != nil })
        // The pairs stand behind the text.
        while let last = words.last, let colon = last.firstIndex(of: ":"), keys.contains(String(last[..<colon])),
            words.count > 1
        {
            let value = String(last[last.index(after: colon)...])
            try task.set(String(last[..<colon]), value.removingPercentEncoding ?? value)
            words.removeLast()
        }
        try task.set("text", words.joined(separator: " "))
        return try task.complete()
    }

    /// A day without its time, where that is midnight.
    private static func shortest(_ date: String) -> Substring {
        date.hasSuffix("T00:00:00.000Z") ? date.prefix(10) : date[...]
    }

    private static func encoded(_ text: String) -> String {
        var allowed = CharacterSet.urlQueryAllowed
        allowed.remove("%")
        return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? text
    }
}
