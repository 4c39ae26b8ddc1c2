import Foundation

/// A regular expression that a whole text must match, and that cannot take long.
///
/// The engine goes back and tries again, so that some patterns take a time that grows exponentially with the text. It says
/// how far it is every 10 000 steps, and is stopped after ``mostReports`` of them: some 15 ms, whatever the pattern. A text
/// that is not decided by then does not match.
struct BoundedPattern {
    /// The reports of 10 000 steps after which a text counts as one that does not match.
    static let mostReports = 100

    private let expression: NSRegularExpression

    /// A pattern; nil if it is none by itself.
    init?(_ pattern: String) {
        guard (try? NSRegularExpression(pattern: pattern)) != nil,
            let expression = try? NSRegularExpression(pattern: "\\A(?:\(pattern))\\z")
        else { return nil }
        self.expression = expression
    }

    /// True if the whole text matches.
    func matches(_ text: String) -> Bool {
        var found = false
        var reports = 0
        let all = NSRange(text.startIndex..., in: text)
        expression.enumerateMatches(in: text, options: .reportProgress, range: all) { result, _, stop in
            if result != nil { found = true } else { reports += 1 }
            if found || reports >= Self.mostReports { stop.pointee = true }
        }
        return found
    }
}
