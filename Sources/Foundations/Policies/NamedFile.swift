/// A file that a policy refers to: an image, a template or its style sheet, a certificate, or a secret.
public struct NamedFile: Hashable, Sendable {
    /// The path relative to the policy folder, or `nil` if the path is absolute or the file is a service manager
    /// credential.
    public let name: String?
    /// The path to read the file from.
    public let path: String

    init(name: String?, path: String) {
        self.name = name
        self.path = path
    }

    init(_ name: String, in folder: String) {
        self.init(name: name, path: folder.isEmpty ? name : "\(folder)/\(name)")
    }

    /// The number of folder levels that the relative path goes up from the policy folder.
    public var levelsUp: Int {
        var (level, lowest) = (0, 0)
        for part in (name ?? "").split(separator: "/") where part != "." {
            level += part == ".." ? -1 : 1
            lowest = min(lowest, level)
        }
        return -lowest
    }
}
