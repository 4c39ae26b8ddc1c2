import ArgumentParser
import Foundation
import Glibc
import OAuth
import Policies
import ProgramConfiguration
import StrictYAML
import Terminal

/// Work on policies as files.
struct PolicyGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy",
        abstract: "Work on the files of policies; needs no daemon.",
        subcommands: [PolicyCheck.self]
    )
}

/// Says what is wrong with a policy.
struct PolicyCheck: Command {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Say every problem of a policy's file, or of a folder of them; exits 78 if there is one."
    )

    @Argument(
        help:
            "A file, checked together with the folder it lies in, or a folder. Where there is no checks.yaml the shipped ones count. Without one the daemon's own folder of policies.",
        completion: .file(extensions: ["yaml"])
    )
    var file: String?
    @OptionGroup var shared: SharedOptions

    func run(_: CorrelationID) async throws {
        let file = try file ?? Self.usualFolder()
        let problems = try PolicyFiles(file).problems()
        if shared.json {
            try Output.json(["problems": .array(problems.map(Self.json))])
        } else {
            for problem in problems { Program.complain(PlainText.line("\(problem)")) }
        }
        let errors = problems.count { $0.severity == .error }
        guard errors == 0 else {
            throw CommandFailure(
                .configuration,
                "configuration",
                "\(file) has \(errors) problem\(errors == 1 ? "" : "s")"
            )
        }
        if !shared.json { try Output.line("\(file): ok") }
    }

    /// The folder of the person's own daemon, else the service's.
    private static func usualFolder() throws(CommandFailure) -> String {
        let own = ProgramPaths(environment: ProcessInfo.processInfo.environment, effectiveUID: geteuid())
        let folders = [own.policies, ProgramPaths.service.policies]
        if let folder = folders.first(where: FileManager.default.fileExists(atPath:)) { return folder }
        throw CommandFailure(
            .usage,
            "invalid_arguments",
            BrokerText.noPolicyFolder(folders[0]).text,
            hint: BrokerText.policyCheckNamesFile.text
        )
    }

    private static func json(_ problem: Problem) -> JSONValue {
        [
            "file": .string(problem.file), "line": .int(Int64(problem.line)), "message": .string(problem.message),
            "severity": .string(problem.severity.rawValue),
        ]
    }
}

/// The files that have to be read together to judge one.
private struct PolicyFiles {
    private let path: String
    private let isFolder: Bool

    init(_ path: String) throws(CommandFailure) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw CommandFailure(.configuration, "configuration", "\(path): there is no such file")
        }
        self.path = path
        self.isFolder = isFolder.boolValue
    }

    func problems() throws -> [Problem] {
        if isFolder { return PolicyCatalogue.load(folder: path).1 }
        let folder = (path as NSString).deletingLastPathComponent
        let name = (path as NSString).lastPathComponent
        let place = folder.isEmpty ? "." : folder
        if FileManager.default.fileExists(atPath: place + "/checks.yaml") {
            return PolicyCatalogue.load(folder: place).1
        }
        guard let data = FileManager.default.contents(atPath: path), let text = String(data: data, encoding: .utf8)
        else {
            throw CommandFailure(.configuration, "configuration", "\(path): is not UTF-8, or cannot be read")
        }
        let shipped = ShippedPolicies.files.filter { ($0.path as NSString).lastPathComponent != name.lowercased() }
        return PolicyCatalogue.load(files: shipped + [PolicyCatalogue.File(path: path, text: text)]).1
    }
}
