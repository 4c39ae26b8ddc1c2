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
    private let sentence: String
    let status: Int32

    /// The problems, or the sentence where there are none, for the log of a daemon that runs on.
    var description: String { problems.isEmpty ? sentence : problems.joined(separator: "; ") }

    init(_ sentence: String, status: Status = .configuration) {
        problems = []
        self.sentence = sentence
        self.status = status.rawValue
    }

    /// Problems of files, each with its place, and what they mean for the start.
    init(problems: [String], sentence: String) {
        self.problems = problems
        self.sentence = sentence
        status = Status.configuration.rawValue
    }

    /// Takes over the failure of a store.
    ///
    /// - Parameters:
    ///   - error: The failure.
    ///   - key: Where the store's key was looked for.
    ///   - isOwn: False for a backup, without which this daemon does not begin anew.
    init(_ error: StoreError, key: String? = nil, isOwn: Bool = true) {
        let hint =
            switch error.code {
            case .wrongKey, .missingKey: key.map { "; the key was read from \($0)" } ?? ""
            case .olderSchema where isOwn: "; to begin anew, move it out of the state directory"
            case .inUse: "; tokenbrokerd runs already: end that one first, or give this one a stateDirectory of its own"
            case .damagedLog: "; restore a backup, or keep what is readable with tokenbrokerd --accept-damage"
            default: ""
            }
        let status: Status =
            switch error.code {
            case .full, .busy: .tryLater
            case .failed, .notFound: .failed
            default: .configuration
            }
        self.init(error.message + hint, status: status)
    }

    /// Takes over the refusal of a first write, such as the keys of a new authority.
    init(_ refusal: Refusal) {
        self.init(refusal.detail ?? refusal.message, status: .tryLater)
    }

    func report() {
        for line in problems + ["tokenbrokerd: error: \(sentence)"] {
            try? FileHandle.standardError.write(contentsOf: Data((PlainText.lines(line) + "\n").utf8))
        }
    }
}
