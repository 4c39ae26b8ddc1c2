/// One thing that is wrong in a file, printed as `file:line: what`.
public struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
    /// Weight of a problem: a file with warnings alone can be used.
    public enum Severity: String, Sendable {
        /// The file is refused.
        case error
        /// The file is taken, but somebody should look at it.
        case warning
    }

    /// The file, as it was named by the caller.
    public let file: String
    /// The line, counted from 1; 0 for the file as a whole.
    public let line: Int
    /// The problem in a sentence without a full stop; repeats no value that may be a secret.
    public let message: String
    /// Weight of a problem: a file with warnings alone can be used.
    public let severity: Severity

    /// A problem at a line of a file.
    public init(file: String, line: Int, message: String, severity: Severity = .error) {
        self.file = file
        self.line = line
        self.message = message
        self.severity = severity
    }

    /// `file:line: what`, or `file:line: warning: what`.
    public var description: String {
        let place = line == 0 ? file : "\(file):\(line)"
        return switch severity {
        case .error: "\(place): \(message)"
        case .warning: "\(place): warning: \(message)"
        }
    }
}
