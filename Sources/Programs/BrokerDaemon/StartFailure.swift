import FlowModel
import Foundation
import HTTPServer
import Localization
import OAuth
import Storage

/// Failure of a start: sentences for the operator, and the exit status.
struct StartFailure: Error, CustomStringConvertible {
    /// The exit statuses that a start can end with.
    enum Status: Int32 {
        case failed = 1
        case usage = 64
        case tryLater = 75
        case configuration = 78
    }

    /// Problems of files, each with its place.
    private let problems: [String]
    /// The sentence, which `tokenbroker restore` says in the language of its user.
    let text: Text
    let status: Int32

    /// The problems, or the sentence where there are none, for the log of a daemon that runs on.
    var description: String { problems.isEmpty ? text.english : problems.joined(separator: "; ") }

    /// A sentence that only the daemon's log and its operator read.
    init(_ sentence: String, status: Status = .configuration) {
        self.init(Text(exactly: sentence), status: status)
    }

    /// A sentence of the catalogs.
    init(_ text: Text, status: Status = .configuration) {
        problems = []
        self.text = text
        self.status = status.rawValue
    }

    /// Problems of files, each with its place, and what they mean for the start.
    init(problems: [String], sentence: String) {
        self.problems = problems
        text = Text(exactly: sentence)
        status = Status.configuration.rawValue
    }

    /// Takes over the failure of a store.
    ///
    /// - Parameters:
    ///   - error: The failure.
    ///   - key: Where the store's key was looked for.
    ///   - isOwn: False for a backup, without which this daemon does not begin anew.
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
        self.init(.list([error.said.text, hint].compactMap(\.self), .semicolon), status: status)
    }

    /// Takes over the refusal of a first write, such as the keys of a new authority.
    init(_ refusal: Refusal) {
        self.init(refusal.detail.map(Text.init(exactly:)) ?? refusal.text, status: .tryLater)
    }

    func report() {
        for line in problems + ["tokenbrokerd: error: \(text.english)"] {
            try? FileHandle.standardError.write(contentsOf: Data((PlainText.lines(line) + "\n").utf8))
        }
    }
}
