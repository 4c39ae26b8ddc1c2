import Foundation
import Spelling
public import StrictYAML

extension PolicyCatalogue {
    /// The path and content of a file in a policy folder.
    public struct File: Sendable {
        /// The path that messages show, which must end with the policy name and `.yaml`, or with `checks.yaml`.
        public let path: String
        /// The content of the file, in YAML.
        public let text: String

        /// Creates a file, which does not have to exist on disk.
        public init(path: String, text: String) {
            self.path = path
            self.text = text
        }
    }

    /// The maximum number of policies in a folder.
    public static let maximumPolicies = 200
    /// The maximum number of files that one policy can inherit from.
    public static let maximumInheritance = 10

    /// Loads all `.yaml` files in a folder, and returns all problems, and the catalogue if none of them is an error.
    public static func load(folder: String) -> (PolicyCatalogue?, [Problem]) {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            return (nil, [Problem(file: folder, line: 1, message: "this policy folder cannot be read")])
        }
        var problems: [Problem] = []
        var nodes: [YAMLNode] = []
        for name in names.sorted() where !name.hasPrefix(".") {
            let path = folder.hasSuffix("/") ? folder + name : folder + "/" + name
            if name.hasSuffix(".yml") {
                problems.append(Problem(file: path, line: 1, message: "the name must end in .yaml"))
            }
            guard name.hasSuffix(".yaml") else { continue }
            parse(&nodes, &problems) { () throws(Problem) in try YAMLDocument.parse(path: path) }
        }
        return load(nodes, folder: folder, problems: problems)
    }

    /// Loads files held in memory, and returns all problems, and the catalogue if none of them is an error.
    public static func load(files: [File]) -> (PolicyCatalogue?, [Problem]) {
        var problems: [Problem] = []
        var nodes: [YAMLNode] = []
        for file in files {
            parse(&nodes, &problems) { () throws(Problem) in try YAMLDocument.parse(file.text, file: file.path) }
        }
        return load(nodes, folder: "policies", problems: problems)
    }

    private static func parse(
        _ nodes: inout [YAMLNode],
        _ problems: inout [Problem],
        _ read: () throws(Problem) -> YAMLNode
    ) {
        do throws(Problem) { nodes.append(try read()) } catch { problems.append(error) }
    }

    static func load(
        _ nodes: [YAMLNode],
        folder: String,
        problems: [Problem]
    ) -> (PolicyCatalogue?, [Problem]) {
        var problems = problems
        let checksNode = nodes.first { $0.fileName == "checks.yaml" }
        if checksNode == nil, !problems.contains(where: { $0.file.hasSuffix("/checks.yaml") }) {
            problems.append(
                Problem(
                    file: "\(folder)/checks.yaml",
                    line: 1,
                    message: "the file does not exist; it defines the checks"
                )
            )
        }
        let checks = CheckReader(checksNode ?? .empty(file: "\(folder)/checks.yaml"), problems: &problems)
        var files: [PolicyID: YAMLNode] = [:]
        for node in nodes where node.fileName != "checks.yaml" {
            guard let id = try? PolicyID(String(node.fileName.dropLast(5))) else {
                problems.append(
                    Problem(
                        file: node.file,
                        line: 1,
                        message: "the file name is not a policy name: \(PolicyID.Invalid())"
                    )
                )
                continue
            }
            if let other = files[id] {
                problems.append(
                    Problem(
                        file: node.file,
                        line: 1,
                        message: "\(other.file) is the same policy: names are case-insensitive"
                    )
                )
            } else {
                files[id] = node
            }
        }
        if files.count > maximumPolicies {
            problems.append(Problem(file: folder, line: 1, message: "there are more than \(maximumPolicies) policies"))
        }
        if files.isEmpty { problems.append(Problem(file: folder, line: 1, message: "the folder contains no policy")) }
        var policies: [Policy] = []
        var named: [NamedClient] = []
        var namedFiles: [NamedFile] = []
        var outside: [PolicyID: OutsidePolicy] = [:]
        for (id, node) in files.sorted(by: { $0.key < $1.key }) {
            if node["authority"] != nil {
                outside[id] = OutsidePolicy(id: id, node, problems: &problems)
                continue
            }
            guard let whole = inherited(node, id, files, &problems) else { continue }
            var reader = PolicyReader(id: id, checks: checks)
            if let policy = reader.read(whole) { policies.append(policy) }
            named += reader.namedClients
            for file in reader.namedFiles where !namedFiles.contains(file) { namedFiles.append(file) }
            // A problem in a file that several policies inherit from is reported only once.
            problems += reader.problems.filter { !problems.contains($0) }
        }
        guard !problems.contains(where: { $0.severity == .error }) else { return (nil, sorted(problems)) }
        let all = checks.order.compactMap { checks.checks[$0] }
        var catalogue = PolicyCatalogue(policies: policies, checks: all, order: checks.order, outside: outside)
        catalogue.namedClients = named
        catalogue.namedFiles = namedFiles
        return (catalogue, sorted(problems))
    }

    /// Merges a file with the files that it inherits from, or returns `nil` if `extends` cannot be resolved.
    private static func inherited(
        _ node: YAMLNode,
        _ id: PolicyID,
        _ files: [PolicyID: YAMLNode],
        _ problems: inout [Problem]
    ) -> YAMLNode? {
        var whole = node
        var seen = [id]
        var current = node
        while let extends = current["extends"], let name = extends.scalar, name != "none",
            let next = try? PolicyID(name)
        {
            let problem: String? =
                if seen.contains(next) {
                    "`extends` has a cycle: \((seen + [next]).map(\.description).joined(separator: " extends "))"
                } else if seen.count > maximumInheritance {
                    "`extends` spans more than \(maximumInheritance) files"
                } else if files[next] == nil {
                    "`extends` refers to an unknown policy: \(next)"
                        + (NearestName.of(name, among: files.keys.map(\.description)).map { "; did you mean \($0)?" }
                            ?? "")
                } else {
                    nil
                }
            if let problem {
                let found = Problem(file: extends.file, line: extends.line, message: problem)
                if !problems.contains(found) { problems.append(found) }
                return nil
            }
            guard let base = files[next] else { return nil }
            whole = whole.inheriting(from: base, whole: ["password"], own: ["extends"])
            seen.append(next)
            current = base
        }
        return whole
    }

    private static func sorted(_ problems: [Problem]) -> [Problem] {
        problems.sorted { ($0.file, $0.line) < ($1.file, $1.line) }
    }
}

extension YAMLNode {
    var fileName: String { file.split(separator: "/").last.map(String.init) ?? file }
}
