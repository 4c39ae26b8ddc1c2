import FlowModel
import Foundation
import OAuth
import Tables
import TablesClient
import Terminal

/// Converts tasks to and from lines of todo.txt, such as `x (A) Buy milk due:2026-12-24 tags:shop taskid:1f0c…`.
///
/// Priorities 1 to 3 are A to C. Other values, and text that would be parsed differently, are written percent-encoded
/// as `name:value`. The key of a task's id is not `id:`, because other programs give `id:1` to tasks of their own.
enum TodoText {
    private static let letters = ["A", "B", "C"]
    /// The keys that this program writes, each with its column, in this order.
    private static let keys = [
        ("priority", "priority"), ("due", "due"), ("duration", "duration"), ("notes", "notes"), ("tags", "tags"),
        ("taskid", "id"),
    ]
    /// The key that other programs use for the priority of a completed task.
    private static let priorityKey = "pri"
    private static let textKey = "text"
    /// An empty string, in which a percent-encoded value would have no quotation marks.
    private static let empty = "\"\""

    // MARK: Writing

    static func line(_ item: TodoItem) -> String {
        let plain = line(item, item.text)
        if isPlain(item.text), let read = try? tasks(plain), read.count == 1,
            let text = read[0].values["text"]?.string, text.utf8.elementsEqual(item.text.utf8)
        {
            return plain
        }
        return line(item, "\(textKey):\(encoded(item.text))")
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
        for (key, column) in keys where column != "priority" || letter == nil {
            switch item.row.json[column] {
            case .string(let text)?: words.append("\(key):\(encoded(column == "due" ? String(shortest(text)) : text))")
            case nil, .null?: break
            case let value?: words.append("\(key):\(value.text)")
            }
        }
        return words.joined(separator: " ")
    }

    /// Whether no program takes a character of the text for the end of a line or for a byte order mark.
    private static func isPlain(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: false
            default: scalar != "\u{FEFF}"
            }
        }
    }

    private static func shortest(_ date: String) -> Substring {
        date.hasSuffix("T00:00:00.000Z") ? date.prefix(10) : date[...]
    }

    private static func encoded(_ text: String) -> String {
        var allowed = CharacterSet.urlQueryAllowed
        allowed.remove("%")
        return text.isEmpty ? empty : text.addingPercentEncoding(withAllowedCharacters: allowed) ?? text
    }

    // MARK: Reading

    static func tasks(_ text: String) throws(CommandFailure) -> [ImportedTask] {
        var tasks: [ImportedTask] = []
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }
        for (index, line) in lines.enumerated() where !line.allSatisfy(\.isWhitespace) {
            tasks.append(try task(line, Text("cli.tasks.line", ["number": index + 1])))
        }
        return tasks
    }

    private static func task(_ line: Substring, _ place: Text) throws(CommandFailure) -> ImportedTask {
        var task = ImportedTask(place: place)
        var words = TodoWord.words(of: line)[...]
        readStart(of: &words, into: &task)
        words = ArraySlice(words.filter { !take($0.text, into: &task) })
        let text = TodoWord.text(of: words)
        if words.count == 1, let pair = TodoWord.pair(text), pair.key == textKey {
            try task.set("text", decoded(pair.value))
        } else if !text.isEmpty {
            try task.set("text", text)
        }
        return try task.complete()
    }

    /// Reads the mark of a completed task, the priority and the dates, which other programs write in any order.
    private static func readStart(of words: inout ArraySlice<TodoWord>, into task: inout ImportedTask) {
        var dates = 1
        if words.first?.text == "x" {
            words.removeFirst()
            _ = task.accepts("complete", "true")
            dates = 2
        }
        while let word = words.first?.text {
            if dates > 0, TodoWord.isDate(word) {
                dates -= 1
                task.report(Text("cli.tasks.dateSkipped", ["place": task.place, "date": word]))
            } else {
                guard word.hasPrefix("("), word.hasSuffix(")"),
                    takePriority(String(word.dropFirst().dropLast()), into: &task)
                else { return }
            }
            words.removeFirst()
        }
    }

    /// Sets the priority to that of a letter from A to Z, and returns `false` for other text or a second priority.
    private static func takePriority(_ letter: String, into task: inout ImportedTask) -> Bool {
        guard letter.utf8.count == 1, let byte = letter.utf8.first,
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        else { return false }
        let place = min(Int(byte - UInt8(ascii: "A")), letters.count - 1)
        guard task.accepts("priority", "\(place + 1)") else { return false }
        if letters[place] != letter {
            task.report(Text("cli.tasks.lowestPriority", ["place": task.place, "letter": letter]))
        }
        return true
    }

    /// Sets the column of a word `key:value`, or returns `false` if the word belongs to the text.
    private static func take(_ word: String, into task: inout ImportedTask) -> Bool {
        guard let (key, value) = TodoWord.pair(word), key != textKey else { return false }
        if key == priorityKey, takePriority(value, into: &task) { return true }
        let column = keys.first { $0.0 == key }?.1
        if let column, task.accepts(column, decoded(value)) { return true }
        if column == nil, value.hasPrefix("//") { return false }
        let names: [String: any TextParameter] = ["place": task.place, "word": PlainText.excerpt(word)]
        let isKnown = column != nil || key == priorityKey
        task.report(isKnown ? Text("cli.tasks.unusableValue", names) : Text("cli.tasks.unknownKey", names))
        return false
    }

    /// Returns the value without percent-encoding, or unchanged if it is not percent-encoded UTF-8.
    ///
    /// Foundation's `removingPercentEncoding` also removes a byte order mark, which can be part of a text.
    private static func decoded(_ value: String) -> String {
        if value == empty { return "" }
        var bytes: [UInt8] = []
        var rest = Substring(value).utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
                let decoded = UInt8(String(Substring(digits)), radix: 16)
            else { return value }
            bytes.append(decoded)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self) ?? value
    }
}
