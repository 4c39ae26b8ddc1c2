import Foundation
import TestSupport
import Testing

/// A second local user that runs Python scripts under its own uid.
enum OtherUser {
    /// A uid that no other process has.
    static let uid: UInt32 = 54_321

    /// Returns the Python script, preceded by lines that change to the other user and these supplementary groups.
    static func script(_ script: String, groups: [Int] = []) -> String {
        """
        import os
        os.setgroups(\(groups))
        os.setresgid(\(uid), \(uid), \(uid))
        os.setresuid(\(uid), \(uid), \(uid))

        """ + script
    }

    /// Runs a Python script as the other user.
    ///
    /// - Returns: The output of the script.
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
    /// Gives other users access to the folders that contain the socket.
    ///
    /// The daemon sets the socket's own mode.
    func openToOthers() throws {
        for folder in [self.folder.url.path, self.folder.path("run")] {
            try FileManager.default.setAttributes([.posixPermissions: 0o711], ofItemAtPath: folder)
        }
    }
}
