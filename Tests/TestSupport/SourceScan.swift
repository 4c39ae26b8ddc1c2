import Foundation

/// Searches the program's sources for uses of properties.
public struct SourceScan: Sendable {
    private let files: [(path: String, text: String)]

    /// Reads all files below `Sources`, without their comments.
    public init() throws {
        let root = ProjectFolder.url.appendingPathComponent("Sources")
        files = try ProjectFolder.swiftFiles(in: "Sources").map { url in
            let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
            let code = lines.filter { !$0.drop { $0 == " " }.hasPrefix("//") }
            return (
                String(url.path.dropFirst(root.path.count + 1).drop { $0 != "/" }.dropFirst()),
                code.joined(separator: "\n")
            )
        }
    }

    /// Returns the files whose code contains `part`, as paths below the top-level folders of `Sources`.
    public func paths(with part: String) -> [String] { files.filter { $0.text.contains(part) }.map(\.path) }

    /// Returns whether a file that `counts` accepts uses a property that the same file does not declare.
    ///
    /// An argument label does not count as a use.
    public func reads(_ property: String, where counts: (_ path: String, _ text: String) -> Bool) throws -> Bool {
        let name = NSRegularExpression.escapedPattern(for: property)
        let use = try NSRegularExpression(pattern: "\\b\(name)\\b(?!\\s*:)")
        let declaration = try NSRegularExpression(
            pattern: "^    (public |package |private )?(let|var) \(name)\\b",
            options: .anchorsMatchLines
        )
        return files.contains { path, text in
            guard text.contains(property), counts(path, text) else { return false }
            let all = NSRange(text.startIndex..., in: text)
            return declaration.firstMatch(in: text, range: all) == nil && use.firstMatch(in: text, range: all) != nil
        }
    }
}
