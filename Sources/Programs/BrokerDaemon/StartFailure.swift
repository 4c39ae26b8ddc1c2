import FlowModel
import Foundation
import HTTPServer
import Localization
import OAuth
import Storage

/// A failed start, with messages for the operator and the exit status.
struct StartFailure: Error, CustomStringConvertible {
    /// The exit statuses of a failed start.
    enum Status: Int32 {
        case failed = 1
        case usage = 64
        case tryLater = 75
        case configuration = 78
    }

    /// The problems in the files, each with its position.
    private let problems: [String]
    /// The message.
    ///
    /// `tokenbroker restore` prints the message in the user's language.
    let text: Text
    let status: Int32

    /// The problems, or the message if there are no problems.
    ///
    /// A daemon that continues to run after a failed reload logs this.
    var description: String { problems.isEmpty ? text.english : problems.joined(separator: "; ") }

    /// Creates a failure with an English message for the log and the operator.
    init(_ sentence: String, status: Status = .configuration) {
        self.init(Text(exactly: sentence), status: status)
    }

    /// Creates a failure with a message from the catalogs.
    init(_ text: Text, status: Status = .configuration) {
        problems = []
        self.text = text
        self.status = status.rawValue
    }

    /// Creates a failure from the problems in the files and a sentence about their consequence.
    init(problems: [String], sentence: String) {
        self.problems = problems
        text = Text(exactly: sentence)
        status = Status.configuration.rawValue
    }

    /// Creates a failure from a store error.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - key: The paths of the store's key, or `nil` if unknown.
    ///   - isOwn: Whether the store is the daemon's own store and not a backup. If `true`, the message advises the
    ///     operator to move the store away and start with an empty one.
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

    /// Creates a failure from the refusal of one of the first writes, such as storing a new authority's keys.
    init(_ refusal: Refusal) {
        self.init(refusal.detail.map(Text.init(exactly:)) ?? refusal.text, status: .tryLater)
    }

    func report() {
        for line in problems + ["tokenbrokerd: error: \(text.english)"] {
            try? FileHandle.standardError.write(contentsOf: Data((PlainText.lines(line) + "\n").utf8))
        }
    }
}
