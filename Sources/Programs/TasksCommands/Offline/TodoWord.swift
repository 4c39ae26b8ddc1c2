import Tables

/// A word of a todo.txt line, with the blanks in front of it.
struct TodoWord {
    private let blanks: Substring.UnicodeScalarView
    let text: String

    /// Splits a line at blanks and tabs.
    static func words(of line: Substring) -> [TodoWord] {
        var words: [TodoWord] = []
        var rest = line.unicodeScalars[...]
        while true {
            let blanks = rest.prefix(while: isBlank)
            rest = rest.dropFirst(blanks.count)
            let word = rest.prefix { !isBlank($0) }
            guard !word.isEmpty else { return words }
            rest = rest.dropFirst(word.count)
            words.append(TodoWord(blanks: blanks, text: String(word)))
        }
    }

    /// Returns the words as text, with the blanks between them but not those in front of the first word.
    static func text(of words: some Collection<TodoWord>) -> String {
        var text = String.UnicodeScalarView()
        for word in words {
            if !text.isEmpty { text.append(contentsOf: word.blanks) }
            text.append(contentsOf: word.text.unicodeScalars)
        }
        return String(text)
    }

    /// Splits a word at its first colon, or returns `nil` if the word is not a name, a colon and a value.
    static func pair(_ word: String) -> (key: String, value: String)? {
        let scalars = word.unicodeScalars
        guard let colon = scalars.firstIndex(of: ":") else { return nil }
        let (key, value) = (String(scalars[..<colon]), String(scalars[scalars.index(after: colon)...]))
        guard key.wholeMatch(of: /[A-Za-z][A-Za-z0-9_-]*/) != nil, !value.isEmpty else { return nil }
        return (key, value)
    }

    static func isDate(_ word: String) -> Bool {
        word.utf8.count == 10 && TableDate.milliseconds(word) != nil
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }
}
