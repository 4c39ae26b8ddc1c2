import Foundation

/// A regular expression that a whole string must match, with a limit on the matching time.
///
/// The engine backtracks, so some patterns take exponential time. The engine reports its progress every 10 000 steps
/// and is stopped after ``mostReports`` reports, which takes about 15 ms for any pattern. If there is no result by
/// then, the string does not match.
struct BoundedPattern {
    /// The number of progress reports, 10 000 steps each, after which a string counts as not matching.
    static let mostReports = 100

    private let expression: NSRegularExpression

    /// Compiles a pattern, or returns `nil` if it is not a valid regular expression by itself.
    init?(_ pattern: String) {
        guard (try? NSRegularExpression(pattern: pattern)) != nil,
            let expression = try? NSRegularExpression(pattern: "\\A(?:\(pattern))\\z")
        else { return nil }
        self.expression = expression
    }

    /// Whether the whole string matches.
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
