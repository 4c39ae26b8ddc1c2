import Foundation
import OAuth

/// Failure of a start.
struct StartFailure: Error, Sendable, CustomStringConvertible {
    /// The exit code.
    enum Status: Int32, Sendable {
        /// Failed.
        case failed = 1
        /// The command was not written as it must be (`EX_USAGE`).
        case usage = 64
        /// A daemon has the database (`EX_TEMPFAIL`).
        case tryLater = 75
        /// The configuration, the state directory, or an address somebody else holds (`EX_CONFIG`).
        case configuration = 78
    }

    private let status: Status
    private let message: String

    /// The sentence, for the log of a daemon that runs on.
    var description: String { message }

    init(_ status: Status, _ message: String) {
        self.status = status
        self.message = message
    }

    /// Says it and ends the process.
    func end() -> Never {
        try? FileHandle.standardError.write(contentsOf: Data("tasksd: error: \(PlainText.lines(message))\n".utf8))
        exit(status.rawValue)
    }
}
