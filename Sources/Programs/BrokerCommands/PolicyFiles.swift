import Files
import FlowModel
import Foundation
import OAuth
import Policies
import StrictYAML
import Terminal

/// The policy files that must be read together, because they refer to each other.
struct PolicyFiles {
    private let path: String
    private let isFolder: Bool

    /// Creates a reference to the policy folder or the single policy file at `path`.
    ///
    /// A single file is read with the rest of its folder if that contains `checks.yaml`, or else with the shipped
    /// files.
    init(_ path: String) throws(CommandFailure) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw CommandFailure.configuration(Text("failure.noFile", ["path": path]))
        }
        self.path = path
        self.isFolder = isFolder.boolValue
    }

    /// The name of the policy at the path, or `nil` if the path refers to a folder or to `checks.yaml`.
    var policy: PolicyID? { isFolder ? nil : try? PolicyID((name as NSString).deletingPathExtension) }

    func policy(of catalogue: PolicyCatalogue) -> Policy? { policy.flatMap { catalogue[$0] } }

    func read() throws -> (PolicyCatalogue?, [Problem]) {
        if isFolder { return PolicyCatalogue.load(folder: path) }
        if hasChecks { return PolicyCatalogue.load(folder: folder) }
        guard let data = FileManager.default.contents(atPath: path), let text = String(data: data, encoding: .utf8)
        else {
            throw CommandFailure.configuration(Text("failure.fileNotUTF8", ["path": path]))
        }
        return PolicyCatalogue.load(files: shipped + [PolicyCatalogue.File(path: path, text: text)])
    }

    /// Reads the files, prints every problem in them, and returns the policies.
    ///
    /// - Throws: A `CommandFailure` with status 78 if any problem is an error.
    func checked(asJSON json: Bool) throws -> PolicyCatalogue {
        let (catalogue, problems) = try read()
        if json {
            try Output.json(["problems": .array(problems.map(Self.json))])
        } else {
            for problem in problems { Program.complain(PlainText.line("\(problem)")) }
        }
        let errors = problems.count { $0.severity == .error }
        guard errors == 0, let catalogue else {
            throw CommandFailure.configuration(Text("failure.problemsOfFile", ["path": path, "count": errors]))
        }
        return catalogue
    }

    /// Copies the policy files, and the files to which they refer, into the private folder `place`.
    ///
    /// - Throws: A `CommandFailure` with status 78 and the file's path if a file cannot be read.
    func copy(into place: String, with catalogue: PolicyCatalogue) throws {
        for file in hasChecks ? [] : shipped {
            try Self.write(Data(file.text.utf8), to: "\(place)/\((file.path as NSString).lastPathComponent)")
        }
        let own = hasChecks ? try FileManager.default.contentsOfDirectory(atPath: folder) : [name]
        for file in own where file.hasSuffix(".yaml") && !file.hasPrefix(".") {
            try Self.copy("\(folder)/\(file)", to: "\(place)/\(file)")
        }
        for file in catalogue.namedFiles {
            guard let name = file.name else { continue }
            try Self.copy(file.path, to: "\(place)/\(name)")
        }
    }

    private static func copy(_ path: String, to place: String) throws {
        guard (try? FileStatus(path: path))?.kind == .file, let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure.configuration(Text("cli.trial.unreadable", ["path": path]))
        }
        try write(data, to: place)
    }

    /// Writes a file with mode 0600, and creates its folder if necessary.
    private static func write(_ data: Data, to path: String) throws {
        let folder = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        guard FileManager.default.createFile(atPath: path, contents: data, attributes: [.posixPermissions: 0o600])
        else { throw CommandFailure(.failed, "no_folder", Text("cli.trial.noFolder", ["reason": path])) }
    }

    private var name: String { (path as NSString).lastPathComponent }

    private var folder: String {
        let folder = (path as NSString).deletingLastPathComponent
        return folder.isEmpty ? "." : folder
    }

    private var hasChecks: Bool { !isFolder && FileManager.default.fileExists(atPath: folder + "/checks.yaml") }

    private var shipped: [PolicyCatalogue.File] {
        ShippedPolicies.files.filter { ($0.path as NSString).lastPathComponent != name.lowercased() }
    }

    private static func json(_ problem: Problem) -> JSONValue {
        [
            "file": .string(problem.file), "line": .int(Int64(problem.line)), "message": .string(problem.message),
            "severity": .string(problem.severity.rawValue),
        ]
    }
}
