import FlowModel
import Foundation
import OAuth
import Tables
import TablesClient
import Terminal

/// Converts tasks to and from lines of todo.txt, such as `x (A) Buy milk due:2026-12-24 tags:shop id:1f0c…`.
///
/// Priorities 1 to 3 are A to C. Other values, and text that would be parsed differently, are written percent-encoded
/// as `name:value`.
enum TodoText {
    private static let letters = ["A", "B", "C"]
    private static let keys = ["priority", "due", "duration", "notes", "tags", "id"]
    private static let textMark = "text:"

    static func line(_ item: TodoItem) -> String {
        let plain = line(item, item.text)
        if let read = try? tasks(plain), read.count == 1, let text = read[0].values["text"]?.string,
            text.utf8.elementsEqual(item.text.utf8)
        {
            return plain
        }
        return line(item, textMark + encoded(item.text))
    }

    private static func line(_ item: TodoItem, _ text: String) -> String {
        var words: [String] = []
        if item.isComplete { words.append("x") }
        var letter: String?
        if case .number(let number)? = item.row["priority"], let place = Int(exactly: number), (1...3).contains(place) {
            letter = letters[place - 1]
        }
        if let letter { words.append("(\(letter))") }
        words.append(text)
        for key in keys where key != "priority" || letter == nil {
            switch item.row.json[key] {
            case .string(let text)?: words.append("\(key):\(encoded(key == "due" ? String(shortest(text)) : text))")
            case nil, .null?: break
            case let value?: words.append("\(key):\(value.text)")
            }
        }
        return words.joined(separator: " ")
    }

    static func tasks(_ text: String) throws(CommandFailure) -> [ImportedTask] {
        var tasks: [ImportedTask] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            if line.allSatisfy(\.isWhitespace) { continue }
            tasks.append(try task(line, Text("cli.tasks.line", ["number": index + 1])))
        }
        return tasks
    }

    private static func task(_ line: Substring, _ place: Text) throws(CommandFailure) -> ImportedTask {
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
        // Completion and creation dates are skipped, because tasks in this program do not have them.
        words = Array(words.drop { $0.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}/) != nil })
        while let last = words.last, let colon = last.firstIndex(of: ":"), keys.contains(String(last[..<colon])),
            words.count > 1
        {
            let value = String(last[last.index(after: colon)...])
            try task.set(String(last[..<colon]), value.removingPercentEncoding ?? value)
            words.removeLast()
        }
        let text = words.joined(separator: " ")
        let encoded = words.count == 1 && text.hasPrefix(textMark)
        let decoded = encoded ? String(text.dropFirst(textMark.count)).removingPercentEncoding : nil
        try task.set("text", decoded ?? text)
        return try task.complete()
    }

    private static func shortest(_ date: String) -> Substring {
        date.hasSuffix("T00:00:00.000Z") ? date.prefix(10) : date[...]
    }

    private static func encoded(_ text: String) -> String {
        var allowed = CharacterSet.urlQueryAllowed
        allowed.remove("%")
        return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? text
    }
}
