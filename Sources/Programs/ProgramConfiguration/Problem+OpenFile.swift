import Files
import Foundation
import StrictYAML

extension Problem {
    /// A warning if others than its owner can change a configuration file; nil otherwise.
    static func openFile(_ path: String) -> Problem? {
        let file = (path as NSString).resolvingSymlinksInPath
        guard let status = try? FileStatus(path: file), status.mode & 0o022 != 0 else { return nil }
        return Problem(
            file: path,
            line: 1,
            message: "others than its owner can change this file; run: chmod go-w \(file)",
            severity: .warning
        )
    }
}
