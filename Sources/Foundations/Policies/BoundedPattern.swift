import Foundation

/// A regular expression that a whole string must match within about 15 ms.
///
/// The regular-expression engine backtracks, so some patterns take exponential time.
struct BoundedPattern {
    /// The maximum number of progress reports, which the engine sends every 10,000 steps, before matching is cancelled.
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
