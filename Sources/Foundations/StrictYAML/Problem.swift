/// A problem in a file, printed as `file:line: message`.
public struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The severity of a problem, where only an error causes the file to be rejected.
    public enum Severity: String, Sendable {
        case error
        case warning
    }

    /// The name of the file, as specified by the caller.
    public let file: String
    /// The line, counted from 1, or 0 if the problem concerns the file as a whole.
    public let line: Int
    /// A sentence without a full stop that describes the problem and must not contain possibly secret values.
    public let message: String
    /// The severity of the problem.
    public let severity: Severity

    /// Creates a problem at the given line of a file.
    public init(file: String, line: Int, message: String, severity: Severity = .error) {
        self.file = file
        self.line = line
        self.message = message
        self.severity = severity
    }

    /// The problem as `file:line: message`, or as `file:line: warning: message`, without the line if it is 0.
    public var description: String {
        let place = line == 0 ? file : "\(file):\(line)"
        return switch severity {
        case .error: "\(place): \(message)"
        case .warning: "\(place): warning: \(message)"
        }
    }
}
