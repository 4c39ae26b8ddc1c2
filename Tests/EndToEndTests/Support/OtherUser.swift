import Foundation
import TestSupport
import Testing

/// Another user of the machine, by the kernel's word, as whom a script in Python runs.
enum OtherUser {
    /// A uid that nothing else on a machine has.
    static let uid: UInt32 = 54_321

    /// A script that becomes that user, in these other groups, first.
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
    /// Lets others come as far as the socket, whose own mode is the daemon's.
    func openToOthers() throws {
        for folder in [self.folder.url.path, self.folder.path("run")] {
            try FileManager.default.setAttributes([.posixPermissions: 0o711], ofItemAtPath: folder)
        }
    }
}
