/// A file that a policy refers to: an image, a template or its style sheet, a certificate, or a secret.
public struct NamedFile: Hashable, Sendable {
    /// The path relative to the policy folder, or `nil` for an absolute path or a service manager credential.
    public let name: String?
    /// The path to read the file from.
    public let path: String

    /// Creates a file reference from the path relative to the policy folder and the path to read the file from.
    init(name: String?, path: String) {
        self.name = name
        self.path = path
    }

    /// Creates a reference to a file in a policy's folder.
    init(_ name: String, in folder: String) {
        self.init(name: name, path: folder.isEmpty ? name : "\(folder)/\(name)")
    }

    /// The number of folder levels by which the relative path leaves the policy folder.
    public var levelsUp: Int {
        var (level, lowest) = (0, 0)
        for part in (name ?? "").split(separator: "/") where part != "." {
            level += part == ".." ? -1 : 1
            lowest = min(lowest, level)
        }
        return -lowest
    }
}
