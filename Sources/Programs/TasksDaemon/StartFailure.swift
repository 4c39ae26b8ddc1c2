import Foundation
import OAuth

/// A failed start: a message and the exit status.
struct StartFailure: Error, Sendable, CustomStringConvertible {
    /// The exit statuses of a failed start.
    enum Status: Int32, Sendable {
        /// The start failed for another reason.
        case failed = 1
        /// The command line is invalid (`EX_USAGE`).
        case usage = 64
        /// Another daemon uses the database (`EX_TEMPFAIL`).
        case tryLater = 75
        /// The configuration or the state directory is invalid, or an address is in use (`EX_CONFIG`).
        case configuration = 78
    }

    private let status: Status
    private let message: String

    /// The message, which a daemon logs if it continues to run after a failed reload.
    var description: String { message }

    init(_ status: Status, _ message: String) {
        self.status = status
        self.message = message
    }

    /// Prints the message and ends the process.
    func end() -> Never {
        try? FileHandle.standardError.write(contentsOf: Data("tasksd: error: \(PlainText.lines(message))\n".utf8))
        exit(status.rawValue)
    }
}
