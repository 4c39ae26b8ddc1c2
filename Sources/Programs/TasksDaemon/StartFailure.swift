import Files
import Foundation
import OAuth

struct StartFailure: Error, Sendable, CustomStringConvertible {
    enum Status: Int32, Sendable {
        case failed = 1
        case usage = 64
        /// Another process is using the database, or the disk is full (`EX_TEMPFAIL`).
        case tryLater = 75
        /// The configuration or the state directory is invalid, or an address is in use (`EX_CONFIG`).
        case configuration = 78
    }

    private let status: Status
    private let message: String

    var description: String { message }

    init(_ status: Status, _ message: String) {
        self.status = status
        self.message = message
    }

    func end() -> Never {
        try? FileHandle.standardError.write(contentsOf: Data("tasksd: error: \(PlainText.lines(message))\n".utf8))
        exit(status.rawValue)
    }
}

func printLine(_ line: String) throws(StartFailure) {
    do throws(FileError) {
        try StandardStreams.print(line)
    } catch {
        throw StartFailure(.failed, "Cannot write to standard output: \(error.reason)")
    }
}
