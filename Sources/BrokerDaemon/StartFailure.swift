import FlowModel
import Foundation
import HTTPServer
import Storage

/// Why the daemon did not start: sentences for who operates it, and the exit status.
struct StartFailure: Error {
    /// The exit statuses that a start can end with.
    enum Status: Int32 {
        case failed = 1
        case tryLater = 75
        case configuration = 78
    }

    let lines: [String]
    let status: Int32

    init(_ sentence: String, status: Status = .configuration) {
        lines = ["tokenbrokerd: error: \(sentence)"]
        self.status = status.rawValue
    }

    /// Problems of files, each with its place, and what they mean for the start.
    init(problems: [String], sentence: String) {
        lines = problems + ["tokenbrokerd: error: \(sentence)"]
        status = Status.configuration.rawValue
    }

    /// What a store said; `key` is where the store's key was looked for.
    init(_ error: StoreError, key: String? = nil) {
        let hint =
            switch error.code {
            case .wrongKey, .missingKey: key.map { "; the key was read from \($0)" } ?? ""
            default: ""
            }
        let status: Status =
            switch error.code {
            case .full, .busy: .tryLater
            case .failed: .failed
            default: .configuration
            }
        self.init(error.message + hint, status: status)
    }

    /// What kept the first writes from being done, such as the keys of a new authority.
    init(_ refusal: Refusal) {
        self.init(refusal.detail ?? refusal.message, status: .tryLater)
    }

    func report() {
        for line in lines { try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8)) }
    }
}
