import Foundation
import TestSupport
import Testing

/// Another user of the machine, with another uid, that runs Python scripts.
enum OtherUser {
    /// A uid that no other process has.
    static let uid: UInt32 = 54_321

    /// Returns a script that first changes to that user and these supplementary groups.
    static func script(_ script: String, groups: [Int] = []) -> String {
        """
        import os
        os.setgroups(\(groups))
        os.setresgid(\(uid), \(uid), \(uid))
        os.setresuid(\(uid), \(uid), \(uid))

        """ + script
    }

    /// Runs a script as that user.
    ///
    /// - Returns: Its output.
    static func run(
        _ script: String,
        _ arguments: [String],
        groups: [Int] = [],
        input: String = ""
    ) throws -> String {
        let outcome = try BuiltProgram(path: "/usr/bin/env").run(
            ["python3", "-c", self.script(script, groups: groups)] + arguments,
            input: input,
            environment: ["PATH": "/usr/bin:/bin:/usr/local/bin"]
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.output
    }
}

extension Machine {
    /// Opens the folders above the socket to other users.
    ///
    /// The daemon sets the socket's own mode.
    func openToOthers() throws {
        for folder in [self.folder.url.path, self.folder.path("run")] {
            try FileManager.default.setAttributes([.posixPermissions: 0o711], ofItemAtPath: folder)
        }
    }
}
