import Foundation

/// The text literals of a Swift source, each as it looks with `{}` in place of what is interpolated.
public struct StringLiterals {
    /// A literal, and the source in front of it.
    public struct Literal {
        /// The text; the lines of one that has several are joined by spaces.
        public let text: String
        /// The code before it, up to 160 characters.
        public let before: Substring
        /// The line where it begins.
        public let line: Int

        /// True for three words or more, with a space.
        public var isSentence: Bool {
            text.replacing("{}", with: " ").matches(of: /[A-Za-z][a-z']*/).count >= 3 && text.contains(" ")
        }
    }

    /// The literals, in their order.
    public private(set) var all: [Literal] = []
    private let code: [Character]
    private let source: String
    private var place = 0
    private var line = 1

    /// Reads a source.
    public init(_ source: String) {
        self.source = source
        code = Array(source)
        while place < code.count {
            if stands("//") {
                while place < code.count, code[place] != "\n" { place += 1 }
            } else if code[place] == "\"" {
                let (start, first) = (place, line)
                let text = literal()
                let before = source[
                    source.index(
                        source.startIndex,
                        offsetBy: max(0, start - 160)
                    )..<source.index(
                        source.startIndex,
                        offsetBy: start
                    )
                ]
                all.append(Literal(text: text, before: before, line: first))
            } else {
                step()
            }
        }
    }

    private func stands(_ word: String) -> Bool { code[place...].starts(with: word) }

    private mutating func step() {
        if code[place] == "\n" { line += 1 }
        place += 1
    }

    /// The literal that begins here.
    private mutating func literal() -> String {
        let end = stands("\"\"\"") ? "\"\"\"" : "\""
        place += end.count
        var text = ""
        while place < code.count, !stands(end) {
            guard code[place] == "\\", place + 1 < code.count else {
                text.append(code[place])
                step()
                continue
            }
            place += 1
            switch code[place] {
            case "(":
                interpolation()
                text += "{}"
            case "\n":
                step()
                while place < code.count, code[place] == " " { place += 1 }
            case let escaped:
                text.append(escaped)
                place += 1
            }
        }
        place += end.count
        return end.count == 1
            ? text : text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Passes an interpolation, whose first parenthesis stands here.
    private mutating func interpolation() {
        var depth = 0
        while place < code.count {
            switch code[place] {
            case "(": depth += 1
            case ")": depth -= 1
            case "\"":
                _ = literal()
                continue
            default: break
            }
            step()
            if depth == 0 { return }
        }
    }
}
