import Foundation

/// A regular expression that a whole string must match, with a limit on the matching time.
///
/// The regular-expression engine backtracks, so some patterns take exponential time. Matching therefore stops after
/// ``mostReports`` progress reports, that is, after about 15 ms. If there is no result by then, the string counts as
/// not matching.
struct BoundedPattern {
    /// The number of progress reports after which matching stops.
    ///
    /// The regular-expression engine reports its progress every 10,000 steps.
    static let mostReports = 100

    private let expression: NSRegularExpression

    init?(_ pattern: String) {
        guard (try? NSRegularExpression(pattern: pattern)) != nil,
            let expression = try? NSRegularExpression(pattern: "\\A(?:\(pattern))\\z")
        else { return nil }
        self.expression = expression
    }

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
