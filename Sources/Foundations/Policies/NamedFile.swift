/// A file that a policy refers to, such as an image, a page template, a certificate or a secret.
public struct NamedFile: Hashable, Sendable {
    /// The path relative to the policy folder, or `nil` if the path is absolute or the file is a systemd credential.
    public let name: String?
    /// The path from which the file is read.
    public let path: String

    init(name: String?, path: String) {
        self.name = name
        self.path = path
    }

    init(_ name: String, in folder: String) {
        self.init(name: name, path: folder.isEmpty ? name : "\(folder)/\(name)")
    }

    /// The number of folder levels by which the relative path leaves the policy folder, such as 1 for `../logo.png`.
    public var levelsUp: Int {
        var (level, lowest) = (0, 0)
        for part in (name ?? "").split(separator: "/") where part != "." {
            level += part == ".." ? -1 : 1
            lowest = min(lowest, level)
        }
        return -lowest
    }
}
