import Files
import FlowModel
import Foundation
import HTTPServer
import Localization
import OAuth
import Storage

struct StartFailure: Error, CustomStringConvertible {
    enum Status: Int32 {
        case failed = 1
        case usage = 64
        case tryLater = 75
        case configuration = 78
    }

    private let problems: [String]
    /// The message, which `tokenbroker restore` prints in the user's language.
    let text: Text
    let status: Int32

    /// The text to log after a failed reload, which lists the problems or, if there are none, is the message.
    var description: String { problems.isEmpty ? text.english : problems.joined(separator: "; ") }

    init(_ sentence: String, status: Status = .configuration) {
        self.init(Text(exactly: sentence), status: status)
    }

    init(_ text: Text, status: Status = .configuration) {
        problems = []
        self.text = text
        self.status = status.rawValue
    }

    init(problems: [String], sentence: String) {
        self.problems = problems
        text = Text(exactly: sentence)
        status = Status.configuration.rawValue
    }

    /// Creates a failure from an error in the daemon's store or, if `isOwn` is `false`, in a backup.
    ///
    /// `key` names the possible paths of the store's key.
    init(_ error: StoreError, key: String? = nil, isOwn: Bool = true) {
        let hint: Text? =
            switch error.code {
            case .wrongKey, .missingKey: key.map { Text("failure.start.keyFrom", ["path": $0]) }
            case .olderSchema where isOwn: Text("failure.start.beginAnew")
            case .inUse: Text("failure.start.runsAlready")
            case .damagedLog: Text("failure.start.acceptDamage")
            default: nil
            }
        let status: Status =
            switch error.code {
            case .full, .busy: .tryLater
            case .failed, .notFound: .failed
            default: .configuration
            }
        self.init(.list([error.said.text, hint].compactMap(\.self), .space), status: status)
    }

    /// Creates a failure from a refusal during startup, for example if a new authority's keys cannot be stored.
    init(_ refusal: Refusal) {
        self.init(refusal.detail.map(Text.init(exactly:)) ?? refusal.text, status: .tryLater)
    }

    func report() {
        for line in problems + ["tokenbrokerd: error: \(text.english)"] {
            try? FileHandle.standardError.write(contentsOf: Data((PlainText.lines(line) + "\n").utf8))
        }
    }
}

func printLine(_ line: String) throws(StartFailure) {
    do throws(FileError) {
        try StandardStreams.print(line)
    } catch {
        throw StartFailure("Cannot write to standard output: \(error.reason)", status: .failed)
    }
}
